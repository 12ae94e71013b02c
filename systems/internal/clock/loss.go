package clock

import (
	"cmp"
	"math"
	"time"
)

// Loss is the share of lost packets that determines the depth of buffers. Outages do not count: no buffer covers
// them, and afterwards the path is as before.
type Loss struct {
	Share    float64
	received time.Time // arrival of the newest packet
	until    time.Time // the session's measurement includes an outage until then
}

const (
	outage     = 500 * time.Millisecond // time without a packet
	lossWindow = 10 * time.Second       // measurement window of a session
)

// Packet records the arrival of a packet.
func (l *Loss) Packet(now time.Time) {
	if !l.received.IsZero() && now.Sub(l.received) >= outage {
		l.until = now.Add(lossWindow + outage)
	}
	l.received = now
}

// Measured stores the share that the session measured. After an outage the stored share can only decrease for a
// while.
func (l *Loss) Measured(now time.Time, share float64) {
	if share < l.Share || !now.Before(l.until) {
		l.Share = share
	}
}

// Reserve returns R for a loss rate p: the smallest R such that R+2 consecutive losses are at most as frequent as
// one in 10⁷, and at least 1. A packet with slack R brings the inputs of this tick and of the next R ticks.
func Reserve(p float64) int32 {
	p = min(max(p, 1e-7), 0.5)
	const rounding = 1e-9 // for whole quotients
	return int32(max(1, math.Ceil(math.Log(1e-7)/math.Log(p)-rounding)-2))
}

// outliers is the maximum number of entries, in a window of twenty, that count as late outliers. In a partly filled
// window at most half of the entries do.
const outliers = 3

// Lowest returns the minimum of a window without outliers, and the minimum of all values. none marks missing
// values. ok is false if there are no values.
func Lowest[T cmp.Ordered](window []T, none T) (low, least T, ok bool) {
	var lows [outliers + 1]T
	n := Least(lows[:], window, none)
	return lows[min(outliers, n/2)], lows[0], n > 0
}

// Least fills lows with the smallest values of a window, in ascending order, and returns the number of values.
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
