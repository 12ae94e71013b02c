package histogram

import "time"

const (
	// Span is how far back a [Window] looks.
	Span  = time.Minute
	parts = 6
	part  = Span / parts
)

// Window counts the durations of the last minute: of the last 50 to 60 s. Its memory is some 30 kB.
type Window struct {
	at    int64 // the number of the newest part
	parts [parts]Histogram[uint32]
	sum   Histogram[uint32]
}

// Add counts a duration at a time, which does not decrease.
func (w *Window) Add(at, d time.Duration) {
	now := int64(at / part)
	for w.at = max(w.at, now-parts); w.at < now; {
		w.at++
		w.parts[w.at%parts] = Histogram[uint32]{}
	}
	w.parts[w.at%parts].Add(d)
}

// Read is all of them, as of the newest. It is valid until the next call.
func (w *Window) Read() *Histogram[uint32] {
	w.sum = Histogram[uint32]{}
	for i := range w.parts {
		w.sum.Merge(&w.parts[i])
	}
	return &w.sum
}
