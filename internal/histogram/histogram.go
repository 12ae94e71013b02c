package histogram

import (
	"math/bits"
	"time"
)

const (
	// leading is the number of bits after the highest one that are kept: values that are counted as one differ by
	// at most 1/32.
	leading = 5
	size    = (40 - leading) << leading
)

// Histogram counts durations, in microseconds up to 9 days, within 3 %. It has a fixed size.
type Histogram[C uint32 | uint64] struct {
	counts  [size]C
	n       uint64
	longest time.Duration
}

// Add counts a duration. Negative durations count as 0.
func (h *Histogram[C]) Add(d time.Duration) {
	d = max(d, 0)
	h.counts[bucketOf(uint64(d/time.Microsecond))]++
	h.n++
	h.longest = max(h.longest, d)
}

// bucketOf returns the bucket of a number of microseconds.
func bucketOf(v uint64) int {
	drop := max(bits.Len64(v)-leading-1, 0)
	return min(drop<<leading+int(v>>drop), size-1)
}

// upperBound returns the largest number in a bucket.
func upperBound(place int) uint64 {
	if place < 2<<leading {
		return uint64(place)
	}
	drop := place>>leading - 1
	v := uint64(place - drop<<leading)
	return (v+1)<<drop - 1
}

// Merge adds the counts of another histogram.
func (h *Histogram[C]) Merge(o *Histogram[C]) {
	for i, n := range o.counts {
		h.counts[i] += n
	}
	h.n += o.n
	h.longest = max(h.longest, o.longest)
}

// Count returns the number of durations.
func (h *Histogram[C]) Count() uint64 { return h.n }

// Longest returns the longest duration, 0 if there is none.
func (h *Histogram[C]) Longest() time.Duration { return h.longest }

// Quantile returns the smallest duration that at most the share 1-q of all durations exceed.
func (h *Histogram[C]) Quantile(q float64) time.Duration {
	left := uint64(q * float64(h.n))
	for i, n := range h.counts {
		if uint64(n) > left {
			return min(time.Duration(upperBound(i))*time.Microsecond, h.longest)
		}
		left -= uint64(n)
	}
	return h.longest
}
