package ecs

import (
	"math"
	"time"
)

// MaxCatchUp is how many steps a [Loop] runs at once when it is late, unless its
// Limit says otherwise. What is
// due beyond that is dropped and counted: a peer that cannot keep up must not
// fall ever further behind.
const MaxCatchUp = 5

// Loop turns the passing of time into fixed steps. It reads no clock: the
// caller says what time it is, real or virtual.
type Loop struct {
	// Dropped counts steps that were due but not run.
	Dropped uint64
	// Limit is how many steps run at once. Default: [MaxCatchUp].
	Limit int

	step float64 // nanoseconds at rate 1
	rate float64
	next time.Time
	last float64 // nanoseconds from the step before to the next
	rest float64 // part of a nanosecond that next leaves out
}

// NewLoop makes a loop of stepsPerSecond steps, the first due at start. It
// panics unless stepsPerSecond is positive.
func NewLoop(start time.Time, stepsPerSecond int) *Loop {
	if stepsPerSecond <= 0 {
		panic("ecs: NewLoop needs at least one step a second")
	}
	return &Loop{step: float64(time.Second) / float64(stepsPerSecond), rate: 1, next: start, last: float64(time.Second) / float64(stepsPerSecond), Limit: MaxCatchUp}
}

// SetRate speeds the loop up or down: at 1.02 a step takes 1/1.02 of its
// length. It holds from the step after the next. It panics unless rate is
// positive and finite.
func (l *Loop) SetRate(rate float64) {
	if !(rate > 0) || math.IsInf(rate, 0) {
		panic("ecs: Loop.SetRate needs a positive rate")
	}
	l.rate = rate
}

// Next is when the next step is due.
func (l *Loop) Next() time.Time { return l.next }

// Passed is the share of the time from the newest step to the next that has passed, 0
// to 1.
func (l *Loop) Passed(now time.Time) float64 {
	return min(max(1-float64(l.next.Sub(now))/l.last, 0), 1)
}

// Advance returns how many steps to run now, 0 to Limit. A clock that
// stepped back by more than two steps starts the count afresh from now.
func (l *Loop) Advance(now time.Time) int {
	length := l.step / l.rate
	if float64(l.next.Sub(now)) > 2*length {
		l.next, l.rest = now, 0
		l.forward(1)
		return 0
	}
	n := 0
	for n < l.Limit && !l.next.After(now) {
		n++
		l.forward(1)
	}
	if behind := now.Sub(l.next); behind >= 0 {
		lost := math.Floor((float64(behind)-l.rest)/length) + 1
		l.Dropped += uint64(lost)
		l.forward(lost)
	}
	return n
}

// forward moves next on by whole steps, without loss of what is less than a
// nanosecond.
func (l *Loop) forward(steps float64) {
	l.last = l.step / l.rate
	d := steps*l.last + l.rest
	whole := time.Duration(d)
	l.rest = d - float64(whole)
	l.next = l.next.Add(whole)
}
