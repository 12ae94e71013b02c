package channel

import "time"

const (
	// maxBackoff is the largest number of times that the timeout is doubled while no packet is acknowledged: to 16 times
	// its length. Sessions end after seconds, so further doubling would only delay retransmissions after an outage.
	maxBackoff = 4
	// lookBack is half the length of the window for the smallest round trip, the share of losses and the largest throughput.
	lookBack = 5 * time.Second
)

// estimate measures the path from acknowledgements. The round trip is smoothed as in RFC 6298. It includes the peer's wait
// for its next packet, because no answer arrives earlier.
type estimate struct {
	smoothed, variance time.Duration
	measured           bool
	backoff            uint
	gap                time.Duration // smoothed time between polls: an answer is only noticed at the next poll

	turned  time.Duration // when the younger half of the window began
	least   [2]time.Duration
	settled [2]uint64 // packets that arrived or were lost
	lost    [2]uint64
	most    [2]int64 // largest throughput of an interval, in bytes a second
}

// newEstimate returns an estimate with an assumed round trip.
func newEstimate(rtt time.Duration) estimate {
	return estimate{smoothed: rtt, variance: rtt / 2}
}

// timeout returns how long after sending a packet without acknowledgement counts as lost: the smoothed round trip plus four
// times its deviation, as in RFC 6298. The margin is at least a quarter of the round trip, so that a small delay on a path
// without jitter is not a loss, and at least the time between polls, which is the granularity of the clock.
func (e *estimate) timeout() time.Duration {
	return e.smoothed + max(4*e.variance, e.smoothed/4, e.gap)
}

// polled records the time between two polls.
func (e *estimate) polled(gap time.Duration) { e.gap += (min(gap, time.Second) - e.gap) / 8 }

// sample records a measured round trip.
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

// countFate counts a packet that arrived or was lost.
func (e *estimate) countFate(at time.Duration, lost bool) {
	e.turn(at)
	e.settled[0]++
	if lost {
		e.lost[0]++
	}
}

// late revokes a loss: the packet was acknowledged after all.
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
		e.least[1], e.settled[1], e.lost[1], e.most[1] = e.least[0], e.settled[0], e.lost[0], e.most[0]
	default:
		e.least[1], e.settled[1], e.lost[1], e.most[1] = 0, 0, 0, 0
	}
	e.turned = at
	e.least[0], e.settled[0], e.lost[0], e.most[0] = 0, 0, 0, 0
}

// noteThroughput records the throughput of an interval, in bytes a second.
func (e *estimate) noteThroughput(rate int64) { e.most[0] = max(e.most[0], rate) }

// throughput returns the largest throughput of the window, in bytes a second.
func (e *estimate) throughput() int64 { return max(e.most[0], e.most[1]) }

// forget restarts the window of round trips with one value.
func (e *estimate) forget(least time.Duration) { e.least = [2]time.Duration{least, 0} }

// min returns the smallest round trip in the window, or the smoothed round trip if the window is empty.
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

// loss returns the share of losses in the window, 0 to 1.
func (e *estimate) loss() float64 {
	settled := e.settled[0] + e.settled[1]
	if settled == 0 {
		return 0
	}
	return float64(e.lost[0]+e.lost[1]) / float64(settled)
}
