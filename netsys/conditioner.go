package netsys

import (
	"errors"
	"fmt"
	"net/netip"
	"time"
)

// maxFlows bounds the number of peers with their own flow. When one more appears, the flows of all peers start again.
const maxFlows = 4096

// ConditionerConfig configures [Condition]. The zero value changes nothing.
type ConditionerConfig struct {
	// Seed determines all random numbers: the same seed and traffic have the same result. 0 is a valid seed.
	Seed uint64

	// In is the link for arriving datagrams, Out for sent ones. Each peer has its own links. Zero values are perfect links.
	In, Out Link

	// Queue bounds the delayed datagrams in each direction. 0 means 16,384 (24 MB when full).
	Queue int
}

// Validate returns an error for a bad link or a negative Queue.
func (c ConditionerConfig) Validate() error {
	var errs []error
	if err := c.In.Validate(); err != nil {
		errs = append(errs, fmt.Errorf("netsys: ConditionerConfig.In: %w", err))
	}
	if err := c.Out.Validate(); err != nil {
		errs = append(errs, fmt.Errorf("netsys: ConditionerConfig.Out: %w", err))
	}
	if c.Queue < 0 {
		errs = append(errs, fmt.Errorf("netsys: ConditionerConfig.Queue %d is negative", c.Queue))
	}
	return errors.Join(errs...)
}

// LinkStats counts the datagrams of one direction of a [Conditioner].
type LinkStats struct {
	// Delivered counts datagrams passed on, including copies.
	Delivered uint64
	// Lost counts datagrams lost by [Link.Loss].
	Lost uint64
	// Overflowed counts datagrams lost because [Link.Queue] was full.
	Overflowed uint64
	// Duplicated counts copies made by [Link.Duplicate].
	Duplicated uint64
	// Full counts datagrams lost because of [ConditionerConfig.Queue].
	Full uint64
	// Failed counts datagrams for which the wrapped wire returned an error when they were due.
	Failed uint64
}

// Conditioner is a [Wire] that wraps another wire and simulates a bad network reproducibly. Each peer address has its own link
// with its own bandwidth and random numbers, which depend on the seed, the direction and the address. The traffic of one peer
// therefore does not affect another.
//
// The first Poll at or after the due time of a datagram delivers it, with that time as [Datagram.At]. Sent datagrams go to the
// wrapped wire in the first Poll, Send or Flush at or after they are due, with the due time as the time of sending. On a [Network]
// the time of arrival is therefore exact, however rarely the conditioner is called. [Conditioner.NextDue] returns when to call it
// next.
type Conditioner struct {
	wire       Wire
	seed       uint64
	in, out    delayLine
	collect    func(Datagram)
	generation uint64
	closed     bool
}

// delayLine is one direction: its link, the delayed datagrams, and the flows by peer.
type delayLine struct {
	link      Link
	delayed   delayQueue
	flows     map[netip.AddrPort]*linkFlow
	direction uint8
	stats     LinkStats
}

var _ Wire = (*Conditioner)(nil)

// Condition wraps a wire. The wire then belongs to the conditioner, which closes it. The error is that of
// [ConditionerConfig.Validate].
func Condition(w Wire, cfg ConditionerConfig) (*Conditioner, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	limit := cfg.Queue
	if limit == 0 {
		limit = 1 << 14
	}
	c := &Conditioner{wire: w, seed: cfg.Seed}
	c.in = delayLine{link: cfg.In, delayed: newDelayQueue(limit, MaxDatagram+1), flows: make(map[netip.AddrPort]*linkFlow), direction: 0}
	c.out = delayLine{link: cfg.Out, delayed: newDelayQueue(limit, MaxDatagram+1), flows: make(map[netip.AddrPort]*linkFlow), direction: 1}
	c.collect = func(d Datagram) { c.enter(&c.in, d.At, d.From, d.Data) }
	return c, nil
}

// Err implements [Failing] for the wrapped wire.
func (c *Conditioner) Err() error { return WireError(c.wire) }

// SetLinks replaces both links. Datagrams that are already delayed keep their due time. If [Link.Validate] returns an error,
// SetLinks returns it and changes nothing.
func (c *Conditioner) SetLinks(in, out Link) error {
	if err := errors.Join(in.Validate(), out.Validate()); err != nil {
		return err
	}
	c.in.link, c.out.link = in, out
	return nil
}

