package channel

import "time"

const (
	// maxBackoff is how often the time until a packet counts as lost is doubled while nothing is acknowledged:
	// 16 times as long. Sessions end after seconds, so that doubling without end would only delay what is
	// sent again after an outage.
	maxBackoff = 4
	// lookBack is how long the least round trip and the share of losses look back: one to two of these.
	lookBack = 5 * time.Second
)

// estimate measures the path from what is acknowledged: the round trip as in RFC 6298, the peer's wait for its
// next packet included, because an answer never comes sooner.
type estimate struct {
	smoothed, variance time.Duration
	measured           bool
	backoff            uint
	gap                time.Duration // smoothed time between polls: no answer is seen earlier than the next

	turned  time.Duration // when the younger half of the window began
	least   [2]time.Duration
	settled [2]uint64 // packets whose fate became known
	lost    [2]uint64
}

// newEstimate assumes a first measurement.
func newEstimate(rtt time.Duration) estimate {
	return estimate{smoothed: rtt, variance: rtt / 2}
}

// timeout is how long after sending a packet without acknowledgement counts as lost: RFC 6298's smoothed time
// and four times its deviation, but no less than a quarter above it, so that a path without jitter does not
// make each hiccup a loss, and no finer than the time between polls, the granularity of the clock.
func (e *estimate) timeout() time.Duration {
	return e.smoothed + max(4*e.variance, e.smoothed/4, e.gap)
}

// polled learns how often this end looks.
func (e *estimate) polled(gap time.Duration) { e.gap += (min(gap, time.Second) - e.gap) / 8 }

// sample takes a measured round trip.
func (e *estimate) sample(at, rtt time.Duration) {
	e.turn(at)
	if e.least[0] == 0 || rtt < e.least[0] {
		e.least[0] = max(rtt, 1)
	}
	if !e.measured {
		e.measured, e.smoothed, e.variance = true, rtt, rtt/2
		return
	}
	e.variance += ((e.smoothed - rtt).Abs() - e.variance) / 4
	e.smoothed += (rtt - e.smoothed) / 8
}

// settle counts a packet whose fate became known.
func (e *estimate) settle(at time.Duration, lost bool) {
	e.turn(at)
	e.settled[0]++
	if lost {
		e.lost[0]++
	}
}

// late takes back a loss: the packet was acknowledged after all.
func (e *estimate) late() {
	for i := range e.lost {
		if e.lost[i] > 0 {
			e.lost[i]--
			return
		}
	}
}

func (e *estimate) turn(at time.Duration) {
	switch age := at - e.turned; {
	case age < lookBack:
		return
	case age < 2*lookBack:
		e.least[1], e.settled[1], e.lost[1] = e.least[0], e.settled[0], e.lost[0]
	default:
		e.least[1], e.settled[1], e.lost[1] = 0, 0, 0
	}
	e.turned = at
	e.least[0], e.settled[0], e.lost[0] = 0, 0, 0
}

// forget begins the window of round trips anew, with one that is the least.
func (e *estimate) forget(least time.Duration) { e.least = [2]time.Duration{least, 0} }

// min is the least round trip in the window; before there is one, the smoothed one.
func (e *estimate) min() time.Duration {
	switch a, b := e.least[0], e.least[1]; {
	case a == 0 && b == 0:
		return e.smoothed
	case a == 0:
		return b
	case b == 0:
		return a
	default:
		return min(a, b)
	}
}

// loss is the share of losses in the window, 0 to 1.
func (e *estimate) loss() float64 {
	settled := e.settled[0] + e.settled[1]
	if settled == 0 {
		return 0
	}
	return float64(e.lost[0]+e.lost[1]) / float64(settled)
}
