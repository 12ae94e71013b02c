package histogram

import (
	"math/bits"
	"time"
)

const (
	// leading is how many leading bits of a value count: values that are kept as one differ by at most 1/32.
	leading = 5
	size    = (40 - leading) << leading
)

// Histogram counts durations, in microseconds up to 9 days, within 3 %. It is of fixed size.
type Histogram[C uint32 | uint64] struct {
	counts [size]C
	n      uint64
	most   time.Duration
}

// Add counts a duration; one below zero counts as none.
func (h *Histogram[C]) Add(d time.Duration) {
	d = max(d, 0)
	h.counts[place(uint64(d/time.Microsecond))]++
	h.n++
	h.most = max(h.most, d)
}

// place is where a number of microseconds counts.
func place(v uint64) int {
	drop := max(bits.Len64(v)-leading-1, 0)
	return min(drop<<leading+int(v>>drop), size-1)
}

// value is the largest number that counts at a place.
func value(place int) uint64 {
	if place < 2<<leading {
		return uint64(place)
	}
	drop := place>>leading - 1
	v := uint64(place - drop<<leading)
	return (v+1)<<drop - 1
}

// Merge adds what another has counted.
func (h *Histogram[C]) Merge(o *Histogram[C]) {
	for i, n := range o.counts {
		h.counts[i] += n
	}
	h.n += o.n
	h.most = max(h.most, o.most)
}

// Count is how many there are.
func (h *Histogram[C]) Count() uint64 { return h.n }

// Most is the longest of all, 0 where there is none.
func (h *Histogram[C]) Most() time.Duration { return h.most }

// Share is the least duration that no more than a share of all exceed.
func (h *Histogram[C]) Share(q float64) time.Duration {
	left := uint64(q * float64(h.n))
	for i, n := range h.counts {
		if uint64(n) > left {
			return min(time.Duration(value(i))*time.Microsecond, h.most)
		}
		left -= uint64(n)
	}
	return h.most
}
