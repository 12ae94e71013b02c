package baseline

const (
	fewPackets  = 32   // initial room for a client
	usualBlocks = 2    // usual number of blocks of a packet: owner state and the world
	mostPackets = 512  // most packets that are stored
	shrinkEvery = 4096 // packets after which unused room is freed
)

// Packet is the content of a sent packet.
type Packet struct {
	Send   uint32 // of its header
	seq    uint16
	open   bool // not acknowledged
	Blocks []Block
}

// Block describes a block of a packet.
type Block struct {
	Slots uint64 // the slots of each group in the block
	First uint32 // the first group
	Send  uint32 // the send whose state the block contains
	Chunk int32  // of the join, -1 for none
	Count uint16 // number of groups
	Own   bool   // a block of owner state; otherwise only Send and Chunk have a meaning
}

// packets are the packets on their way to a client, oldest first, in a ring that grows. A packet that arrived, or whose content
// no longer counts, is removed when those before it have been removed, or when its room is needed.
type packets struct {
	ring  []Packet // a power of two long
	first int      // place of the oldest
	n     int
	most  int // maximum of n since the ring was last checked for shrinking
	puts  int // packets since then
}

// nth returns a packet by its age; 0 is the oldest.
func (p *packets) nth(i int) *Packet { return &p.ring[(p.first+i)&(len(p.ring)-1)] }

// put stores a packet. Packets of sends before floor no longer count.
func (p *packets) put(seq uint16, send, floor uint32, blocks []Block) {
	for p.n > 0 {
		if x := p.nth(0); x.open && x.Send >= floor && seq-x.seq < 1<<15 {
			break
		}
		p.drop()
	}
	if room := len(p.ring); p.n == room {
		p.tidy(floor)
		switch {
		case room == 0 || p.n > room-room/4 && room < mostPackets:
			p.resize(max(2*room, fewPackets))
		case p.n == room:
			p.drop()
		}
	}
	if p.puts++; p.puts == shrinkEvery {
		p.tidy(floor)
		if half := len(p.ring) / 2; p.most <= half-half/4 && half >= fewPackets {
			p.resize(half)
		}
		p.puts, p.most = 0, 0
	}
	p.n++
	x := p.nth(p.n - 1)
	*x = Packet{Send: send, seq: seq, open: true, Blocks: append(x.Blocks[:0], blocks...)}
}

// drop removes the oldest packet.
func (p *packets) drop() {
	p.first = (p.first + 1) & (len(p.ring) - 1)
	p.n--
}

// tidy removes the packets that arrived or no longer count, wherever they are.
func (p *packets) tidy(floor uint32) {
	kept := 0
	for i := range p.n {
		if x, to := p.nth(i), p.nth(kept); x.open && x.Send >= floor {
			*x, *to = *to, *x
			kept++
		}
	}
	p.n = kept
	p.most = max(p.most, kept)
}

// resize sets the length of the ring and keeps its packets.
func (p *packets) resize(places int) {
	ring := make([]Packet, places)
	room := make([]Block, usualBlocks*places)
	for i := range ring {
		if i < p.n {
			ring[i] = *p.nth(i)
		}
		if cap(ring[i].Blocks) <= usualBlocks {
			ring[i].Blocks = append(room[i*usualBlocks:i*usualBlocks:(i+1)*usualBlocks], ring[i].Blocks...)
		}
	}
	p.ring, p.first = ring, 0
}

// acknowledge returns the content of packet seq at the first call for it; nil if the packet is not
// stored.
func (p *packets) acknowledge(seq uint16) *Packet {
	if p.n == 0 {
		return nil
	}
	oldest := p.nth(0).seq
	low, high := 0, p.n
	for low < high {
		if mid := (low + high) / 2; p.nth(mid).seq-oldest < seq-oldest {
			low = mid + 1
		} else {
			high = mid
		}
	}
	if low == p.n {
		return nil
	}
	x := p.nth(low)
	if x.seq != seq || !x.open {
		return nil
	}
	x.open = false
	return x
}

// clear removes all packets.
func (p *packets) clear() { p.n = 0 }
