package histogram

import "time"

const (
	// Span is the time that a [Window] covers.
	Span  = time.Minute
	parts = 6
	part  = Span / parts
)

// Window counts the durations of the last minute: of the last 50 to 60 s. It uses about 30 kB.
type Window struct {
	at    int64 // number of the newest part
	parts [parts]Histogram[uint32]
	sum   Histogram[uint32]
}

// Add counts a duration at a time. The time must not decrease.
func (w *Window) Add(at, d time.Duration) {
	now := int64(at / part)
	for w.at = max(w.at, now-parts); w.at < now; {
		w.at++
		w.parts[w.at%parts] = Histogram[uint32]{}
	}
	w.parts[w.at%parts].Add(d)
}

// Read returns the histogram of the window. It is valid until the next call.
func (w *Window) Read() *Histogram[uint32] {
	w.sum = Histogram[uint32]{}
	for i := range w.parts {
		w.sum.Merge(&w.parts[i])
	}
	return &w.sum
}
