package baseline

const (
	fewPackets  = 32   // packets that a client is given room for
	usualBlocks = 2    // blocks of one, as a rule: own state and the world
	mostPackets = 512  // packets that are remembered at most, whatever is under way
	shrinkEvery = 4096 // packets after which what was not needed is given back
)

// Packet is what a packet told of.
type Packet struct {
	Send   uint32 // of its header
	seq    uint16
	open   bool // not acknowledged
	Blocks []Block
}

// Block is which slots a block of a packet told of.
type Block struct {
	Slots  uint64
	First  uint32
	Send   uint32 // whose state it is
	Chunk  int32  // of the join, -1 for none
	Count  uint16
	Own    bool
	Hidden bool // it tells that the slots are out of sight
}

// packets are those on their way to a client, oldest first: a ring that has room for as many as there
// are. One that arrived, or that told of nothing that still counts, goes when those before it have gone, or when
// its room is needed.
type packets struct {
	ring  []Packet // a power of two long
	first int      // place of the oldest
	n     int
	most  int // that were waited for since room was given back last
	puts  int // since then
}

// nth is a packet by its age, 0 is the oldest.
func (p *packets) nth(i int) *Packet { return &p.ring[(p.first+i)&(len(p.ring)-1)] }

// put remembers a packet; those of sends before floor no longer count.
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

// drop forgets the oldest.
func (p *packets) drop() {
	p.first = (p.first + 1) & (len(p.ring) - 1)
	p.n--
}

// tidy takes out the packets that are not waited for, whatever stands before them.
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

// resize makes the ring so long, and takes along what is in it.
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

// take is what packet seq told of, the first time that it is asked for; nil where the packet is not
// remembered.
func (p *packets) take(seq uint16) *Packet {
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

// clear forgets all.
func (p *packets) clear() { p.n = 0 }
