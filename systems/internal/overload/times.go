package overload

import (
	"time"

	"github.com/tactusgo/tactus/internal/histogram"
)

// Times is how long wake-ups of a server took in the last minute, from receiving to sending, in time on the wall, so that
// garbage collection and whatever else held them up is in it. All are 0 where nothing is measured: under another clock
// than the machine's nothing is known of pauses, and without one nothing at all; see [Policy].Clock.
type Times struct {
	// P50, P99 and P999 are what a half, 99 % and 99.9 % of them did not exceed, to 3 %.
	P50, P99, P999 time.Duration
	// Longest is the longest of all.
	Longest time.Duration
	// GCPause is for how long garbage collection stopped the whole process at once at most, to 6 %, up to 5 s ago.
	GCPause time.Duration
}

// times measures that.
type times struct {
	wakeups *histogram.Window // nil: none was measured
	pauses  *gcPauses         // nil: the clock is not the machine's
}

// add counts a wake-up that has ended.
func (t *times) add(now, took time.Duration) {
	if t.wakeups == nil {
		t.wakeups = new(histogram.Window)
	}
	t.wakeups.Add(now, took)
	if t.pauses != nil {
		t.pauses.update(now)
	}
}

// Times is how long wake-ups took lately.
func (c *Control) Times() (st Times) {
	if t := &c.times; t.wakeups != nil {
		h := t.wakeups.Read()
		st = Times{P50: h.Share(0.5), P99: h.Share(0.99), P999: h.Share(0.999), Longest: h.Most()}
		if t.pauses != nil {
			st.GCPause = t.pauses.longestInMinute()
		}
	}
	return st
}
