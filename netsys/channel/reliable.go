package channel

import "time"

// maxMessages is the largest number of messages of one channel in a packet. Up to [MaxOvertaken] packets can overtake a
// packet. With 64 messages per packet, the numbers of a late packet stay within the half circle of 16-bit numbers.
const maxMessages = 64

// MaxOvertaken is the largest number of packets that may overtake a packet before it is passed to [Endpoint.Receive].
const MaxOvertaken = 512

// reliableOut is the sending side of a reliable channel. A message and its bytes stay in the queue until this message and
// all before it are acknowledged. A message without copies is in at most one packet in flight. When a packet is lost, its messages
// wait again. A late acknowledgement of a lost packet still counts.
type reliableOut struct {
	queue
	waits   bits      // by number % Queue: part of the message can be sent
	copies  bits      // by number % Queue: the message can be sent again in a packet that is sent anyway; nil: none can
	done    bits      // by number % Queue: the message is acknowledged
	partial []leaving // grows to the largest number at a time
	resent  uint64    // messages and fragments to be sent again
}

func newReliableOut(messages, bytes int) reliableOut {
	return reliableOut{queue: newQueue(messages, bytes), waits: newBits(messages), done: newBits(messages)}
}

func (o *reliableOut) send(b []byte, at time.Duration) error {
	if !o.fits(len(b)) {
		return ErrFull
	}
	i := o.index(o.next)
	o.waits.add(i)
	o.done.remove(i)
	o.push(b, at)
	if o.copies != nil && len(b) <= maxCopied {
		o.copies.add(i)
		o.at(o.next - 1).copies = 1 + controlCopies
	}
	return nil
}

func (o *reliableOut) index(id uint64) int { return int(id % uint64(o.most)) }

// due returns the first message from id on that can be sent: in a packet that is sent anyway, the copies too.
func (o *reliableOut) due(id uint64, anyway bool) (uint64, bool) {
	for id < o.next {
		i := o.index(id)
		w := o.waits[i/64]
		if anyway && o.copies != nil {
			w |= o.copies[i/64]
		}
		if w >>= i % 64; w&1 != 0 {
			return id, true
		} else if w == 0 {
			id += uint64(min(64-i%64, o.most-i))
			continue
		}
		id++
	}
	return 0, false
}

// appendDue adds due messages, oldest first, within the room and the allowance in bytes.
func (o *reliableOut) appendDue(f *filling, number int, allowance int64) {
	from, refs, messages := f.packer.len(), f.flight.tail, 0
	left := func() int64 { return allowance - int64(f.packer.len()-from) }
	full := false // earlier messages use all places for fragmented messages
	for id, ok := o.due(o.base, f.carried); ok; id, ok = o.due(id+1, f.carried) {
		if left() <= 0 {
			f.short = true
			return
		}
		if f.flight.tail-refs >= maxRefs {
			return
		}
		m := o.at(id)
		if m.size > f.packer.sizes.whole() {
			if full {
				continue
			}
			l := o.leaving(id, f.packer.sizes.pieces(m.size))
			if full = l == nil; !full && !o.pieces(f, number, m, l, left()) {
				return
			}
			continue
		}
		x, y := o.span(m.pos, m.size)
		if !f.packer.message(number, f.kind, uint16(id), x, y) {
			return
		}
		i := o.index(id)
		o.waits.remove(i)
		if m.copies--; m.copies == 0 {
			o.copies.remove(i)
		}
		f.flight.add(f.refs, ref{id: id, run: 1, channel: uint8(number)})
		if messages++; messages == maxMessages {
			return
		}
	}
}

// leaving returns the place of a fragmented message, or nil if all places are used.
func (o *reliableOut) leaving(id uint64, count int) *leaving {
	var free *leaving
	for i := range o.partial {
		l := &o.partial[i]
		switch {
		case l.used && l.id == id:
			return l
		case !l.used && free == nil:
			free = l
		}
	}
	if free == nil && len(o.partial) < maxPartial {
		o.partial = append(o.partial, leaving{})
		free = &o.partial[len(o.partial)-1]
	}
	if free != nil {
		free.reset(id, count)
	}
	return free
}

