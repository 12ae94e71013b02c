package overload

import (
	"time"

	"github.com/tactusgo/tactus/internal/histogram"
)

// Times holds the durations of a server's wake-ups in the last minute, from receiving to sending, in real time,
// including garbage collection and other interruptions. All are 0 if nothing is measured. GCPause is only measured
// with the machine's clock; see [Policy].Clock.
type Times struct {
	// P50, P99 and P999 are the 50 %, 99 % and 99.9 % quantiles, within 3 %.
	P50, P99, P999 time.Duration
	// Longest is the longest wake-up.
	Longest time.Duration
	// GCPause is the longest pause of the process by garbage collection, within 6 %. It is up to 5 s old.
	GCPause time.Duration
}

// times measures Times.
type times struct {
	wakeups *histogram.Window // nil: none was measured
	pauses  *gcPauses         // nil: the clock is not the machine's
}

// add adds a wake-up.
func (t *times) add(now, took time.Duration) {
	if t.wakeups == nil {
		t.wakeups = new(histogram.Window)
	}
	t.wakeups.Add(now, took)
	if t.pauses != nil {
		t.pauses.update(now)
	}
}

// Times returns the durations of recent wake-ups.
func (c *Control) Times() (st Times) {
	if t := &c.times; t.wakeups != nil {
		h := t.wakeups.Read()
		st = Times{P50: h.Quantile(0.5), P99: h.Quantile(0.99), P999: h.Quantile(0.999), Longest: h.Longest()}
		if t.pauses != nil {
			st.GCPause = t.pauses.longestInMinute()
		}
	}
	return st
}
