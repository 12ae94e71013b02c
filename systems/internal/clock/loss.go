package clock

import (
	"cmp"
	"math"
	"time"
)

// Loss is the share of losses by which buffers are made as deep as they must be.
// An outage is no measure of that: no buffer covers it, and when it is over, the path
// is what it was.
type Loss struct {
	Share    float64
	received time.Time // when the newest packet came
	until    time.Time // for so long the session still counts an outage
}

const (
	outage     = 500 * time.Millisecond // without a packet
	lossWindow = 10 * time.Second       // of a session
)

// Packet notes that one came.
func (l *Loss) Packet(now time.Time) {
	if !l.received.IsZero() && now.Sub(l.received) >= outage {
		l.until = now.Add(lossWindow + outage)
	}
	l.received = now
}

// Measured takes in what the session measures. After an outage the share may only fall.
func (l *Loss) Measured(now time.Time, share float64) {
	if share < l.Share || !now.Before(l.until) {
		l.Share = share
	}
}

// Reserve is R for a loss rate p: so large that R+2 losses in a row are no more
// frequent than one in 10⁷. A packet with slack R brings the inputs of this tick
// and of the R ticks after it.
func Reserve(p float64) int32 {
	p = min(max(p, 0.01), 0.5)
	const rounding = 1e-9 // where the quotient is whole
	return int32(max(2, math.Ceil(math.Log(1e-7)/math.Log(p)-rounding)-2))
}

// outliers is in how many parts of a window of twenty there may be what is later than all
// else without moving a clock. In a window that is not yet full it is at most half of them.
const outliers = 3

// Lowest is the least of the values of a window without outliers, and the least of all; none
// stands where there are no values. It reports false where there are none at all.
func Lowest[T cmp.Ordered](window []T, none T) (low, least T, ok bool) {
	var lows [outliers + 1]T
	n := Least(lows[:], window, none)
	return lows[min(outliers, n/2)], lows[0], n > 0
}

// Least fills lows with the least of the values of a window, in ascending order, and returns
// how many values there are in all.
func Least[T cmp.Ordered](lows, window []T, none T) (n int) {
	for _, v := range window {
		if v == none {
			continue
		}
		for i := range min(n, len(lows)-1) + 1 {
			if i == n || v < lows[i] {
				v, lows[i] = lows[i], v
			}
		}
		n++
	}
	return n
}
