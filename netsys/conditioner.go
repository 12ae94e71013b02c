package netsys

import (
	"errors"
	"fmt"
	"net/netip"
	"time"
)

// maxFlows bounds the peers that a conditioner tells apart; when one more appears, all start anew.
const maxFlows = 4096

// ConditionerConfig configures [Condition]. The zero value conditions nothing.
type ConditionerConfig struct {
	// Seed makes the conditions reproducible: the same seed and the same traffic give the same fates.
	// 0 is a seed like any other.
	Seed uint64

	// In conditions what arrives, Out what is sent, for every peer on its own. Zero values are perfect links.
	In, Out Link

	// Queue bounds how many datagrams each direction holds back. 0 means 16,384 (24 MB when full).
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

// LinkStats counts what one direction of a [Conditioner] did.
type LinkStats struct {
	// Delivered is the datagrams passed on, copies included.
	Delivered uint64
	// Lost is the datagrams taken out by Loss.
	Lost uint64
	// Overflowed is the datagrams that found the queue of [Link.Bandwidth] full.
	Overflowed uint64
	// Duplicated is the copies added by Duplicate.
	Duplicated uint64
	// Full is the datagrams lost because the conditioner held as many as it may.
	Full uint64
	// Failed is the datagrams that the wire below refused when their time had come.
	Failed uint64
}

// Conditioner is a [Wire] that makes another wire as bad as a network can be, reproducibly. The traffic with
// each peer address is a link of its own with a bandwidth and random numbers of its own, which depend on the
// seed, the direction and the address: what one peer does never changes another peer's fate.
//
// Arrivals are delivered by the first Poll at or after the time they are due, in the order of these times,
// and carry them as [Datagram.At]. What is sent goes to the wire below in the first Poll, Send or Flush at or
// after it is due, with the due time as the time of sending: on a [Network] the arrival is then exact
// however seldom the conditioner is driven. [Conditioner.NextDue] tells a driver when to come back.
type Conditioner struct {
	wire       Wire
	seed       uint64
	in, out    way
	collect    func(Datagram)
	generation uint64
	closed     bool
}

// way is one direction: its link, the datagrams held back, and the flows by peer.
type way struct {
	link      Link
	held      delayQueue
	flows     map[netip.AddrPort]*linkFlow
	direction uint8
	stats     LinkStats
}

var _ Wire = (*Conditioner)(nil)

// Condition wraps a wire, which from then on belongs to the conditioner and is closed with it. The error is
// that of [ConditionerConfig.Validate].
func Condition(w Wire, cfg ConditionerConfig) (*Conditioner, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	limit := cfg.Queue
	if limit == 0 {
		limit = 1 << 14
	}
	c := &Conditioner{wire: w, seed: cfg.Seed}
	c.in = way{link: cfg.In, held: newDelayQueue(limit, MaxDatagram+1), flows: make(map[netip.AddrPort]*linkFlow), direction: 0}
	c.out = way{link: cfg.Out, held: newDelayQueue(limit, MaxDatagram+1), flows: make(map[netip.AddrPort]*linkFlow), direction: 1}
	c.collect = func(d Datagram) { c.judge(&c.in, d.At, d.From, d.Data) }
	return c, nil
}

// SetLinks replaces both links for what enters from now on; what is held back keeps its time. The error is
// that of [Link.Validate], and then nothing is changed.
func (c *Conditioner) SetLinks(in, out Link) error {
	if err := errors.Join(in.Validate(), out.Validate()); err != nil {
		return err
	}
	c.in.link, c.out.link = in, out
	return nil
}

// Links returns the links in force.
func (c *Conditioner) Links() (in, out Link) { return c.in.link, c.out.link }

// Poll implements [Wire].
func (c *Conditioner) Poll(now time.Time, deliver func(Datagram)) {
	if c.closed {
		return
	}
	c.releaseDue(now)
	c.wire.Poll(now, c.collect)
	for c.in.held.ready(now) {
		p := c.in.held.pop()
		c.in.stats.Delivered++
		deliver(Datagram{From: p.addr, At: p.due, Data: p.data})
		c.in.held.recycle(p)
	}
}

// Send implements [Wire]. That a datagram gets lost on the link is no error; [ErrFull] means that the
// conditioner holds back as many as it may.
func (c *Conditioner) Send(now time.Time, to netip.AddrPort, b []byte) error {
	if c.closed {
		return ErrClosed
	}
	if len(b) > MaxDatagram {
		return ErrTooLarge
	}
	ok := c.judge(&c.out, now, unmap(to), b)
	c.releaseDue(now)
	if !ok {
		return ErrFull
	}
	return nil
}

// Flush hands what is due at or before now to the wire below, as Poll and Send do too, and flushes that wire
// when it is a [Flusher].
func (c *Conditioner) Flush(now time.Time) {
	c.releaseDue(now)
	flush(c.wire, now)
}

func (c *Conditioner) releaseDue(now time.Time) {
	for c.out.held.ready(now) {
		c.release()
	}
}

// NextDue is the earliest time at which something held back can go on, in either direction or in the wire
// below; false when nothing is held back.
func (c *Conditioner) NextDue() (time.Time, bool) {
	due, ok := c.in.held.next()
	if t, has := c.out.held.next(); has && (!ok || t.Before(due)) {
		due, ok = t, true
	}
	if below, is := c.wire.(scheduled); is {
		if t, has := below.NextDue(); has && (!ok || t.Before(due)) {
			due, ok = t, true
		}
	}
	return due, ok
}

// Stats counts what happened so far to arrivals (in) and to what was sent (out).
func (c *Conditioner) Stats() (in, out LinkStats) { return c.in.stats, c.out.stats }

// LocalAddr implements [Wire].
func (c *Conditioner) LocalAddr() netip.AddrPort { return c.wire.LocalAddr() }

// virtual reports whether the wire below is one of a [Network].
func (c *Conditioner) virtual() bool { return isVirtual(c.wire) }

// Close implements [Wire]. What was sent before is on its way: it is handed to the wire below with the time
// that it is due, which a [Network] keeps and a real socket cannot.
func (c *Conditioner) Close() error {
	if c.closed {
		return nil
	}
	c.closed = true
	for c.out.held.len() > 0 {
		c.release()
	}
	c.in.held = delayQueue{}
	return c.wire.Close()
}

// release passes the earliest datagram on.
func (c *Conditioner) release() {
	p := c.out.held.pop()
	if err := c.wire.Send(p.due, p.addr, p.data); err != nil {
		c.out.stats.Failed++
	} else {
		c.out.stats.Delivered++
	}
	c.out.held.recycle(p)
}

// judge decides what becomes of a datagram that enters a way, and reports whether there was room for it.
func (c *Conditioner) judge(l *way, at time.Time, peer netip.AddrPort, b []byte) bool {
	f := l.flows[peer]
	if f == nil {
		if len(l.flows) >= maxFlows {
			clear(l.flows)
			c.generation++
		}
		f = newLinkFlow(c.seed, l.direction, c.generation, peer)
		l.flows[peer] = f
	}
	fate := f.next(&l.link, at)
	passing, ok := f.pass(&l.link, at, len(b))
	if !ok {
		l.stats.Overflowed++
		return true
	}
	at = at.Add(passing)
	if fate.lost {
		l.stats.Lost++
		return true
	}
	if !l.held.push(at.Add(fate.delay), peer, b) {
		l.stats.Full++
		return false
	}
	if fate.twice {
		if l.held.push(at.Add(fate.delayCopy), peer, b) {
			l.stats.Duplicated++
		} else {
			l.stats.Full++
		}
	}
	return true
}
