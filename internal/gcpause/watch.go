package gcpause

import (
	"math"
	"runtime/metrics"
	"time"
)

const (
	// every is how often the runtime is asked, and parts of how many answers the longest is told: of the last minute.
	every = 5 * time.Second
	parts = 12
)

// Watch asks the runtime now and then for the pauses of garbage collection, those of the whole process.
type Watch struct {
	sample  []metrics.Sample
	before  []uint64
	asked   time.Duration
	longest [parts]time.Duration
	part    int
}

// New begins to watch at a time.
func New(at time.Duration) *Watch {
	w := &Watch{sample: []metrics.Sample{{Name: "/sched/pauses/total/gc:seconds"}}, asked: at}
	w.read()
	return w
}

// Look asks the runtime, where that is due.
func (w *Watch) Look(at time.Duration) {
	if at-w.asked < every {
		return
	}
	w.asked = at
	w.part = (w.part + 1) % parts
	w.longest[w.part] = w.read()
}

// Longest is the longest pause of the last minute, to 6 %, up to 5 s ago; 0 where there was none.
func (w *Watch) Longest() (longest time.Duration) {
	for _, d := range w.longest {
		longest = max(longest, d)
	}
	return longest
}

// read is the longest pause since the last time.
func (w *Watch) read() (longest time.Duration) {
	metrics.Read(w.sample)
	if w.sample[0].Value.Kind() != metrics.KindFloat64Histogram {
		return 0 // a runtime without this figure
	}
	h := w.sample[0].Value.Float64Histogram()
	for i, n := range h.Counts {
		if i < len(w.before) && n > w.before[i] {
			at := h.Buckets[i+1]
			if math.IsInf(at, 1) {
				at = h.Buckets[i]
			}
			longest = time.Duration(at * float64(time.Second))
		}
	}
	w.before = append(w.before[:0], h.Counts...)
	return longest
}
