package netsys

import "time"

// Figures "of the last 10 s" are kept in buckets of half a second, so that they move in small steps, cost a
// few additions to read, and need no memory of single packets.
const (
	bucketTime  = 500 * time.Millisecond
	bucketCount = 20
)

// bucket numbers begin at 1: the zero value of a bucket is always out of date.
func bucketOf(at time.Duration) int64 { return int64(at/bucketTime) + 1 }

func bucketLive(index, now int64) bool { return index > now-bucketCount && index <= now && index > 0 }

// lossWindow counts packets whose fate is settled, and those that were lost.
type lossWindow [bucketCount]struct {
	index          int64
	expected, lost uint32
}

func (w *lossWindow) count(at time.Duration, expected, lost uint32) {
	i := bucketOf(at)
	b := &w[i%bucketCount]
	if b.index != i {
		b.index, b.expected, b.lost = i, 0, 0
	}
	b.expected += expected
	b.lost += lost
}

// fraction is the share lost in the last 10 s, 0 when nothing was settled.
func (w *lossWindow) fraction(at time.Duration) float64 {
	now := bucketOf(at)
	var expected, lost uint64
	for i := range w {
		if b := &w[i]; bucketLive(b.index, now) {
			expected += uint64(b.expected)
			lost += uint64(b.lost)
		}
	}
	if expected == 0 {
		return 0
	}
	return float64(lost) / float64(expected)
}

// minWindow keeps the smallest duration.
type minWindow [bucketCount]struct {
	index int64
	least time.Duration
}

func (w *minWindow) add(at, v time.Duration) {
	i := bucketOf(at)
	b := &w[i%bucketCount]
	if b.index != i || v < b.least {
		b.index, b.least = i, v
	}
}

// least is the smallest of the last 10 s; false when there was none.
func (w *minWindow) least(at time.Duration) (v time.Duration, ok bool) {
	now := bucketOf(at)
	for i := range w {
		if b := &w[i]; bucketLive(b.index, now) && (!ok || b.least < v) {
			v, ok = b.least, true
		}
	}
	return v, ok
}

// roundTrip estimates the round trip time from samples, with the gains of RFC 6298.
type roundTrip struct {
	smoothed, deviation time.Duration
	recent              minWindow
	started             bool
}

func (r *roundTrip) sample(at, v time.Duration) {
	r.recent.add(at, v)
	if !r.started {
		r.started, r.smoothed = true, v
		return
	}
	r.deviation += ((r.smoothed - v).Abs() - r.deviation) / 4
	r.smoothed += (v - r.smoothed) / 8
}
