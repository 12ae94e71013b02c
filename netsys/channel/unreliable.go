package channel

import (
	"time"

	"github.com/tactusgo/tactus/codec"
)

// unreliableOut is the sending side of an unreliable channel. It drops messages that wait too long. On a sequenced channel,
// a new message replaces an unsent one.
type unreliableOut struct {
	queue
	sequenced bool
	maxAge    time.Duration
	piece     int    // next fragment of the first message; 0 if none was sent
	number    uint16 // number of the first message; an Unreliable channel numbers only fragmented messages
}

func newUnreliableOut(c *ChannelConfig) unreliableOut {
	o := unreliableOut{queue: newQueue(c.Queue, c.QueueBytes), sequenced: c.Kind == UnreliableSequenced, maxAge: c.MaxAge}
	if o.sequenced {
		o.queue = newQueue(2, max(c.QueueBytes, 2*c.MaxMessage))
	}
	return o
}

// send queues a message. It drops older messages if necessary and returns their number.
func (o *unreliableOut) send(b []byte, at time.Duration) (dropped int, err error) {
	begun := 0
	if o.piece > 0 {
		begun = 1
	}
	for o.sequenced && o.len() > begun {
		o.cut()
		dropped++
	}
	for begun == 0 && o.len() > 0 && !o.fits(len(b)) {
		o.pop()
		dropped++
	}
	if !o.fits(len(b)) {
		return dropped, ErrFull
	}
	o.push(b, at)
	return dropped, nil
}

// expire drops messages that waited too long and returns their number.
func (o *unreliableOut) expire(now time.Duration) (dropped int) {
	for o.maxAge > 0 && o.piece == 0 && o.len() > 0 && now-o.at(o.base).at > o.maxAge {
		o.pop()
		dropped++
	}
	return dropped
}

// appendWaiting adds waiting messages, oldest first, within the room and the allowance in bytes.
func (o *unreliableOut) appendWaiting(f *filling, number int, allowance int64) {
	from, messages := f.packer.len(), 0
	for o.len() > 0 && messages < maxMessages {
		left := allowance - int64(f.packer.len()-from)
		if left <= 0 {
			f.short = true
			return
		}
		m := o.at(o.base)
		if m.size > f.packer.sizes.whole() {
			if !o.pieces(f, number, m, left) {
				return
			}
		} else {
			x, y := o.span(m.pos, m.size)
			if !f.packer.message(number, f.kind, o.number, x, y) {
				return
			}
			if f.kind.numbered() {
				o.number++
			}
			o.pop()
		}
		messages++
	}
}

// pieces adds fragments of the first message. It returns true after the last fragment.
func (o *unreliableOut) pieces(f *filling, number int, m *waiting, allowance int64) (whole bool) {
	size := f.packer.sizes.piece
	count := f.packer.sizes.pieces(m.size)
	fit := f.packer.fits()
	n := min(fit, count-o.piece, int((allowance+int64(size)-1)/int64(size)))
	if n <= 0 {
		return false
	}
	begin, end := o.piece*size, min((o.piece+n)*size, m.size)
	last := 0
	if o.piece+n == count {
		last = m.size - (count-1)*size
	}
	x, y := o.span(m.pos+uint64(begin), end-begin)
	f.packer.run(number, o.number, count, o.piece, n, last, x, y)
	o.piece += n
	if o.piece < count {
		f.short = f.short || n < fit
		return false
	}
	o.number++
	o.piece = 0
	o.pop()
	return true
}

// unreliableIn is the receiving side of an unreliable channel. Incomplete messages wait for a limited time and make room
// for newer ones.
type unreliableIn struct {
	sequenced bool
	next      uint64     // sequenced: every earlier message is too old
	partial   []arriving // grows to the largest number at a time
	waiting   int        // used entries of partial
	busy      bool       // partial was used since the last tidy
	serial    uint64
	used      int32 // used blocks
	most      int32
}

func newUnreliableIn(c *ChannelConfig, piece int) unreliableIn {
	return unreliableIn{
		sequenced: c.Kind == UnreliableSequenced,
		next:      1 << 32, // far from zero, so that numbers cannot become negative
		most:      int32(2 * ((c.MaxMessage + piece - 1) / piece)),
	}
}

// receive processes a record and calls deliver for a complete message.
func (in *unreliableIn) receive(e *Endpoint, c *channel, r *record, deliver func(int, []byte)) error {
	id := uint64(r.number)
	if in.sequenced {
		id = codec.Lift(r.number, in.next)
		if id < in.next {
			c.stats.Stale++
			return nil
		}
	}
	if r.whole() {
		in.passed(e, c, id)
		c.deliver(r.data, deliver)
		return nil
	}
	a, err := in.arriving(e, c, id, r)
	if err != nil {
		return err
	}
	for in.used+int32(a.missing(r)) > in.most {
		in.drop(e, c, in.eldest(a))
	}
	fresh := a.storeNew(&e.store, r, e.now)
	in.used += int32(fresh)
	if fresh == 0 {
		c.stats.Duplicates++
	}
	if a.left > 0 {
		return nil
	}
	held := a.held
	first, size := a.finish(&e.store)
	in.waiting--
	in.passed(e, c, id)
	c.deliver(e.store.bytes(first, size), deliver)
	in.used -= held
	e.store.dropChain(first)
	return nil
}

// arriving returns the place of a fragmented message. If all places are used, it replaces the message that began first.
func (in *unreliableIn) arriving(e *Endpoint, c *channel, id uint64, r *record) (*arriving, error) {
	var free *arriving
	for i := range in.partial {
		a := &in.partial[i]
		switch {
		case a.used && a.id == id:
			if a.count != r.count {
				return nil, ErrConflict
			}
			return a, nil
		case !a.used:
			free = a
		}
	}
	switch {
	case free != nil:
	case len(in.partial) < maxPartial:
		in.partial = append(in.partial, arriving{})
		free = &in.partial[len(in.partial)-1]
	default:
		free = in.eldest(nil)
		in.drop(e, c, free)
	}
	in.serial++
	in.waiting++
	in.busy = true
	free.reset(id, r.count, in.serial)
	return free, nil
}

// eldest returns the incomplete message, other than not, that began first. The caller knows that one exists.
func (in *unreliableIn) eldest(not *arriving) (eldest *arriving) {
	for i := range in.partial {
		if a := &in.partial[i]; a.used && a != not && (eldest == nil || a.since < eldest.since) {
			eldest = a
		}
	}
	return eldest
}

func (in *unreliableIn) drop(e *Endpoint, c *channel, a *arriving) {
	a.abandon(&e.store)
	in.used -= a.held
	in.waiting--
	c.stats.Abandoned++
}

// passed records a delivered message of a sequenced channel. Earlier messages are too old from now on.
func (in *unreliableIn) passed(e *Endpoint, c *channel, id uint64) {
	if !in.sequenced {
		return
	}
	in.next = id + 1
	for i := range in.partial {
		if a := &in.partial[i]; in.waiting > 0 && a.used && a.id <= id {
			in.drop(e, c, a)
		}
	}
}

// expire drops incomplete messages without a new fragment within limit.
func (in *unreliableIn) expire(e *Endpoint, c *channel, limit time.Duration) {
	for i := range in.partial {
		if a := &in.partial[i]; in.waiting > 0 && a.used && e.now-a.heard > limit {
			in.drop(e, c, a)
		}
	}
}
