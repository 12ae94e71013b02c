package wire

import "github.com/tactusgo/tactus/codec"

// baseRing is how many packets back one can be read that continues from a base
// maxBack before it: those that come late find their bases still there.
const baseRing = 2 * maxBack

// Base is what an input message ended with: what others can continue from.
type Base struct {
	seq    uint16 // of the packet
	live   bool
	acked  bool // the other end has it; for who sends
	epoch  uint8
	shift  int16
	newest uint16
	state  []uint32 // of the coder
}

// Bases keeps the bases of the newest packets, sent or received, by session
// sequence.
type Bases struct {
	ring   [baseRing]Base
	newest uint16 // packet
	any    bool
}

// NewInputBases makes room for inputs of so many words.
func NewInputBases(words int) *Bases {
	b := &Bases{}
	state := make([]uint32, baseRing*2*words)
	for i := range b.ring {
		b.ring[i].state = state[i*2*words : (i+1)*2*words]
	}
	return b
}

// Put keeps what the packet seq ended with, unless it is too old for anything to
// continue from it. What has become so is let go.
func (b *Bases) Put(seq uint16, m *Input, state []uint32) {
	d := codec.Diff(seq, b.newest)
	if !b.any {
		b.any, d = true, baseRing
	}
	if d <= -baseRing {
		return
	}
	if d > 0 {
		// Whoever has the same remainder as a packet in between is too old as well.
		for s := range uint16(min(d, baseRing)) {
			b.ring[(seq-s)%baseRing].live = false
		}
		b.newest = seq
	}
	e := &b.ring[seq%baseRing]
	e.seq, e.live, e.acked = seq, true, false
	e.epoch, e.shift, e.newest = m.Epoch, m.Shift, m.Newest
	copy(e.state, state)
}

// at is what the packet seq ended with, or nil.
func (b *Bases) at(seq uint16) *Base {
	if e := &b.ring[seq%baseRing]; e.live && e.seq == seq {
		return e
	}
	return nil
}

// Ack notes that the other end has received the packet seq.
func (b *Bases) Ack(seq uint16) {
	if e := b.at(seq); e != nil {
		e.acked = true
	}
}

// acknowledged is the newest base that the other end has received within maxBack
// packets before the packet seq, and how many before, or nil.
func (b *Bases) acknowledged(seq uint16) (e *Base, back int) {
	for back := 1; back <= maxBack; back++ {
		if e := b.at(seq - uint16(back)); e != nil && e.acked {
			return e, back
		}
	}
	return nil, 0
}

// Clear lets go of all.
func (b *Bases) Clear() {
	for i := range b.ring {
		b.ring[i].live = false
	}
}
