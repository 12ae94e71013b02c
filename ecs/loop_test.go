package ecs_test

import (
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
)

var epoch = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// polled advances the loop from start to end, looking every interval.
func polled(l *ecs.Loop, start time.Time, d, interval time.Duration) (steps int) {
	for t := time.Duration(0); t < d; t += interval {
		steps += l.Advance(start.Add(t))
	}
	return steps
}

func TestTheRateIsExactOverAnHour(t *testing.T) {
	for _, hz := range []int{60, 20, 128, 7} {
		for _, interval := range []time.Duration{time.Millisecond, 3_333_333, 16_666_667} {
			if hz == 128 && interval > 7*time.Millisecond {
				interval = 7 * time.Millisecond
			}
			l := ecs.NewLoop(epoch, hz)
			equal(t, "steps in an hour", polled(l, epoch, time.Hour, interval), 3600*hz)
			equal(t, "dropped", l.Dropped, 0)
			if d := l.Next().Sub(epoch.Add(time.Hour)); d < -time.Microsecond || d > time.Microsecond {
				t.Errorf("%d Hz: the first step of the next hour is off by %v", hz, d)
			}
		}
	}
}

func TestSleepingUntilNextRunsOneStep(t *testing.T) {
	l := ecs.NewLoop(epoch, 60)
	for range 1000 {
		if n := l.Advance(l.Next()); n != 1 {
			t.Fatalf("%d steps", n)
		}
		if l.Advance(l.Next().Add(-1)) != 0 {
			t.Fatal("a step before its time")
		}
	}
}

func TestALateLoopCatchesUpFiveSteps(t *testing.T) {
	for late := range 12 { // ticks beyond the one that is due
		l := ecs.NewLoop(epoch, 100)
		n := l.Advance(epoch.Add(time.Duration(late) * 10 * time.Millisecond))
		equal(t, "steps", n, min(late+1, ecs.MaxCatchUp))
		equal(t, "dropped", l.Dropped, uint64(max(late+1-ecs.MaxCatchUp, 0)))
		equal(t, "next", l.Next(), epoch.Add(time.Duration(late+1)*10*time.Millisecond))
	}
}

// However long the sleep, the loop is back on its beat at once: nothing is left
// to catch up with, and the beat is not skipped.
func TestALongSleepCostsNothing(t *testing.T) {
	for _, sleep := range []time.Duration{24 * time.Hour, 365 * 24 * time.Hour, 100*365*24*time.Hour + 1} {
		l := ecs.NewLoop(epoch, 60)
		now := epoch.Add(sleep)
		equal(t, "steps", l.Advance(now), ecs.MaxCatchUp)
		due := uint64(sleep.Seconds()*60) + 1
		if got := l.Dropped + ecs.MaxCatchUp; got+1 < due || got > due+1 {
			t.Errorf("%v: %d steps accounted for, %d were due", sleep, got, due)
		}
		if wait := l.Next().Sub(now); wait <= 0 || wait > time.Second/60+time.Microsecond {
			t.Errorf("%v: the next step is due in %v", sleep, wait)
		}
		dropped := l.Dropped
		if n := polled(l, now, time.Second, time.Millisecond); n < 59 || n > 60 {
			t.Errorf("%v: %d steps in the second after", sleep, n)
		}
		equal(t, "dropped since", l.Dropped, dropped)
	}
}

func TestAClockThatStepsBack(t *testing.T) {
	l := ecs.NewLoop(epoch, 100)
	l.Advance(epoch)
	if n := l.Advance(epoch.Add(-5 * time.Millisecond)); n != 0 {
		t.Errorf("%d steps", n)
	}
	equal(t, "next after a small step back", l.Next(), epoch.Add(10*time.Millisecond))
	back := epoch.Add(-time.Hour)
	equal(t, "steps", l.Advance(back), 0)
	equal(t, "next", l.Next(), back.Add(10*time.Millisecond))
	equal(t, "steps in a second", polled(l, back.Add(10*time.Millisecond), time.Second, time.Millisecond), 100)
	equal(t, "dropped", l.Dropped, 0)
}

func TestSetRate(t *testing.T) {
	for _, rate := range []float64{1.02, 0.98, 2, 0.5} {
		l := ecs.NewLoop(epoch, 60)
		l.SetRate(rate)
		want := 600 * 60 * rate
		if n := polled(l, epoch, 10*time.Minute, time.Millisecond); math.Abs(float64(n)-want) > 1 {
			t.Errorf("rate %v: %d steps in ten minutes, want %v", rate, n, want)
		}
		equal(t, "dropped", l.Dropped, 0)
	}
	l := ecs.NewLoop(epoch, 60)
	for _, rate := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		refused(t, func() { l.SetRate(rate) }, "positive")
	}
	refused(t, func() { ecs.NewLoop(epoch, 0) }, "at least one")
}
