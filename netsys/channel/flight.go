package channel

import "time"

// fate is what is known of a packet.
type fate uint8

const (
	unknown fate = iota // nothing was sent with this number, or it is forgotten
	flying
	arrived
	lost
)

// packet is a packet that was sent.
type packet struct {
	at    time.Duration
	refs  uint64 // the position of its first ref
	count int32  // how many refs it has
	bytes int32  // all that it carries
	seq   uint16
	fate  fate
}

// ref is something reliable that a packet holds: run whole messages from id on, or run pieces of message id
// from first on. Numbers are whole, not their low 16 bits: an acknowledgement that comes very late must not
// mean a newer message.
type ref struct {
	id      uint64
	first   int32
	run     int32
	channel uint8
	pieces  bool
}

// refsPerPacket is for how many refs a packet there is memory, on average.
const refsPerPacket = 2

// flight remembers packets that were sent, and what was in them. Packet numbers wrap; those remembered lie
// within the length of the ring.
type flight struct {
	ring   []packet
	oldest uint16 // the fates of all before this one are known
	next   uint16 // no packet was sent from this one on

	refs []ref  // a ring
	tail uint64 // where the next ref goes
}

// maxRefs is how many refs one channel adds to a packet at most.
const maxRefs = 16

func newFlight(packets, channels int) flight {
	return flight{ring: make([]packet, packets), refs: make([]ref, max(refsPerPacket*packets, 4*channels*maxRefs))}
}

// find returns what is remembered of a packet, or nil.
func (f *flight) find(seq uint16) *packet {
	p := &f.ring[int(seq)%len(f.ring)]
	if p.fate == unknown || p.seq != seq {
		return nil
	}
	return p
}

// crowded reports whether packet seq, with something reliable in it, would push out packets whose
// acknowledgements can still come: a rate so high, or a path so long, that the history is too short for it.
func (f *flight) crowded(seq uint16, channels int) bool {
	if int(seq-f.oldest) > len(f.ring)*3/4 {
		return true
	}
	oldest := f.find(f.oldest)
	return oldest != nil && f.tail+uint64(channels*maxRefs) > oldest.refs+uint64(len(f.refs))
}

// live reports whether the refs of a packet are still there.
func (f *flight) live(p *packet) bool { return p.refs+uint64(len(f.refs)) >= f.tail }

// add notes something in the packet being filled. It joins the ref before where it can. from is the position
// where the packet's refs begin.
func (f *flight) add(from uint64, r ref) {
	if f.tail > from {
		last := &f.refs[(f.tail-1)%uint64(len(f.refs))]
		if last.channel == r.channel && last.pieces == r.pieces && !r.pieces && last.id+uint64(last.run) == r.id {
			last.run += r.run
			return
		}
	}
	f.refs[f.tail%uint64(len(f.refs))] = r
	f.tail++
}

// ref returns ref i of a packet.
func (f *flight) ref(p *packet, i int32) ref { return f.refs[(p.refs+uint64(i))%uint64(len(f.refs))] }
