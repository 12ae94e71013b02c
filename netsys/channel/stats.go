package channel

import "time"

// Stats are the figures of an endpoint. Counts are since it was made.
type Stats struct {
	// RTT is the smoothed time from filling a packet to its acknowledgement, the peer's wait for its next
	// packet included; before the first measurement Config.RTT.
	RTT time.Duration
	// MinRTT is the least of the last 5 to 10 s; RTT when there was none.
	MinRTT time.Duration
	// Jitter is the smoothed mean deviation from RTT.
	Jitter time.Duration
	// Timeout is how long after it was filled a packet counts as lost.
	Timeout time.Duration
	// Loss is the share, 0 to 1, of the packets of the last 5 to 10 s that were lost on the way out.
	Loss float64

	// Rate is the estimate of what the path takes, in bytes a second.
	Rate int
	// Budget is how many bytes the lowest priority may send now; below 0 while it pays for what higher ones
	// sent beyond the rate.
	Budget int

	// PacketsOut and PacketsIn count filled packets, and received ones that were in order.
	PacketsOut, PacketsIn uint64
	// BytesOut and BytesIn are their bytes.
	BytesOut, BytesIn uint64
	// Acked and Lost count packets whose fate is known. Spurious counts those that were acknowledged after
	// they counted as lost, which are no longer among Lost.
	Acked, Lost, Spurious uint64
	// Malformed counts packets for which Receive returned an error.
	Malformed uint64

	// Delivered, Resent and Duplicates are the sums of those of the channels: see [ChannelStats].
	Delivered, Resent, Duplicates uint64

	// QueuedBytes are the bytes of all messages that wait, or wait for their acknowledgement.
	QueuedBytes int
	// HeldBytes is the memory of received messages that are not complete or wait for their turn.
	HeldBytes int
	// Stalled is how long ago the oldest reliable message was sent that is not acknowledged: 0 when there is
	// none. A peer that reads slowly, or not at all, shows here first.
	Stalled time.Duration
	// Waiting is how long no piece came of the reliable message that waits longest for its next one; 0 when
	// none does.
	Waiting time.Duration
}

// ChannelStats are the figures of one channel. Counts are since the endpoint was made.
type ChannelStats struct {
	// Queued is how many messages wait, on a reliable channel for their acknowledgement.
	Queued int
	// QueuedBytes are their bytes.
	QueuedBytes int

	// Sent counts messages that Send took, and Refused those for which it returned an error.
	Sent, Refused uint64
	// Dropped counts unreliable messages that were replaced or became stale before any of them was sent.
	Dropped uint64
	// Resent counts whole messages and pieces that were in a packet that was lost.
	Resent uint64

	// Delivered counts messages given to deliver.
	Delivered uint64
	// Duplicates counts records that brought nothing new.
	Duplicates uint64
	// Stale counts sequenced messages that came behind a newer one.
	Stale uint64
	// Abandoned counts unreliable messages whose missing pieces did not come in time.
	Abandoned uint64
	// Hostile counts records that no honest peer sends: see [ErrWindow], [ErrPieces], [ErrConflict].
	Hostile uint64
}

// Stats returns the figures as of the latest call with a time.
func (e *Endpoint) Stats() Stats {
	s := e.stats
	s.RTT, s.MinRTT, s.Jitter = e.estimate.smoothed, e.estimate.min(), e.estimate.variance
	s.Timeout, s.Loss = e.estimate.timeout()<<e.estimate.backoff, e.estimate.loss()
	s.Rate, s.Budget = int(e.budget.rate), int(e.budget.tokens)
	s.Acked, s.HeldBytes = e.acked, e.store.used*e.store.size
	for i := range e.channels {
		c := &e.channels[i]
		s.Delivered += c.stats.Delivered
		s.Duplicates += c.stats.Duplicates
		if c.sure == nil {
			s.QueuedBytes += c.loose.out.bytes()
			continue
		}
		s.QueuedBytes += c.sure.out.bytes()
		s.Resent += c.sure.out.resent
		if at, ok := c.sure.out.oldest(); ok {
			s.Stalled = max(s.Stalled, e.now-at)
		}
		if at, ok := c.sure.in.waiting(); ok {
			s.Waiting = max(s.Waiting, e.now-at)
		}
	}
	return s
}

// Channel returns the figures of a channel. It panics when there is no channel of that number.
func (e *Endpoint) Channel(number int) ChannelStats {
	c := &e.channels[number]
	s := c.stats
	if c.sure != nil {
		s.Resent = c.sure.out.resent
		s.Queued, s.QueuedBytes = c.sure.out.len(), c.sure.out.bytes()
	} else {
		s.Queued, s.QueuedBytes = c.loose.out.len(), c.loose.out.bytes()
	}
	return s
}

// Available returns how many bytes a message on a channel can have to leave with the next packet of room bytes,
// if it is the first in it: 0 when the budget holds it back. It is what a snapshot should fit into.
func (e *Endpoint) Available(now time.Time, number, room int) int {
	e.advance(now)
	e.budget.refill(e.now)
	if e.budget.allowance(e.channels[number].level) <= 0 {
		return 0
	}
	return max(min(room, e.sizes.packet)-wholeOverhead, 0)
}

// Allowance returns how many bytes of a session's own datagrams may go now: what the budget holds and one reserve
// more, which bulk leaves to them; 0 or more. A snapshot should fit into it.
func (e *Endpoint) Allowance(now time.Time) int {
	e.advance(now)
	e.budget.refill(e.now)
	return int(max(e.budget.tokens+e.budget.reserve(), 0))
}
