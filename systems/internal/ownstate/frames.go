package ownstate

import (
	"math/bits"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/systems/internal/baseline"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// Frames are the states of a client's own entities at its newest sends. They are kept as
// words, since a client has few entities and a [delta.Group] has room for many:
//
//	send | words of the entities | groups | for each entity: place, ID, low and high half of the mask, length of the record | record
//
// All stand in one ring, one send behind the other, so that the two states which a difference is told to are next to
// the one that is told. The zero value has none.
type Frames struct {
	ring []int32
	room int // words of each
}

// frameHead is how many words a state has before its entities, and entityHead an entity before its record.
const (
	frameHead  = 3
	entityHead = 5
)

// Frame is the state of a client's own entities at one send: their predicted
// and owner-only components at full precision.
type Frame struct {
	Send   uint32
	Groups []delta.Group
}

// Begin makes f a state of so many groups of which all slots are empty.
func (f *Frame) Begin(send uint32, groups int) {
	for len(f.Groups) < groups {
		f.Groups = append(f.Groups, delta.Group{})
	}
	f.Send, f.Groups = send, f.Groups[:groups]
	for g := range f.Groups {
		f.Groups[g].Reset(send)
		f.Groups[g].Known = wire.AllSlots
	}
}

// words is how many a state takes.
func (f *Frame) words() (n int) {
	n = frameHead
	for g := range f.Groups {
		group := &f.Groups[g]
		n += entityHead * bits.OnesCount64(group.Alive)
		for m := group.Alive; m != 0; m &= m - 1 {
			n += len(group.Record(bits.TrailingZeros64(m)))
		}
	}
	return n
}

// of is where the state of a send stands.
func (o *Frames) of(send uint32) []int32 {
	at := int(send%baseline.OwnKept) * o.room
	return o.ring[at : at+o.room]
}

// Touch reads a byte of the state of a send, and of the one behind it, so that they are near when they are asked for. What
// it returns means nothing.
func (o *Frames) Touch(send uint32) byte {
	if o.room == 0 {
		return 0
	}
	return byte(o.of(send)[0]) ^ byte(o.of(send + 1)[0])
}

// grow makes room for states of so many words.
func (o *Frames) grow(words int) {
	old := *o
	o.room = words
	o.ring = make([]int32, baseline.OwnKept*words)
	for send := range uint32(baseline.OwnKept) {
		copy(o.of(send), old.of(send))
	}
}

// Keep keeps a state.
func (o *Frames) Keep(f *Frame) {
	if n := f.words(); n > o.room {
		o.grow(n)
	}
	words := o.of(f.Send)
	at := frameHead
	for g := range f.Groups {
		group := &f.Groups[g]
		for m := group.Alive; m != 0; m &= m - 1 {
			k := bits.TrailingZeros64(m)
			rec, mask := group.Record(k), group.Masks[k]
			words[at], words[at+1], words[at+2], words[at+3], words[at+4] = int32(64*g+k), int32(group.IDs[k]), int32(mask), int32(mask>>32), int32(len(rec))
			at += entityHead + copy(words[at+entityHead:], rec)
		}
	}
	words[0], words[1], words[2] = int32(f.Send), int32(at-frameHead), int32(len(f.Groups))
}

// Read sets f to the state at a send. It reports false where that is no longer kept.
func (o *Frames) Read(send uint32, f *Frame) bool {
	if send == 0 || o.room == 0 {
		return false
	}
	words := o.of(send)
	if uint32(words[0]) != send {
		return false
	}
	f.Begin(send, int(words[2]))
	for words = words[frameHead : frameHead+words[1]]; len(words) > 0; {
		place, mask, n := int(words[0]), uint64(uint32(words[2]))|uint64(uint32(words[3]))<<32, int(words[4])
		copy(f.Groups[place/64].Put(place%64, uint32(words[1]), mask, n), words[entityHead:])
		words = words[entityHead+n:]
	}
	return true
}

// Scratch is where the states of the client at hand are read to.
type Scratch struct {
	past [2]Frame // by whether the number of the send is even
	of   *Frames  // whose these are
}

// At is the state at a send, nil where that is no longer kept. It is good until
// the state of another send is asked for that is an even number of sends away.
func (x *Scratch) At(o *Frames, send uint32) []delta.Group {
	if x.of != o {
		x.of, x.past[0].Send, x.past[1].Send = o, 0, 0
	}
	f := &x.past[send%2]
	if f.Send != send || send == 0 {
		if f.Send = 0; !o.Read(send, f) {
			return nil
		}
	}
	return f.Groups
}
