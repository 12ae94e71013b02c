package snapshot

import (
	"math/bits"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/systems/internal/baseline"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// ownerFrames stores the states of a client's own entities at its newest sends. The zero value is empty. A client has few
// entities, and a [delta.Group] has room for many, so each state is stored as words:
//
//	send | words of the entities | groups | for each entity: place, ID, low and high half of the mask, length of the record | record
//
// All states are in one ring in the order of the sends, so that the two states to which differences are sent lie next to
// the newest.
type ownerFrames struct {
	ring []int32
	room int // words of each
}

const (
	// ownerFrameHead is the number of words of a state before its entities, and ownerEntityHead that of an entity before its
	// record.
	ownerFrameHead  = 3
	ownerEntityHead = 5
)

// ownerFrame is the state of a client's own entities at one send: their predicted and owner-only components at full
// precision.
type ownerFrame struct {
	send   uint32
	groups []delta.Group
}

// reset makes f a state with the given number of groups and only empty slots.
func (f *ownerFrame) reset(send uint32, groups int) {
	for len(f.groups) < groups {
		f.groups = append(f.groups, delta.Group{})
	}
	f.send, f.groups = send, f.groups[:groups]
	for g := range f.groups {
		f.groups[g].Reset(send)
		f.groups[g].Known = wire.AllSlots
	}
}

// size returns the number of words that the state needs.
func (f *ownerFrame) size() (n int) {
	n = ownerFrameHead
	for g := range f.groups {
		group := &f.groups[g]
		n += ownerEntityHead * bits.OnesCount64(group.Alive)
		for m := group.Alive; m != 0; m &= m - 1 {
			n += len(group.Record(bits.TrailingZeros64(m)))
		}
	}
	return n
}

// words returns the words of the state of a send.
func (o *ownerFrames) words(send uint32) []int32 {
	at := int(send%baseline.OwnKept) * o.room
	return o.ring[at : at+o.room]
}

// touch reads a byte of the states of a send and of the next one, so that they are in the cache when they are read. The
// result has no meaning.
func (o *ownerFrames) touch(send uint32) byte {
	if o.room == 0 {
		return 0
	}
	return byte(o.words(send)[0]) ^ byte(o.words(send + 1)[0])
}

// grow makes room for larger states.
func (o *ownerFrames) grow(words int) {
	old := *o
	o.room = words
	o.ring = make([]int32, baseline.OwnKept*words)
	for send := range uint32(baseline.OwnKept) {
		copy(o.words(send), old.words(send))
	}
}

// keep stores a state.
func (o *ownerFrames) keep(f *ownerFrame) {
	if n := f.size(); n > o.room {
		o.grow(n)
	}
	words := o.words(f.send)
	at := ownerFrameHead
	for g := range f.groups {
		group := &f.groups[g]
		for m := group.Alive; m != 0; m &= m - 1 {
			k := bits.TrailingZeros64(m)
			rec, mask := group.Record(k), group.Masks[k]
			words[at], words[at+1], words[at+2], words[at+3], words[at+4] = int32(64*g+k), int32(group.IDs[k]), int32(mask), int32(mask>>32), int32(len(rec))
			at += ownerEntityHead + copy(words[at+ownerEntityHead:], rec)
		}
	}
	words[0], words[1], words[2] = int32(f.send), int32(at-ownerFrameHead), int32(len(f.groups))
}

// read sets f to the state of a send. It returns false if the state is no longer stored.
func (o *ownerFrames) read(send uint32, f *ownerFrame) bool {
	if send == 0 || o.room == 0 {
		return false
	}
	words := o.words(send)
	if uint32(words[0]) != send {
		return false
	}
	f.reset(send, int(words[2]))
	for words = words[ownerFrameHead : ownerFrameHead+words[1]]; len(words) > 0; {
		place, mask, n := int(words[0]), uint64(uint32(words[2]))|uint64(uint32(words[3]))<<32, int(words[4])
		copy(f.groups[place/64].Put(place%64, uint32(words[1]), mask, n), words[ownerEntityHead:])
		words = words[ownerEntityHead+n:]
	}
	return true
}

// ownerReader reads the states of one client at a time.
type ownerReader struct {
	past  [2]ownerFrame // by whether the number of the send is even
	owner *ownerFrames  // owner of the states in past
}

// at returns the state of a send, nil if it is no longer kept. The result is valid until at is called for another
// send of the same parity.
func (x *ownerReader) at(o *ownerFrames, send uint32) []delta.Group {
	if x.owner != o {
		x.owner, x.past[0].send, x.past[1].send = o, 0, 0
	}
	f := &x.past[send%2]
	if f.send != send || send == 0 {
		if f.send = 0; !o.read(send, f) {
			return nil
		}
	}
	return f.groups
}
