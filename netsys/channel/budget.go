package channel

import "time"

// The send budget is a bucket of tokens, a token a byte, that fills at the estimated rate of the path. The
// estimate is judged once an interval: a round trip, and long enough for a share of losses to mean something.
//
//   - More than a tenth of the packets lost: less by half of that share, else more. This is the rule of the
//     loss-based controller of draft-ietf-rmcat-gcc-02, section 6: radio loses single packets, and that is no reason to
//     slow down. The draft leaves the rate as it is above a fiftieth; but a path that is full shows in delays
//     first, and one that loses a twentieth would seldom rise again.
//   - More than half lost: by that rule, too; but that is an outage rather than a full path, and when it is over the
//     rate doubles up to half of what it was before, which is TCP's slow start up to its threshold (RFC 5681).
//   - Packets stand in a queue: what was acknowledged meanwhile is what the path takes, and the rate becomes 85 % of
//     that, which is that draft's factor for overuse, or less, down to a half, so that the queue is gone in two
//     seconds. A queue is seen when even the fastest packet of an interval came 25 ms and three mean
//     deviations later than the fastest of all, which takes a quarter of a second at most: jitter spares some. RFC 6817
//     allows 100 ms, which is for transfers that nobody plays beside. Where nothing waited for the budget it takes three
//     intervals in a row, or 100 ms: what else happens to a packet must not cost the rate.
//   - A queue that is as long after a second of that was none: the path is longer than it was. What is
//     the fastest is forgotten then, and the rate is what it was.
//   - More means one packet a round trip, for each round trip of the interval, as TCP does beyond slow start
//     (RFC 5681), and no more than an eighth at a time, so that a queue is seen before it is long, or a thirty-second
//     near the rate at which there was one; only if the budget kept something waiting, since a rate that was
//     not used was not tried either (RFC 7661).
//
// Levels of priority share the bucket. The lowest sends while there are tokens. Each level above may go into
// debt by one reserve more than the level below: however much bulk there is, it never takes what the next
// snapshot needs, and pays for it by waiting until the debt is gone.
const (
	lossBackOff  = 10 // percent
	delayTarget  = 25 * time.Millisecond
	minSettled   = 50 // packets that make a share
	fewSettled   = 10 // or these, after maxInterval: one lost among them is not more than a tenth
	maxInterval  = time.Second
	minInterval  = 250 * time.Millisecond // for a queue to be seen
	overuse      = 85                     // percent
	maxDrains    = 4                      // intervals in which a queue must become shorter
	maxWaits     = 2                      // and which it may last when nothing waited
	jitterMost   = 75 * time.Millisecond  // that three deviations can explain
	clearQueue   = 100 * time.Millisecond // which needs no second look
	leastRate    = 2 << 10
	reserveTime  = 50 * time.Millisecond
	maxUnwatched = time.Second
)

type budget struct {
	rate, floor, ceiling int64 // bytes a second
	packet               int64 // bytes
	tokens               int64
	rest                 int64 // of a token, in 1/1e9
	at                   time.Duration

	interval
	heard         time.Duration // when the newest packet was acknowledged
	knee          int64         // what the path took when packets stood in a queue the last time
	waits, drains int           // intervals in a row with a queue, before and since the rate went down
	queue         time.Duration // as it was when the rate went down first
	before        int64         // the rate until then
	threshold     int64         // below it, after an outage, the rate doubles; 0 when there was none
}

// interval is what came about since the rate was judged last.
type interval struct {
	from          time.Duration
	settled, lost int64
	delivered     int64         // bytes that were acknowledged
	busy          time.Duration // in which they were, without silences
	fastest       time.Duration // the least round trip; 0: none
	short         bool          // something waited for tokens
}

// settle counts a packet whose fate became known.
func (i *interval) settle(lost bool) {
	i.settled++
	if lost {
		i.lost++
	}
}

// sample takes a measured round trip.
func (i *interval) sample(rtt time.Duration) {
	if i.fastest == 0 || rtt < i.fastest {
		i.fastest = max(rtt, 1)
	}
}

// late takes back a loss.
func (i *interval) late() { i.lost = max(i.lost-1, 0) }

// newBudget begins with a full bucket.
func newBudget(c Config) budget {
	b := budget{rate: int64(c.Rate), floor: int64(c.MinRate), ceiling: int64(c.MaxRate), packet: int64(c.Packet)}
	b.tokens = b.reserve()
	return b
}

// reserve is what each level keeps from those below, and how full the bucket gets: two packets, or what the
// rate gives in 50 ms.
func (b *budget) reserve() int64 {
	return max(2*b.packet, b.rate*int64(reserveTime)/int64(time.Second))
}

// allowance is how many bytes a level may send now, 0 being the lowest.
func (b *budget) allowance(level int) int64 { return b.tokens + int64(level)*b.reserve() }

// refill adds the tokens of the time since the last call, at most one second's.
func (b *budget) refill(at time.Duration) {
	b.rest += b.rate * int64(min(at-b.at, maxUnwatched))
	b.at = at
	b.tokens += b.rest / int64(time.Second)
	b.rest %= int64(time.Second)
	b.tokens = min(b.tokens, b.reserve())
}

// carry takes the tokens of bytes that do not wait for any. In debt the rate is used up, as if something waited.
func (b *budget) carry(n int64) {
	b.tokens = min(b.tokens, max(b.tokens-n, -b.reserve()))
	b.short = b.short || b.tokens <= 0
}

// deliver counts bytes that were acknowledged.
func (b *budget) deliver(at time.Duration, n int64) {
	b.delivered += n
	b.busy += min(at-b.heard, reserveTime)
	b.heard = at
}

// control judges the interval when it is over.
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
		b.judge(took, e)
	}
	b.interval = interval{from: at}
}

// queued reports whether even the fastest packet of the interval stood in a queue. When most were lost, that is
// an outage, which tells nothing of queues.
func (b *budget) queued(e *estimate) bool {
	return b.fastest > e.min()+max(delayTarget, min(3*e.variance, jitterMost)) && b.lost*2 <= b.settled
}

// drain makes the rate less than what the path takes, so that its queue goes.
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
}

func (b *budget) judge(took time.Duration, e *estimate) {
	b.waits, b.drains = 0, 0
	floor := min(b.floor, b.rate)
	bad := b.lost*100 > b.settled*lossBackOff
	switch {
	case bad:
		if outage := b.lost*2 > b.settled; !outage {
			b.threshold = 0
		} else if b.threshold == 0 {
			b.threshold = b.rate / 2
		}
		b.rate -= b.rate * b.lost / (2 * b.settled)
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
	b.rate = min(max(b.rate, floor), b.ceiling)
}
