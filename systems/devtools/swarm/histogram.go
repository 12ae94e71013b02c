package swarm

import (
	"time"

	"github.com/tactusgo/tactus/internal/histogram"
)

// durations is a histogram with an error of at most 3 %.
type durations = histogram.Histogram[uint64]

// Latency summarizes durations, in milliseconds.
type Latency struct {
	P50  float64 `json:"p50"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
	Many uint64  `json:"samples"`
}

// latency summarizes a histogram.
func latency(h *durations) Latency {
	ms := func(d time.Duration) float64 { return float64(d.Round(10*time.Microsecond)) / 1e6 }
	return Latency{ms(h.Quantile(0.50)), ms(h.Quantile(0.95)), ms(h.Quantile(0.99)), ms(h.Longest()), h.Count()}
}
