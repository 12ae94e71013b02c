package swarm

import (
	"math/bits"
	"time"
)

const (
	// histogramBits is how many leading bits of a value count: values that are kept as one differ by at most 1/32.
	histogramBits = 5
	histogramSize = (40 - histogramBits) << histogramBits
)

// histogram counts durations, in microseconds up to 9 days, within 3 %. It is of fixed size.
type histogram struct {
	counts [histogramSize]uint64
	n      uint64
	most   time.Duration
}

// add counts a duration; one below zero counts as none.
func (h *histogram) add(d time.Duration) {
	d = max(d, 0)
	h.counts[histogramPlace(uint64(d/time.Microsecond))]++
	h.n++
	h.most = max(h.most, d)
}

// histogramPlace is where a number of microseconds counts.
func histogramPlace(v uint64) int {
	drop := max(bits.Len64(v)-histogramBits-1, 0)
	return min(drop<<histogramBits+int(v>>drop), histogramSize-1)
}

// histogramValue is the largest number that counts there.
func histogramValue(place int) uint64 {
	if place < 2<<histogramBits {
		return uint64(place)
	}
	drop := place>>histogramBits - 1
	v := uint64(place - drop<<histogramBits)
	return (v+1)<<drop - 1
}

// merge adds what another has counted.
func (h *histogram) merge(o *histogram) {
	for i, n := range o.counts {
		h.counts[i] += n
	}
	h.n += o.n
	h.most = max(h.most, o.most)
}

// share is the least duration that no more than a share of all exceed.
func (h *histogram) share(q float64) time.Duration {
	left := uint64(q * float64(h.n))
	for i, n := range h.counts {
		if n > left {
			return min(time.Duration(histogramValue(i))*time.Microsecond, h.most)
		}
		left -= n
	}
	return h.most
}

// Latency sums up durations, in milliseconds.
type Latency struct {
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
	Many uint64  `json:"samples"`
}

// latency sums up.
func (h *histogram) latency() Latency {
	ms := func(d time.Duration) float64 { return float64(d.Round(10*time.Microsecond)) / 1e6 }
	return Latency{ms(h.share(0.50)), ms(h.share(0.95)), ms(h.share(0.99)), ms(h.most), h.n}
}
