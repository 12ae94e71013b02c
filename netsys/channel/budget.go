package channel

import "time"

// The send budget is a token bucket: one token per byte, refilled at the estimated rate of the path. The estimate is
// adjusted once per interval. An interval lasts at least one round trip, and long enough for a meaningful share of losses.
//
//   - More than 10 % of the packets were lost: the rate falls, otherwise it rises. This limit is that of the loss-based
//     controller in draft-ietf-rmcat-gcc-02, section 6. Radio loses single packets, which is no reason to slow down. The
//     draft keeps the rate between 2 % and 10 % loss; here the rate rises, because a full path shows in delays first, and on
//     a path with 5 % loss the rate would rarely recover otherwise.
//   - A full path loses only what exceeds its capacity, a bad radio link loses a share of everything. Losses do not lower
//     the rate if the path carried as much as the session sends within the last 5 to 10 s: they came in bursts. Otherwise
//     the rate falls by half of the share; or for an interval to what arrived, if messages waited for the budget. If as much
//     is lost again, sending less does not help: the rate is restored, and for a while this share of losses is expected.
//     After each such trial this while is twice as long, from 5 s to 80 s.
//   - More than half were lost: this is an outage rather than a full path. The rate falls by half of the share. Afterwards it
//     doubles per round trip, like slow start up to the threshold in TCP (RFC 5681): up to the throughput that the path
//     carried, or half of the earlier rate.
//   - Packets wait in a queue on the path: the rate becomes 85 %, the draft's factor for overuse, of the throughput
//     acknowledged meanwhile. For a long queue the factor is smaller, down to 50 %, so that the queue empties within two
//     seconds. A queue is detected when even the fastest packet of an interval was slower than the fastest of all by 25 ms
//     and three mean deviations; detection takes at most 250 ms, and jitter delays some packets of an interval only. RFC
//     6817 allows a queue of 100 ms, but it addresses background transfers. If no message waited for the budget, detection
//     takes three consecutive intervals or a queue of 100 ms, because other causes of delay must not lower the rate.
//   - The queue is equally long after a second of reduced rate: the delay was not a queue but a longer path. The minimum
//     round trip is reset and the earlier rate restored.
//   - The rate rises by one packet per round trip, as in TCP beyond slow start (RFC 5681), and by at most an eighth per
//     interval, so that a queue is detected while it is short. Near the rate of the last queue, the limit is a
//     thirty-second. The rate rises only if messages waited for the budget, because an unused rate was not tested (RFC
//     7661).
//
// Priority levels share the bucket. The lowest level sends while tokens remain. Each higher level may overdraw the bucket
// by one reserve more than the level below. Bulk data therefore never takes the bytes of the next snapshot, and waits until
// the debt is repaid.
const (
	lossBackOff  = 0.1 // share of packets
	chance       = 2   // as many lost packets of an interval say nothing
	delayTarget  = 25 * time.Millisecond
	minSettled   = 50 // enough packets for a share of losses
	fewSettled   = 10 // enough after maxInterval, because one loss among them is not more than a tenth
	maxInterval  = time.Second
	minInterval  = 250 * time.Millisecond // for the detection of a queue
	overuse      = 85                     // percent
	maxDrains    = 4                      // intervals within which a queue must become shorter
	maxWaits     = 2                      // intervals that a queue may last if no message waited
	jitterMost   = 75 * time.Millisecond  // largest delay that three deviations can explain
	clearQueue   = 100 * time.Millisecond // a queue this long is accepted at once
	leastRate    = 2 << 10
	reserveTime  = 50 * time.Millisecond
	maxUnwatched = time.Second
	leastPeace   = 5 * time.Second
	maxPeace     = 80 * time.Second
)

