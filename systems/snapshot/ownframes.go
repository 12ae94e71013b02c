package snapshot

import (
	"math/bits"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/systems/internal/baseline"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// ownFrames are the states of a client's own entities at its newest sends. They are kept as
// words, since a client has few entities and a [delta.Group] has room for many:
//
//	groups | for each entity: place, ID, low and high half of the mask, length of the record | record
type ownFrames struct {
	sends [baseline.OwnKept]uint32
	words [baseline.OwnKept][]int32
}

// ownFrame is the state of a client's own entities at one send: their predicted
// and owner-only components at full precision.
type ownFrame struct {
	send   uint32
	groups []delta.Group
}

// begin makes f a state of so many groups of which all slots are empty.
func (f *ownFrame) begin(send uint32, groups int) {
	for len(f.groups) < groups {
		f.groups = append(f.groups, delta.Group{})
	}
	f.send, f.groups = send, f.groups[:groups]
	for g := range f.groups {
		f.groups[g].Reset(send)
		f.groups[g].Known = wire.AllSlots
	}
}

// ownHead is how many words an entity has before its record.
const ownHead = 5

// keep keeps a state.
func (o *ownFrames) keep(f *ownFrame) {
	at := f.send % baseline.OwnKept
	words := append(o.words[at][:0], int32(len(f.groups)))
	for g := range f.groups {
		group := &f.groups[g]
		for m := group.Alive; m != 0; m &= m - 1 {
			k := bits.TrailingZeros64(m)
			rec, mask := group.Record(k), group.Masks[k]
			words = append(words, int32(64*g+k), int32(group.IDs[k]), int32(mask), int32(mask>>32), int32(len(rec)))
			words = append(words, rec...)
		}
	}
	o.sends[at], o.words[at] = f.send, words
}

// read sets f to the state at a send. It reports false where that is no longer kept.
func (o *ownFrames) read(send uint32, f *ownFrame) bool {
	at := send % baseline.OwnKept
	if send == 0 || o.sends[at] != send {
		return false
	}
	words := o.words[at]
	f.begin(send, int(words[0]))
	for words = words[1:]; len(words) > 0; {
		place, mask, n := int(words[0]), uint64(uint32(words[2]))|uint64(uint32(words[3]))<<32, int(words[4])
		copy(f.groups[place/64].Put(place%64, uint32(words[1]), mask, n), words[ownHead:])
		words = words[ownHead+n:]
	}
	return true
}

// ownScratch is the own state of the client at hand as groups.
type ownScratch struct {
	now  ownFrame
	past [2]ownFrame // sends before, by whether their number is even
	of   *Client     // whose these are
}

// at is the own state of a client at a send, nil where that is no longer kept. It is good until
// the state of another send is asked for that is an even number of sends away.
func (x *ownScratch) at(c *Client, send uint32) []delta.Group {
	if x.of != c {
		x.of, x.past[0].send, x.past[1].send = c, 0, 0
	}
	f := &x.past[send%2]
	if f.send != send || send == 0 {
		if f.send = 0; !c.own.frames.read(send, f) {
			return nil
		}
	}
	return f.groups
}