// pieces adds fragments of a message. It returns false when the room or the allowance is exhausted.
func (o *reliableOut) pieces(f *filling, number int, m *waiting, l *leaving, allowance int64) (more bool) {
	size := f.packer.sizes.piece
	refs := f.flight.tail
	for {
		fit := f.packer.fits()
		most := min(fit, int((allowance+int64(size)-1)/int64(size)))
		if most <= 0 || f.flight.tail-refs >= maxRefs {
			f.short = f.short || fit > 0
			return false
		}
		first, n := l.next(most)
		if n == 0 {
			o.waits.remove(o.index(l.id))
			return true
		}
		begin, end := first*size, min((first+n)*size, m.size)
		last := 0
		if first+n == l.count {
			last = m.size - (l.count-1)*size
		}
		x, y := o.span(m.pos+uint64(begin), end-begin)
		f.packer.run(number, uint16(l.id), l.count, first, n, last, x, y)
		for i := first; i < first+n; i++ {
			l.flying.add(i)
		}
		f.flight.add(f.refs, ref{id: l.id, first: int32(first), run: int32(n), channel: uint8(number), pieces: true})
		allowance -= int64(end - begin)
	}
}

// acked marks contents of a packet as acknowledged.
func (o *reliableOut) acked(r ref) {
	if !r.pieces {
		for id := r.id; id < r.id+uint64(r.run); id++ {
			o.finish(id)
		}
		return
	}
	l := o.find(r.id)
	if l == nil {
		return
	}
	for i := int(r.first); i < int(r.first+r.run); i++ {
		if !l.acked.has(i) {
			l.acked.add(i)
			l.left--
		}
	}
	if l.left == 0 {
		l.used = false
		o.finish(r.id)
	}
}

// finish marks a message as acknowledged and removes acknowledged messages from the front of the queue.
func (o *reliableOut) finish(id uint64) {
	if id < o.base {
		return
	}
	i := o.index(id)
	o.done.add(i)
	o.waits.remove(i)
	if o.copies != nil {
		o.copies.remove(i)
	}
	for o.base < o.next && o.done.has(o.index(o.base)) {
		o.pop()
	}
}

// lose queues the contents of a lost packet again.
func (o *reliableOut) lose(r ref) {
	if !r.pieces {
		for id := r.id; id < r.id+uint64(r.run); id++ {
			if i := o.index(id); id >= o.base && !o.done.has(i) {
				o.waits.add(i)
				o.resent++
			}
		}
		return
	}
	l := o.find(r.id)
	if l == nil {
		return
	}
	for i := int(r.first); i < int(r.first+r.run); i++ {
		l.flying.remove(i)
		if !l.acked.has(i) {
			l.low = min(l.low, i)
			o.waits.add(o.index(r.id))
			o.resent++
		}
	}
}

func (o *reliableOut) find(id uint64) *leaving {
	for i := range o.partial {
		if l := &o.partial[i]; l.used && l.id == id {
			return l
		}
	}
	return nil
}

// oldest returns when the game sent the oldest unacknowledged message.
func (o *reliableOut) oldest() (at time.Duration, ok bool) {
	if o.len() == 0 {
		return 0, false
	}
	return o.at(o.base).at, true
}

// unacked calls f with each message that the peer may not have delivered, oldest first. On an ordered channel, an
// acknowledged message may still wait at the peer for an earlier one.
func (o *reliableOut) unacked(ordered bool, f func(id uint64, message []byte)) {
	for id := o.base; id < o.next; id++ {
		if ordered || !o.done.has(o.index(id)) {
			m := o.at(id)
			x, y := o.span(m.pos, m.size)
			f(id, append(append([]byte(nil), x...), y...))
		}
	}
}
