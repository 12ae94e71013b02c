package overload

import (
	"math"
	"runtime/metrics"
	"time"
)

const (
	// gcReadInterval is how often gcPauses reads the runtime's figures, and gcReads the number of readings that it keeps: of
	// the last minute.
	gcReadInterval = 5 * time.Second
	gcReads        = 12
)

// gcPauses measures how long garbage collection stopped the process. It reads the pauses of the whole process from the
// runtime.
type gcPauses struct {
	sample  []metrics.Sample
	before  []uint64 // the counts of the latest reading, by bucket
	readAt  time.Duration
	longest [gcReads]time.Duration
	latest  int // index of the latest reading in longest
}

// newGCPauses returns gcPauses that measure from a time on.
func newGCPauses(at time.Duration) *gcPauses {
	w := &gcPauses{sample: []metrics.Sample{{Name: "/sched/pauses/total/gc:seconds"}}, readAt: at}
	w.read()
	return w
}

// update reads the runtime's figures if that is due.
func (w *gcPauses) update(at time.Duration) {
	if at-w.readAt < gcReadInterval {
		return
	}
	w.readAt = at
	w.latest = (w.latest + 1) % gcReads
	w.longest[w.latest] = w.read()
}

// longestInMinute returns the longest pause of the minute before the latest reading, to 6 %; 0 if there was none.
func (w *gcPauses) longestInMinute() (longest time.Duration) {
	for _, d := range w.longest {
		longest = max(longest, d)
	}
	return longest
}

// read returns the longest pause since the reading before.
func (w *gcPauses) read() (longest time.Duration) {
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
