package delta

import (
	"math/bits"
	"slices"
)

// GroupSize is the number of slots of a [Group].
const GroupSize = 64

// Group is the replicated state of up to 64 entities at one send. An entity keeps its slot while it lives. A free slot can
// be reused. A set of slots is a uint64 with bit i for slot i.
//
// In the zero value no slot is known.
type Group struct {
	// Send is the number of the send; 0 means none.
	Send uint32
	// Known are the slots whose state is known: all slots, unless blocks contained only some of them.
	Known uint64
	// Alive are the known slots that hold an entity. Known slots that are not alive are empty or hidden.
	Alive uint64
	// Hidden are the known slots that hold an entity which is hidden from the receiver. They are not alive.
	Hidden uint64
	// IDs and Masks are the network ids and component masks of the alive slots.
	IDs   [GroupSize]uint32
	Masks [GroupSize]uint64
	// Words holds the records of the alive slots, in any order.
	Words []int32

	start [GroupSize]int32
	size  [GroupSize]int32
}

// Reset makes g a state of the given send without known slots. It keeps the memory.
func (g *Group) Reset(send uint32) {
	g.Send, g.Known, g.Alive, g.Hidden = send, 0, 0, 0
	g.Words = g.Words[:0]
}

// Put adds an entity to a slot and returns its record of n words for the caller to fill. The record has arbitrary contents.
// It is valid until the next Put.
func (g *Group) Put(slot int, id uint32, mask uint64, n int) []int32 {
	bit := uint64(1) << slot
	g.Known |= bit
	g.Alive |= bit
	g.Hidden &^= bit
	g.IDs[slot], g.Masks[slot] = id, mask
	at := len(g.Words)
	g.Words = grow(g.Words, n)
	g.start[slot], g.size[slot] = int32(at), int32(n)
	return g.Words[at : at+n : at+n]
}

// Clear makes a slot known as empty, or as hidden from the receiver.
func (g *Group) Clear(slot int, hidden bool) {
	bit := uint64(1) << slot
	g.Known |= bit
	g.Alive &^= bit
	g.Hidden &^= bit
	if hidden {
		g.Hidden |= bit
	}
}

// Record returns the words of an alive slot: the words of its components, in the order of the layout, without gaps.
func (g *Group) Record(slot int) []int32 {
	at, n := g.start[slot], g.size[slot]
	return g.Words[at : at+n : at+n]
}

// Find returns the slot of an entity, or −1.
func (g *Group) Find(id uint32) int {
	for m := g.Alive; m != 0; m &= m - 1 {
		if i := bits.TrailingZeros64(m); g.IDs[i] == id {
			return i
		}
	}
	return -1
}

// unchanged reports whether the slots of s hold the same entities in a and b.
func unchanged(a, b *Group, s uint64) bool {
	if (a.Alive^b.Alive)&s != 0 || (a.Hidden^b.Hidden)&s != 0 {
		return false
	}
	s &= a.Alive
	return sameEntities(a, b, s) == s
}

// adopt copies the slots of s from src to dst.
func adopt(dst, src *Group, s uint64) {
	if dst.Known == 0 && len(dst.Words) == 0 && src.Known&^s == 0 && src.compact() {
		words := append(dst.Words, src.Words...)
		send := dst.Send
		*dst = *src
		dst.Words, dst.Send = words, send
		return
	}
	for ; s != 0; s &= s - 1 {
		k := bits.TrailingZeros64(s)
		if bit := s & -s; src.Alive&bit != 0 {
			rec := src.Record(k)
			copy(dst.Put(k, src.IDs[k], src.Masks[k], len(rec)), rec)
		} else {
			dst.Clear(k, src.Hidden&bit != 0)
		}
	}
}

// compact reports whether Words contains only the records of alive slots.
func (g *Group) compact() bool {
	n := 0
	for s := g.Alive; s != 0; s &= s - 1 {
		n += int(g.size[bits.TrailingZeros64(s)])
	}
	return n == len(g.Words)
}

// grow extends s by n elements with arbitrary values.
func grow[T any](s []T, n int) []T {
	return slices.Grow(s, n)[:len(s)+n]
}
