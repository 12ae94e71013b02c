package channel

import "time"

// The send budget is a bucket of tokens, a token a byte, that fills at the estimated rate of the path. The
// estimate is judged once an interval: a round trip, and long enough for a share of losses to mean something.
//
//   - More than a tenth of the packets lost: less by half of that share. Below a twentieth: more. Between: as it
//     is. These are the rules of the loss-based controller of draft-ietf-rmcat-gcc-02, section 6: radio loses single
//     packets, and that is no reason to slow down. The draft says a fiftieth; but a path that is full shows in
//     delays first, and one that loses a tenth in bursts would seldom rise again.
//   - More than half lost: by that rule, too; but that is an outage rather than a full path, and when it is over the
//     rate doubles up to half of what it was before, which is TCP's slow start up to its threshold (RFC 5681).
//   - Packets stand in a queue: less by 15 %, which is that draft's factor for overuse. A queue is seen when the
//     smoothed round trip is 25 ms above the least, and this is not jitter: more than four deviations. RFC 6817 allows
//     100 ms, which is for transfers that nobody plays beside.
//   - More means one packet a round trip, for each round trip of the interval, as TCP does beyond slow start
//     (RFC 5681), and no more than an eighth at a time, so that a queue is seen before it is long; only if the
//     budget kept something waiting, since a rate that was not used was not tried either (RFC 7661).
//
// Levels of priority share the bucket. The lowest sends while there are tokens. Each level above may go into
// debt by one reserve more than the level below: however much bulk there is, it never takes what the next
// snapshot needs, and pays for it by waiting until the debt is gone.
const (
	lossBackOff  = 10 // percent
	lossRecover  = 5  // percent
	delayTarget  = 25 * time.Millisecond
	minSettled   = 50 // packets that make a share
	fewSettled   = 10 // or these, after maxInterval: one lost among them is not more than a tenth
	maxInterval  = time.Second
	reserveTime  = 50 * time.Millisecond
	maxUnwatched = time.Second
)

type budget struct {
	rate, floor, ceiling int64 // bytes a second
	packet               int64 // bytes
	tokens               int64
	rest                 int64 // of a token, in 1/1e9
	at                   time.Duration

	from          time.Duration // when the interval began
	settled, lost int64
	short         bool  // something waited for tokens
	threshold     int64 // below it, after an outage, the rate doubles; 0 when there was none
}

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

// settle counts a packet whose fate became known.
func (b *budget) settle(lost bool) {
	b.settled++
	if lost {
		b.lost++
	}
}

// late takes back a loss.
func (b *budget) late() { b.lost = max(b.lost-1, 0) }

// control judges the interval when it is over.
func (b *budget) control(at time.Duration, e *estimate) {
	took := at - b.from
	if took < e.smoothed || b.settled < minSettled && (took < maxInterval || b.settled < fewSettled) {
		return
	}
	b.judge(took, e)
	b.from, b.settled, b.lost, b.short = at, 0, 0, false
}

func (b *budget) judge(took time.Duration, e *estimate) {
	standing := e.smoothed - e.min()
	bad := b.lost*100 > b.settled*lossBackOff
	switch {
	case bad:
		if outage := b.lost*2 > b.settled; !outage {
			b.threshold = 0
		} else if b.threshold == 0 {
			b.threshold = b.rate / 2
		}
		b.rate -= b.rate * b.lost / (2 * b.settled)
	case standing > delayTarget && standing > 4*e.variance:
		b.threshold = 0
		b.rate -= b.rate * 15 / 100
	case b.rate < b.threshold:
		b.rate = min(2*b.rate, b.threshold)
	case b.short && b.lost*100 < b.settled*lossRecover:
		trip := int64(max(e.smoothed, time.Millisecond))
		trips := max(int64(took)/trip, 1)
		more := b.packet * int64(time.Second) / trip * trips
		b.rate += min(more, b.rate/8)
	}
	if !bad && b.rate >= b.threshold {
		b.threshold = 0
	}
	b.rate = min(max(b.rate, b.floor), b.ceiling)
}
