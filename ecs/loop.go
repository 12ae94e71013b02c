package ecs

import "time"

// MaxCatchUp is how many steps a [Loop] runs at once when it is late. What is
// due beyond that is dropped and counted: a peer that cannot keep up must not
// fall ever further behind.
const MaxCatchUp = 5

// Loop turns the passing of time into fixed steps. It reads no clock: the
// caller says what time it is, real or virtual.
type Loop struct {
	// Dropped counts steps that were due but not run.
	Dropped uint64

	step    float64 // nanoseconds at rate 1
	rate    float64
	next    time.Time
	rest    float64 // part of a nanosecond that next leaves out
	started bool
}

// NewLoop makes a loop of stepsPerSecond steps, the first due at start.
func NewLoop(start time.Time, stepsPerSecond int) *Loop {
	return &Loop{step: float64(time.Second) / float64(stepsPerSecond), rate: 1, next: start}
}

// SetRate speeds the loop up or down: at 1.02 a step takes 1/1.02 of its
// length. It holds from the step after the next.
func (l *Loop) SetRate(rate float64) { l.rate = rate }

// Next is when the next step is due.
func (l *Loop) Next() time.Time { return l.next }

// Advance returns how many steps to run now, 0 to [MaxCatchUp]. A clock that
// stepped back by more than two steps starts the count afresh from now.
func (l *Loop) Advance(now time.Time) int {
	length := time.Duration(l.step / l.rate)
	if l.next.Sub(now) > 2*length {
		l.next, l.rest = now.Add(length), 0
		return 0
	}
	n := 0
	for n < MaxCatchUp && !l.next.After(now) {
		n++
		l.forward(1)
	}
	if behind := now.Sub(l.next); behind >= 0 {
		lost := 1 + int64(behind/length)
		l.Dropped += uint64(lost)
		l.forward(float64(lost))
	}
	return n
}

func (l *Loop) forward(steps float64) {
	d := steps*(l.step/l.rate) + l.rest
	whole := time.Duration(d)
	l.rest = d - float64(whole)
	l.next = l.next.Add(whole)
}
