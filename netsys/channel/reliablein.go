package channel

import (
	mathbits "math/bits"
	"time"

	"github.com/tactusgo/tactus/codec"
)

// reliableIn is the receiving side of a reliable channel. The sender has at most Queue unacknowledged messages and
// QueueBytes unacknowledged bytes, including the receiver's first missing message. The receiver stores no more and refuses
// messages beyond these limits.
type reliableIn struct {
	ordered bool
	base    uint64     // every earlier message was delivered
	queue   uint64     // length of the window from base on
	slots   []held     // the window, by number; grows to the largest distance
	partial []arriving // grows to the largest number at a time
	busy    bool       // partial was used since the last tidy
	used    int32      // used blocks
	claimed int32      // fragments of the messages in partial, received or not
	most    int32      // limit of used and of claimed
}

// held is a complete message in the window. The zero value is a message that has not arrived.
type held struct {
	first int32 // first block, if the message waits for earlier ones
	above int32 // size + 1
}

// taken returns the entry of a complete message.
func taken(first int32, size int) held { return held{first, int32(size) + 1} }

func newReliableIn(c *ChannelConfig, piece int) reliableIn {
	return reliableIn{
		ordered: c.Kind == ReliableOrdered,
		queue:   uint64(c.Queue),
		// Each message can waste most of a block.
		most: int32((c.QueueBytes+piece-1)/piece + c.Queue),
	}
}

// leastSlots is the initial length of slots.
const leastSlots = 8

// slot returns the entry of a message in the window.
func (in *reliableIn) slot(id uint64) *held {
	if n := uint64(len(in.slots)); id-in.base >= n {
		grown := make([]held, max(1<<mathbits.Len64(id-in.base), leastSlots))
		for i := in.base; i < in.base+n; i++ {
			grown[i%uint64(len(grown))] = in.slots[i%n]
		}
		in.slots = grown
	}
	return &in.slots[id%uint64(len(in.slots))]
}

// has reports whether a message in the window is complete.
func (in *reliableIn) has(id uint64) bool {
	n := uint64(len(in.slots))
	return id-in.base < n && in.slots[id%n].above > 0
}

// receive processes a record and calls deliver for complete messages.
func (in *reliableIn) receive(e *Endpoint, c *channel, r *record, deliver func(int, []byte)) error {
	id := codec.Lift(r.number, in.base)
	switch {
	case id < in.base || in.has(id):
		c.stats.Duplicates++
		return nil
	case id-in.base >= in.queue:
		return ErrWindow
	}
	if r.whole() {
		return in.whole(e, c, id, r.data, deliver)
	}
	a, err := in.arriving(id, r)
	if err != nil {
		return err
	}
	if a == nil {
		return ErrPieces
	}
	fresh := a.missing(r)
	if fresh == 0 {
		c.stats.Duplicates++
		return nil
	}
	if in.used+int32(fresh) > in.most {
		if a.held == 0 {
			in.claimed -= int32(a.count)
			a.used = false
		}
		return ErrPieces
	}
	in.used += int32(a.storeNew(&e.store, r, e.now))
	if a.left > 0 {
		return nil
	}
	in.claimed -= int32(a.count)
	first, size := a.finish(&e.store)
	if in.ordered && id != in.base {
		*in.slot(id) = taken(first, size)
		return nil
	}
	*in.slot(id) = taken(none, 0)
	in.hand(e, c, first, size, deliver)
	in.advance(e, c, deliver)
	return nil
}

// whole receives a message that is not divided into pieces.
func (in *reliableIn) whole(e *Endpoint, c *channel, id uint64, b []byte, deliver func(int, []byte)) error {
	for i := range in.partial {
		if a := &in.partial[i]; a.used && a.id == id {
			return ErrConflict
		}
	}
	if in.ordered && id != in.base {
		n := int32(e.store.blocks(len(b)))
		if in.used+n > in.most {
			return ErrPieces
		}
		in.used += n
		*in.slot(id) = taken(e.store.chain(b), len(b))
		return nil
	}
	*in.slot(id) = taken(none, 0)
	c.deliver(b, deliver)
	in.advance(e, c, deliver)
	return nil
}

// arriving returns the place of a fragmented message. It returns nil if all places are used, or if the fragmented messages
// together exceed the longest queue of a sender.
func (in *reliableIn) arriving(id uint64, r *record) (*arriving, error) {
	var free *arriving
	for i := range in.partial {
		a := &in.partial[i]
		switch {
		case a.used && a.id == id:
			if a.count != r.count {
				return nil, ErrConflict
			}
			return a, nil
		case !a.used && free == nil:
			free = a
		}
	}
	if in.claimed+int32(r.count) > in.most || free == nil && len(in.partial) == maxPartial {
		return nil, nil
	}
	if free == nil {
		in.partial = append(in.partial, arriving{})
		free = &in.partial[len(in.partial)-1]
	}
	in.claimed += int32(r.count)
	in.busy = true
	free.reset(id, r.count, 0)
	return free, nil
}

// advance moves the window past complete messages and delivers messages that waited for their turn.
func (in *reliableIn) advance(e *Endpoint, c *channel, deliver func(int, []byte)) {
	first := true
	for in.has(in.base) {
		s := in.slot(in.base)
		chain, size := s.first, int(s.above-1)
		*s = held{}
		in.base++
		if in.ordered && !first {
			in.hand(e, c, chain, size, deliver)
		}
		first = false
	}
}

// hand delivers a stored message and frees its blocks.
func (in *reliableIn) hand(e *Endpoint, c *channel, first int32, size int, deliver func(int, []byte)) {
	c.deliver(e.store.bytes(first, size), deliver)
	in.used -= int32(e.store.blocks(size))
	e.store.dropChain(first)
}

// waiting returns the time of the latest fragment of the incomplete message that has waited longest.
func (in *reliableIn) waiting() (at time.Duration, ok bool) {
	for i := range in.partial {
		if a := &in.partial[i]; a.used && (!ok || a.heard < at) {
			at, ok = a.heard, true
		}
	}
	return at, ok
}

// delivered reports whether a message was passed to the game.
func (in *reliableIn) delivered(id uint64) bool { return id < in.base || !in.ordered && in.has(id) }
