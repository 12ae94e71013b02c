package channel

import (
	"time"

	"github.com/tactusgo/tactus/netsys/internal/window"
)

// fate is the state of a packet.
type fate uint8

const (
	unknown fate = iota // not sent, or no longer in the window
	flying
	arrived
	lost
)

// packet is the record of a sent packet.
type packet struct {
	at    time.Duration
	refs  uint64 // position of its first ref
	count int32  // number of refs
	bytes int32  // total size
	seq   uint16
	fate  fate
}

// ref is a run of reliable contents in a packet: run whole messages from id on, or run fragments of message id from first
// on. Numbers are not truncated to 16 bits, so that a very late acknowledgement cannot refer to a newer message.
type ref struct {
	id      uint64
	first   int32
	run     int32
	channel uint8
	pieces  bool
}

// refsPerPacket is the average number of refs per packet for which there is memory.
const refsPerPacket = 2

// flight records sent packets and their contents. It has memory for packets in flight and for lost packets. Packet numbers
// wrap; recorded numbers lie within the length of the window.
type flight struct {
	sent   window.Window[packet]
	oldest uint16 // every earlier packet arrived or was lost
	next   uint16 // number of the next packet

	refs      []ref // a ring of the refs from low on
	low, tail uint64
	most      int // largest length of refs
}

const (
	// maxRefs is the largest number of refs that one channel adds to a packet.
	maxRefs = 16
	// leastRefs is the smallest length of the ring, unless empty.
	leastRefs = 16
)

func newFlight(packets, channels int) flight {
	return flight{sent: window.New(packets, (*packet).missing), most: max(refsPerPacket*packets, 4*channels*maxRefs)}
}

// missing reports whether the packet was sent and has not been acknowledged.
func (p *packet) missing() bool { return p.fate == flying || p.fate == lost }

// holding reports whether a missing packet has reliable contents.
func (p *packet) holding() bool { return p.missing() && p.count > 0 }

// find returns the record of a packet, or nil.
func (f *flight) find(seq uint16) *packet {
	p := f.sent.Find(seq)
	if p == nil || p.fate == unknown {
		return nil
	}
	return p
}

// crowded reports whether packet seq, if it had reliable contents, would push out packets whose acknowledgements can still
// arrive. This happens if the history is too short for the rate or the length of the path.
func (f *flight) crowded(seq uint16, channels int) bool {
	if int(seq-f.oldest) > f.sent.Most()*3/4 {
		return true
	}
	oldest := f.find(f.oldest)
	return oldest != nil && f.tail+uint64(channels*maxRefs) > oldest.refs+uint64(f.most)
}

// live reports whether the refs of a packet are still stored.
func (f *flight) live(p *packet) bool { return p.refs >= f.low }

// add records contents of the packet being filled and merges them into the previous ref if possible. from is the position
// of the packet's first ref.
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

// room makes room for a ref. It first removes the refs of packets that arrived. If this frees little, the ring grows. A
// ring of maximal length drops its oldest ref. from is the position of the first ref of the packet being filled.
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

// tidy releases memory that only an outage or a burst needed.
func (f *flight) tidy() {
	f.sent.Fit(int(f.next-f.oldest) + 1)
	if len(f.refs) > 4*leastRefs && f.sent.Oldest((*packet).holding) == nil {
		f.refs, f.low = nil, f.tail
	}
}