type budget struct {
	rate, floor, ceiling int64 // bytes a second
	packet               int64 // bytes
	tokens               int64
	rest                 int64 // fraction of a token, in 1e-9
	at                   time.Duration

	interval
	heard         time.Duration // when the newest packet was acknowledged
	knee          int64         // throughput of the path at the last queue
	waits, drains int           // consecutive intervals with a queue, before and after lowering the rate
	queue         time.Duration // length of the queue when the rate was first lowered
	before        int64         // rate before it was lowered
	threshold     int64         // below this rate, after an outage, the rate doubles; 0 without an outage
	trial         float64       // share of losses because of which the rate is lowered for an interval; 0: no trial
	base          float64       // share of losses that is expected
	peace         time.Duration // how long base is expected
	until         time.Duration // base is expected until then
}

// interval holds the measurements since the last adjustment of the rate.
type interval struct {
	from          time.Duration
	since         time.Duration // packets sent earlier do not settle
	settled, lost int64         // packets that arrived or were lost
	missing       int64         // bytes of the lost packets
	delivered     int64         // acknowledged bytes
	busy          time.Duration // time with acknowledgements, without silences
	fastest       time.Duration // smallest round trip; 0: none
	short         bool          // a message waited for tokens
}

// arrive counts a packet that was sent at a time and arrived.
func (i *interval) arrive(at time.Duration) {
	if at >= i.since {
		i.settled++
	}
}

// lose counts a packet that was sent at a time and lost.
func (i *interval) lose(at time.Duration, bytes int64) {
	if at >= i.since {
		i.settled++
		i.lost++
		i.missing += bytes
	}
}

// late revokes a loss.
func (i *interval) late(bytes int64) {
	i.lost = max(i.lost-1, 0)
	i.missing = max(i.missing-bytes, 0)
}

// sample records a measured round trip.
func (i *interval) sample(rtt time.Duration) {
	if i.fastest == 0 || rtt < i.fastest {
		i.fastest = max(rtt, 1)
	}
}

// newBudget returns a budget with a full bucket.
func newBudget(c Config) budget {
	b := budget{rate: int64(c.Rate), floor: int64(c.MinRate), ceiling: int64(c.MaxRate), packet: int64(c.Packet)}
	b.tokens = b.reserve()
	return b
}

// reserve returns the reserve of one level, which is also the capacity of the bucket: two packets, or 50 ms at the current
// rate.
func (b *budget) reserve() int64 {
	return max(2*b.packet, b.rate*int64(reserveTime)/int64(time.Second))
}

// allowance returns the number of bytes that a level may send now. Level 0 is the lowest.
func (b *budget) allowance(level int) int64 { return b.tokens + int64(level)*b.reserve() }

// refill adds the tokens for the time since the last call, at most one second.
func (b *budget) refill(at time.Duration) {
	b.rest += b.rate * int64(min(at-b.at, maxUnwatched))
	b.at = at
	b.tokens += b.rest / int64(time.Second)
	b.rest %= int64(time.Second)
	b.tokens = min(b.tokens, b.reserve())
}

// carry takes tokens for bytes that are sent without waiting. If this empties the bucket, it counts as a message that
// waited.
func (b *budget) carry(n int64) {
	b.tokens = min(b.tokens, max(b.tokens-n, -b.reserve()))
	b.short = b.short || b.tokens <= 0
}

// deliver counts acknowledged bytes.
func (b *budget) deliver(at time.Duration, n int64) {
	b.delivered += n
	b.busy += min(at-b.heard, reserveTime)
	b.heard = at
}

// control adjusts the rate at the end of an interval.
func (b *budget) control(at time.Duration, e *estimate) {
	took := at - b.from
	switch {
	case b.queued(e) && took >= e.min() && (b.settled >= minSettled || took >= minInterval && b.settled >= fewSettled):
		if !b.short && b.drains == 0 && b.waits < maxWaits && b.fastest-e.min() < clearQueue {
			b.waits++
		} else {
			b.drain(e)
		}
	case took < e.smoothed || b.settled < minSettled && (took < maxInterval || b.settled < fewSettled):
		return
	default:
		b.judge(at, took, e)
	}
	b.interval = interval{from: at}
	if b.trial > 0 {
		b.since = at
	}
}