// Links returns the current links.
func (c *Conditioner) Links() (in, out Link) { return c.in.link, c.out.link }

// Poll implements [Wire].
func (c *Conditioner) Poll(now time.Time, deliver func(Datagram)) {
	if c.closed {
		return
	}
	c.releaseDue(now)
	c.wire.Poll(now, c.collect)
	for c.in.delayed.ready(now) {
		p := c.in.delayed.pop()
		c.in.stats.Delivered++
		deliver(Datagram{From: p.addr, At: p.due, Data: p.data})
		c.in.delayed.recycle(p)
	}
}

// Send implements [Wire]. Loss on the link is not an error. [ErrFull] means that [ConditionerConfig.Queue] datagrams are delayed.
func (c *Conditioner) Send(now time.Time, to netip.AddrPort, b []byte) error {
	if c.closed {
		return ErrClosed
	}
	if len(b) > MaxDatagram {
		return ErrTooLarge
	}
	ok := c.enter(&c.out, now, unmap(to), b)
	c.releaseDue(now)
	if !ok {
		return ErrFull
	}
	return nil
}

// Flush sends the datagrams due at or before now to the wrapped wire, as Poll and Send do too. It flushes that wire if it is a
// [Flusher].
func (c *Conditioner) Flush(now time.Time) {
	c.releaseDue(now)
	flush(c.wire, now)
}

func (c *Conditioner) releaseDue(now time.Time) {
	for c.out.delayed.ready(now) {
		c.release()
	}
}

// NextDue returns the earliest due time of a delayed datagram, in either direction or in the wrapped wire. It returns false if no
// datagram is delayed.
func (c *Conditioner) NextDue() (time.Time, bool) {
	due, ok := c.in.delayed.next()
	if t, has := c.out.delayed.next(); has && (!ok || t.Before(due)) {
		due, ok = t, true
	}
	if below, is := c.wire.(scheduled); is {
		if t, has := below.NextDue(); has && (!ok || t.Before(due)) {
			due, ok = t, true
		}
	}
	return due, ok
}

// Stats returns the counts of arriving (in) and sent (out) datagrams.
func (c *Conditioner) Stats() (in, out LinkStats) { return c.in.stats, c.out.stats }

// LocalAddr implements [Wire].
func (c *Conditioner) LocalAddr() netip.AddrPort { return c.wire.LocalAddr() }

// virtual reports whether the wrapped wire belongs to a [Network].
func (c *Conditioner) virtual() bool { return isVirtual(c.wire) }

// Close implements [Wire]. It sends the delayed datagrams to the wrapped wire, each with its due time. A [Network] respects that
// time; a real socket sends immediately.
func (c *Conditioner) Close() error {
	if c.closed {
		return nil
	}
	c.closed = true
	for c.out.delayed.len() > 0 {
		c.release()
	}
	c.in.delayed = delayQueue{}
	return c.wire.Close()
}

// release sends the earliest delayed datagram to the wrapped wire.
func (c *Conditioner) release() {
	p := c.out.delayed.pop()
	if err := c.wire.Send(p.due, p.addr, p.data); err != nil {
		c.out.stats.Failed++
	} else {
		c.out.stats.Delivered++
	}
	c.out.delayed.recycle(p)
}

// enter decides the fate of a datagram that enters a direction. It reports false if the queue is full.
func (c *Conditioner) enter(l *delayLine, at time.Time, peer netip.AddrPort, b []byte) bool {
	f := l.flows[peer]
	if f == nil {
		if len(l.flows) >= maxFlows {
			clear(l.flows)
			c.generation++
		}
		f = newLinkFlow(c.seed, l.direction, c.generation, peer)
		l.flows[peer] = f
	}
	fate := f.next(&l.link, at, len(b))
	passing, ok := f.passBottleneck(&l.link, at, len(b))
	if !ok {
		l.stats.Overflowed++
		return true
	}
	at = at.Add(passing)
	if fate.lost {
		l.stats.Lost++
		return true
	}
	if !l.delayed.push(at.Add(fate.delay), peer, b) {
		l.stats.Full++
		return false
	}
	if fate.twice {
		if l.delayed.push(at.Add(fate.delayCopy), peer, b) {
			l.stats.Duplicated++
		} else {
			l.stats.Full++
		}
	}
	return true
}
