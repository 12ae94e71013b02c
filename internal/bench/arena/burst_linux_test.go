package main

import (
	"testing"
	"time"
)

// For each tick the burner burns the duration of the last wake-up times the factor. Burnt time does not count as work.
func TestBurner_BurnsWhatWorkTakes(t *testing.T) {
	b := burner{}
	b.step(nil)
	b.step(nil)
	b.end(4 * time.Millisecond)
	b.startBurst(1.5, 0.5, 0, 100)
	if b.factor != 3 || b.burnt != 0 {
		t.Fatalf("%+v", b)
	}
	began := time.Now()
	b.step(nil)
	if took := time.Since(began); b.burnt < 4*time.Millisecond || took < b.burnt {
		t.Errorf("a tick of 2 ms burnt %v in %v", b.burnt, took)
	}
	b.end(b.burnt + 3*time.Millisecond)
	if b.net != 3*time.Millisecond || b.work != 7*time.Millisecond || b.burnt != 0 || b.ticks != 1 {
		t.Errorf("%+v", b)
	}
	b.calm()
	b.step(nil)
	if b.burnt != 0 {
		t.Errorf("burnt %v when it was over", b.burnt)
	}
	sent := uint64(5)
	b.sent = func() uint64 { return sent }
	b.startBurst(1.5, 0.5, 1000, 100)
	if sent = 8; b.each != time.Millisecond {
		t.Errorf("%v for each snapshot", b.each)
	}
	if b.step(nil); b.burnt < 3*time.Millisecond {
		t.Errorf("burnt %v for three", b.burnt)
	}
	b.end(b.burnt)
	if b.step(nil); b.burnt != 0 || b.seen != 8 {
		t.Errorf("burnt %v for none", b.burnt)
	}
	b.note(0, "nothing", 103)
	b.note(1, "something", 106)
	b.note(1, "something", 109)
	b.note(0, "nothing", 112)
	if len(b.steps) != 2 || b.steps[0].Tick != 6 || b.steps[1].Step != 0 {
		t.Errorf("%+v", b.steps)
	}
}
