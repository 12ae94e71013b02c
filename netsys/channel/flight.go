package channel

import (
	"time"

	"github.com/tactusgo/tactus/netsys/internal/window"
)

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

// flight remembers packets that were sent, and what was in them. It has memory for those of which the fate is not known,
// and for those that got lost. Packet numbers wrap; those remembered lie within the length of the window.
type flight struct {
	sent   window.Window[packet]
	oldest uint16 // the fates of all before this one are known
	next   uint16 // no packet was sent from this one on

	refs      []ref // a ring, of those from low on
	low, tail uint64
	most      int // refs that there may be memory for
}

const (
	// maxRefs is how many refs one channel adds to a packet at most.
	maxRefs = 16
	// leastRefs is for how many there is memory once there is one.
	leastRefs = 16
)

func newFlight(packets, channels int) flight {
	return flight{sent: window.New(packets, (*packet).missing), most: max(refsPerPacket*packets, 4*channels*maxRefs)}
}

// missing reports whether a packet was sent and is not known to have arrived.
func (p *packet) missing() bool { return p.fate == flying || p.fate == lost }

// holding reports whether it has anything reliable besides.
func (p *packet) holding() bool { return p.missing() && p.count > 0 }

// find returns what is remembered of a packet, or nil.
func (f *flight) find(seq uint16) *packet {
	p := f.sent.Find(seq)
	if p == nil || p.fate == unknown {
		return nil
	}
	return p
}

// crowded reports whether packet seq, with something reliable in it, would push out packets whose
// acknowledgements can still come: a rate so high, or a path so long, that the history is too short for it.
func (f *flight) crowded(seq uint16, channels int) bool {
	if int(seq-f.oldest) > f.sent.Most()*3/4 {
		return true
	}
	oldest := f.find(f.oldest)
	return oldest != nil && f.tail+uint64(channels*maxRefs) > oldest.refs+uint64(f.most)
}

// live reports whether the refs of a packet are still there.
func (f *flight) live(p *packet) bool { return p.refs >= f.low }

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
	if f.tail-f.low == uint64(len(f.refs)) {
		f.room(from)
	}
	f.refs[f.tail%uint64(len(f.refs))] = r
	f.tail++
}

// room makes place for a ref: of packets that arrived none is needed any more. Where that is not much, there is more
// memory, up to the most; then the oldest goes. from is where those of the packet being filled begin.
func (f *flight) room(from uint64) {
	n := len(f.refs)
	if n == f.most {
		f.low++
		return
	}
	low := from
	if p := f.sent.Oldest((*packet).holding); p != nil {
		low = min(low, p.refs)
	}
	f.low = max(f.low, low)
	if f.tail-f.low <= uint64(n*3/4) && n > 0 {
		return
	}
	grown := make([]ref, min(max(2*n, leastRefs), f.most))
	for i := f.low; i != f.tail; i++ {
		grown[i%uint64(len(grown))] = f.refs[i%uint64(n)]
	}
	f.refs = grown
}

// ref returns ref i of a packet.
func (f *flight) ref(p *packet, i int32) ref { return f.refs[(p.refs+uint64(i))%uint64(len(f.refs))] }

// tidy gives memory back that only an outage, or a burst, has needed.
func (f *flight) tidy() {
	f.sent.Fit(int(f.next-f.oldest) + 1)
	if len(f.refs) > 4*leastRefs && f.sent.Oldest((*packet).holding) == nil {
		f.refs, f.low = nil, f.tail
	}
}
