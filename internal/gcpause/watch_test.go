package gcpause

import (
	"runtime"
	"testing"
	"time"
)

// The longest pause is told until a minute is over, and that of before is not; asking again and again allocates nothing.
func TestWatch(t *testing.T) {
	runtime.GC()
	w := New(0)
	at := every
	w.Look(at - 1)
	if d := w.Longest(); d != 0 {
		t.Errorf("%v before the runtime was asked", d)
	}
	runtime.GC()
	w.Look(at)
	if d := w.Longest(); d <= 0 || d > time.Minute {
		t.Errorf("the longest pause is %v", d)
	}
	w.longest[w.part] = time.Hour
	for n := range parts {
		if n < parts-1 {
			at += every
			w.Look(at)
		}
		if d := w.Longest(); d != time.Hour {
			t.Fatalf("%v after %d looks", d, n)
		}
	}
	at += every
	w.Look(at)
	if d := w.Longest(); d == time.Hour {
		t.Error("it is told for ever")
	}
	if n := testing.AllocsPerRun(20, func() { at += every; w.Look(at) }); n > 0 {
		t.Errorf("%v allocations a look", n)
	}
}
