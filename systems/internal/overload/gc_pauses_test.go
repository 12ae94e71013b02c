package overload

import (
	"runtime"
	"testing"
	"time"
)

// The longest pause is reported for a minute, and pauses from before the start are not. Repeated readings allocate nothing.
func TestGCPauses(t *testing.T) {
	runtime.GC()
	w := newGCPauses(0)
	at := gcReadInterval
	w.update(at - 1)
	if d := w.longestInMinute(); d != 0 {
		t.Errorf("%v before the runtime was asked", d)
	}
	runtime.GC()
	w.update(at)
	if d := w.longestInMinute(); d <= 0 || d > time.Minute {
		t.Errorf("the longest pause is %v", d)
	}
	w.longest[w.latest] = time.Hour
	for n := range gcReads {
		if n < gcReads-1 {
			at += gcReadInterval
			w.update(at)
		}
		if d := w.longestInMinute(); d != time.Hour {
			t.Fatalf("%v after %d looks", d, n)
		}
	}
	at += gcReadInterval
	w.update(at)
	if d := w.longestInMinute(); d == time.Hour {
		t.Error("it is told for ever")
	}
	if n := testing.AllocsPerRun(20, func() { at += gcReadInterval; w.update(at) }); n > 0 {
		t.Errorf("%v allocations a look", n)
	}
}
