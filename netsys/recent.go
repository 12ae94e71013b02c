package netsys

import "time"

// Statistics of the last 10 s are stored in buckets of half a second, so that they need no memory per packet.
const (
	bucketTime  = 500 * time.Millisecond
	bucketCount = 20
)

// bucketAt returns the number of the bucket of a time. Numbers start at 1, so that a zero bucket is always out of date.
func bucketAt(at time.Duration) int64 { return int64(at/bucketTime) + 1 }

// bucketLive reports whether the bucket with this number is one of the last 10 s.
func bucketLive(index, now int64) bool { return index > now-bucketCount && index <= now && index > 0 }

// recentLoss counts the packets of the last 10 s that arrived or were lost, and the lost ones among them.
type recentLoss [bucketCount]struct {
	index, expected, lost uint32
}

// count adds a number of expected packets, and the number of those that were lost.
func (w *recentLoss) count(at time.Duration, expected, lost uint32) {
	i := bucketAt(at)
	b := &w[i%bucketCount]
	if b.index != uint32(i) {
		b.index, b.expected, b.lost = uint32(i), 0, 0
	}
	b.expected += expected
	b.lost += lost
}

// totals returns the sums over the last 10 s.
func (w *recentLoss) totals(at time.Duration) (expected, lost uint64) {
	now := bucketAt(at)
	for i := range w {
		if b := &w[i]; bucketLive(int64(b.index), now) {
			expected += uint64(b.expected)
			lost += uint64(b.lost)
		}
	}
	return expected, lost
}

// fraction returns the fraction of packets of the last 10 s that were lost, 0 if none were counted.
func (w *recentLoss) fraction(at time.Duration) float64 {
	expected, lost := w.totals(at)
	if expected == 0 {
		return 0
	}
	return float64(lost) / float64(expected)
}

// recentMinimum records the smallest duration of the last 10 s.
type recentMinimum [bucketCount]struct {
	index int64
	least time.Duration
}

func (w *recentMinimum) add(at, v time.Duration) {
	i := bucketAt(at)
	b := &w[i%bucketCount]
	if b.index != i || v < b.least {
		b.index, b.least = i, v
	}
}

// least returns the smallest duration of the last 10 s, 0 if there was none.
func (w *recentMinimum) least(at time.Duration) (v time.Duration) {
	now, found := bucketAt(at), false
	for i := range w {
		if b := &w[i]; bucketLive(b.index, now) && (!found || b.least < v) {
			v, found = b.least, true
		}
	}
	return v
}

// roundTrip estimates the round trip time from samples, with the gains of RFC 6298.
type roundTrip struct {
	smoothed, deviation time.Duration
	started             bool
	recent              recentMinimum
}

// add adds a sample v. at is the end of that round trip.
func (r *roundTrip) add(at, v time.Duration) {
	r.recent.add(at, v)
	if !r.started {
		r.started, r.smoothed = true, v
		return
	}
	r.deviation += ((r.smoothed - v).Abs() - r.deviation) / 4
	r.smoothed += (v - r.smoothed) / 8
}
