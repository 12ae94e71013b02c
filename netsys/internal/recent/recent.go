package recent

import "time"

const (
	bucketTime  = 500 * time.Millisecond
	bucketCount = 20
)

// bucket numbers begin at 1: the zero value of a bucket is always out of date.
func bucketOf(at time.Duration) int64 { return int64(at/bucketTime) + 1 }

func bucketLive(index, now int64) bool { return index > now-bucketCount && index <= now && index > 0 }

// Loss counts packets whose fate is settled, and those that were lost.
type Loss [bucketCount]struct {
	index, expected, lost uint32
}

// Count takes note of packets that were expected, and how many of them were lost.
func (w *Loss) Count(at time.Duration, expected, lost uint32) {
	i := bucketOf(at)
	b := &w[i%bucketCount]
	if b.index != uint32(i) {
		b.index, b.expected, b.lost = uint32(i), 0, 0
	}
	b.expected += expected
	b.lost += lost
}

// Counts are those of the last 10 s.
func (w *Loss) Counts(at time.Duration) (expected, lost uint64) {
	now := bucketOf(at)
	for i := range w {
		if b := &w[i]; bucketLive(int64(b.index), now) {
			expected += uint64(b.expected)
			lost += uint64(b.lost)
		}
	}
	return expected, lost
}

// Fraction is the share lost in the last 10 s, 0 when nothing was settled.
func (w *Loss) Fraction(at time.Duration) float64 {
	expected, lost := w.Counts(at)
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

// RoundTrip estimates the round trip time from samples, with the gains of RFC 6298.
type RoundTrip struct {
	Smoothed, Deviation time.Duration
	started             bool
	recent              minWindow
}

// Sample takes note of a round trip that ended at a time.
func (r *RoundTrip) Sample(at, v time.Duration) {
	r.recent.add(at, v)
	if !r.started {
		r.started, r.Smoothed = true, v
		return
	}
	r.Deviation += ((r.Smoothed - v).Abs() - r.Deviation) / 4
	r.Smoothed += (v - r.Smoothed) / 8
}

// Least is the shortest round trip of the last 10 s; 0 when there was none.
func (r *RoundTrip) Least(at time.Duration) time.Duration {
	v, _ := r.recent.least(at)
	return v
}

// Touch reads what a sample at a time will need, so that it comes from memory while something else is done. What it
// returns means nothing.
func (r *RoundTrip) Touch(at time.Duration) byte {
	return byte(r.Smoothed) ^ byte(r.recent[bucketOf(at)%bucketCount].index)
}