// queued reports whether even the fastest packet of the interval waited in a queue. It returns false when most packets were
// lost, because an outage says nothing about queues. If no message waited, jitter may have delayed each of a few packets, so
// that only a longer queue counts.
func (b *budget) queued(e *estimate) bool {
	least := max(delayTarget, min(3*e.variance, jitterMost))
	if !b.short && b.drains == 0 && b.settled < minSettled {
		least = clearQueue + 3*e.variance
	}
	return b.fastest > e.min()+least && b.lost*2 <= b.settled
}

// drain lowers the rate below the throughput of the path, so that the queue empties.
func (b *budget) drain(e *estimate) {
	queue := b.fastest - e.min()
	if b.drains == 0 {
		b.queue, b.before = queue, b.rate
	}
	if b.drains++; b.drains > maxDrains {
		if b.drains = 0; (queue - b.queue).Abs() < delayTarget {
			e.forget(b.fastest)
			b.rate, b.knee = b.before, 0
			return
		}
	}
	b.knee = b.delivered * int64(time.Second) / int64(max(b.busy, minInterval/2))
	share := 100 - 50*int64(b.fastest-e.min())/int64(time.Second)
	b.rate = min(b.rate, b.knee*max(min(share, overuse), 50)/100)
	b.rate = max(b.rate, min(b.floor, leastRate))
	b.threshold = 0
	e.most = [2]int64{b.knee, 0}
}

// judge adjusts the rate to the losses of an interval without a queue.
func (b *budget) judge(at, took time.Duration, e *estimate) {
	b.waits, b.drains = 0, 0
	aSecond := func(bytes int64) int64 {
		return min(bytes*int64(time.Second)/int64(max(took, time.Millisecond)), b.ceiling)
	}
	arrived, sent, carried := aSecond(b.delivered), aSecond(b.delivered+b.missing), e.throughput()
	e.noteThroughput(min(arrived, b.rate))
	share, expected := float64(b.lost)/float64(b.settled), 0.0
	if at < b.until {
		expected = b.base
	}
	outage, bad := b.lost*2 > b.settled, share > expected+lossBackOff && b.lost > chance
	if trial := b.trial; trial > 0 {
		b.trial = 0
		if share-expected >= trial/2 {
			b.base, b.peace = max(share, expected+trial), min(max(2*b.peace, leastPeace), maxPeace)
			b.until = at + b.peace
			b.rate = b.before
			return
		}
		b.rate, b.peace = max(b.rate, min(b.before, carried)), 0
	}
	switch {
	case outage:
		if b.threshold == 0 {
			b.threshold = max(b.rate/2, min(b.rate, carried))
		}
		b.rate = max(b.rate-b.rate*b.lost/(2*b.settled), min(b.floor, b.rate))
	case bad && sent <= carried+carried/20:
	case bad:
		lower := b.rate - int64(float64(b.rate)*(share-expected)/2)
		if b.threshold = 0; b.short {
			b.trial, b.before, lower = share-expected, b.rate, arrived
		}
		b.rate = max(min(lower, b.rate), min(b.floor, b.rate))
	case b.rate < b.threshold:
		b.rate = min(2*b.rate, b.threshold)
	case b.short:
		trip := int64(max(e.smoothed, time.Millisecond))
		trips := max(int64(took)/trip, 1)
		more := b.packet * int64(time.Second) / trip * trips
		most := b.rate / 8
		if b.rate*4 > b.knee*3 && b.rate*2 < b.knee*3 {
			most = b.rate / 32
		}
		b.rate += min(more, most)
	}
	if !bad && b.rate >= b.threshold {
		b.threshold = 0
	}
	b.rate = min(b.rate, b.ceiling)
}
