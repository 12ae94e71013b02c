package channel

import (
	"time"

	"github.com/tactusgo/tactus/codec"
)

// reliableIn is the receiving side of a reliable channel. The sender has at most Queue messages and QueueBytes
// bytes that are not acknowledged, and the receiver's first missing message is one of them: so much is the most
// that can wait here, and what goes beyond is refused.
type reliableIn struct {
	ordered bool
	base    uint64 // all before this one were delivered
	slots   []held // by number % Queue
	partial [maxPartial]arriving
	used    int32 // blocks held
	claimed int32 // pieces, come or not, of the messages in partial
	most    int32 // of either
}

// held is a message of the window that was taken whole.
type held struct {
	taken bool
	first int32 // its bytes, when it waits for those before it
	size  int
}

func newReliableIn(c *ChannelConfig, piece int) reliableIn {
	return reliableIn{
		ordered: c.Kind == ReliableOrdered,
		slots:   make([]held, c.Queue),
		// Each message can waste most of a block.
		most: int32((c.QueueBytes+piece-1)/piece + c.Queue),
	}
}

func (in *reliableIn) slot(id uint64) *held { return &in.slots[id%uint64(len(in.slots))] }

// receive takes a record, and hands deliver what can be delivered.
func (in *reliableIn) receive(e *Endpoint, c *channel, r *record, deliver func(int, []byte)) error {
	id := codec.Lift(r.number, in.base)
	switch {
	case id < in.base || id < in.base+uint64(len(in.slots)) && in.slot(id).taken:
		c.stats.Duplicates++
		return nil
	case id-in.base >= uint64(len(in.slots)):
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
		*in.slot(id) = held{taken: true, first: first, size: size}
		return nil
	}
	in.slot(id).taken = true
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
	s := in.slot(id)
	if in.ordered && id != in.base {
		n := int32(e.store.blocks(len(b)))
		if in.used+n > in.most {
			return ErrPieces
		}
		in.used += n
		*s = held{taken: true, first: e.store.chain(b), size: len(b)}
		return nil
	}
	*s = held{taken: true, first: none}
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
	if free == nil || in.claimed+int32(r.count) > in.most {
		return nil, nil
	}
	in.claimed += int32(r.count)
	free.begin(id, r.count, 0)
	return free, nil
}

// advance moves the window over what was taken, and delivers what waited for its turn.
func (in *reliableIn) advance(e *Endpoint, c *channel, deliver func(int, []byte)) {
	first := true
	for s := in.slot(in.base); s.taken; s = in.slot(in.base) {
		chain, size := s.first, s.size
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
