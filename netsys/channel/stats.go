package channel

import "time"

// Stats are the figures of an endpoint. Counts start when it is created.
type Stats struct {
	// RTT is the smoothed time from Fill to the acknowledgement, including the peer's wait for its next packet. Before the
	// first measurement it is Config.RTT.
	RTT time.Duration
	// MinRTT is the smallest round trip of the last 5 to 10 s, or RTT without a measurement.
	MinRTT time.Duration
	// Jitter is the smoothed mean deviation from RTT.
	Jitter time.Duration
	// Timeout is the time after Fill at which a packet without acknowledgement counts as lost.
	Timeout time.Duration
	// Loss is the share, 0 to 1, of sent packets that were lost in the last 5 to 10 s.
	Loss float64

	// Rate is the estimated throughput of the path, in bytes per second.
	Rate int
	// Budget is the number of bytes that the lowest priority may send now. It is negative while higher priorities have
	// overdrawn the budget.
	Budget int

	// PacketsOut and PacketsIn count filled packets and received valid packets.
	PacketsOut, PacketsIn uint64
	// BytesOut and BytesIn are the sizes of these packets.
	BytesOut, BytesIn uint64
	// Acked and Lost count packets that were acknowledged or lost. Spurious counts packets acknowledged after they counted
	// as lost; Lost no longer contains them.
	Acked, Lost, Spurious uint64
	// Malformed counts packets for which Receive returned an error.
	Malformed uint64

	// Delivered, Resent and Duplicates are sums over the channels: see [ChannelStats].
	Delivered, Resent, Duplicates uint64

	// QueuedBytes is the size of all messages that wait to be sent or acknowledged.
	QueuedBytes int
	// HeldBytes is the memory of received messages that are incomplete or wait for their turn.
	HeldBytes int
	// Stalled is how long ago the oldest unacknowledged reliable message was sent; 0 without one. A slow peer shows here
	// first.
	Stalled time.Duration
	// Waiting is the time since the latest fragment of the reliable message that has waited longest for a fragment; 0
	// without one.
	Waiting time.Duration
}

// ChannelStats are the figures of one channel. Counts start when the endpoint is created.
type ChannelStats struct {
	// Queued is the number of waiting messages, on a reliable channel including unacknowledged ones.
	Queued int
	// QueuedBytes is the size of these messages.
	QueuedBytes int

	// Sent counts messages that Send accepted. Refused counts messages for which Send returned an error.
	Sent, Refused uint64
	// Dropped counts unreliable messages that were replaced or became too old before their first byte was sent.
	Dropped uint64
	// Resent counts whole messages and fragments in lost packets.
	Resent uint64

	// Delivered counts messages passed to deliver.
	Delivered uint64
	// Duplicates counts records without new contents.
	Duplicates uint64
	// Stale counts sequenced messages that arrived after a newer one.
	Stale uint64
	// Abandoned counts unreliable messages whose missing fragments did not arrive in time.
	Abandoned uint64
	// Hostile counts records that a correct peer never sends: see [ErrWindow], [ErrPieces], [ErrConflict].
	Hostile uint64
}

// Stats returns the figures as of the latest call that passed a time.
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

// Channel returns the figures of a channel. It panics if the channel does not exist.
func (e *Endpoint) Channel(number int) ChannelStats {
	c := e.channel(number)
	s := c.stats
	if c.sure != nil {
		s.Resent = c.sure.out.resent
		s.Queued, s.QueuedBytes = c.sure.out.len(), c.sure.out.bytes()
	} else {
		s.Queued, s.QueuedBytes = c.loose.out.len(), c.loose.out.bytes()
	}
	return s
}

// Available returns the largest size of a message on a channel that would leave with the next packet of room bytes, as the
// first message in it. It returns 0 if the budget holds the channel back. A snapshot should fit into this size.
func (e *Endpoint) Available(now time.Time, number, room int) int {
	e.advance(now)
	e.budget.refill(e.now)
	if e.budget.allowance(e.channel(number).level) <= 0 {
		return 0
	}
	return max(min(room, e.sizes.packet)-wholeOverhead, 0)
}

// Allowance returns how many bytes of the session's own datagrams may be sent now: the budget plus one reserve that bulk
// data leaves unused; at least 0. A snapshot should fit into this size.
func (e *Endpoint) Allowance(now time.Time) int {
	e.advance(now)
	e.budget.refill(e.now)
	return int(max(e.budget.tokens+e.budget.reserve(), 0))
}
