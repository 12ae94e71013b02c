package channel

import (
	mathbits "math/bits"
	"time"

	"github.com/tactusgo/tactus/codec"
)

// reliableIn is the receiving side of a reliable channel. The sender has at most Queue messages and QueueBytes
// bytes that are not acknowledged, and the receiver's first missing message is one of them: so much is the most
// that can wait here, and what goes beyond is refused.
type reliableIn struct {
	ordered bool
	base    uint64     // all before this one were delivered
	queue   uint64     // how many from it on may be taken
	slots   []held     // of these, by number: as many as were ahead
	partial []arriving // as many as there were at a time
	busy    bool       // one was, since it was tidied
	used    int32      // blocks held
	claimed int32      // pieces, come or not, of the messages in partial
	most    int32      // of either
}

// held is a message of the window that was taken whole; the zero value is one that was not.
type held struct {
	first int32 // its bytes, when it waits for those before it
	above int32 // one more than its size
}

// taken is a message of so many bytes that was taken whole.
func taken(first int32, size int) held { return held{first, int32(size) + 1} }

func newReliableIn(c *ChannelConfig, piece int) reliableIn {
	return reliableIn{
		ordered: c.Kind == ReliableOrdered,
		queue:   uint64(c.Queue),
		// Each message can waste most of a block.
		most: int32((c.QueueBytes+piece-1)/piece + c.Queue),
	}
}

// leastSlots is how many slots there are to begin with.
const leastSlots = 8

// slot is the place of a message of the window.
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

// has reports whether a message of the window was taken whole.
func (in *reliableIn) has(id uint64) bool {
	n := uint64(len(in.slots))
	return id-in.base < n && in.slots[id%n].above > 0
}

// receive takes a record, and hands deliver what can be delivered.
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
	in.used += int32(a.put(&e.store, r, e.now))
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

// whole takes a whole message.
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

// arriving returns the place of a message in pieces; nil when others take all places, or are longer together
// than what a sender can have in its queue.
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
	free.begin(id, r.count, 0)
	return free, nil
}

// advance moves the window over what was taken, and delivers what waited for its turn.
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

// waiting is when the last piece of the message came that waits for pieces longest.
func (in *reliableIn) waiting() (at time.Duration, ok bool) {
	for i := range in.partial {
		if a := &in.partial[i]; a.used && (!ok || a.heard < at) {
			at, ok = a.heard, true
		}
	}
	return at, ok
}

// delivered reports whether a message was handed to the game.
func (in *reliableIn) delivered(id uint64) bool { return id < in.base || !in.ordered && in.has(id) }
