package swarm

import "time"

// load measures the share of its time that a goroutine works, by the wall clock. Time that other processes take from it
// counts as work, because it is lost as well.
type load struct {
	began time.Time
	busy  time.Duration
	steps uint64
	late  uint64 // steps that started more than lateStep after they were due
	worst time.Duration
}

// lateStep is the delay from which a step is late: a quarter of a tick at 60 Hz.
const lateStep = 4 * time.Millisecond

func (l *load) reset(now time.Time) { l.began = now }

// step counts a step with its due, start and end time.
func (l *load) step(due, began, ended time.Time) {
	l.steps++
	l.busy += ended.Sub(began)
	if d := began.Sub(due); d > lateStep {
		l.late++
		l.worst = max(l.worst, d)
	}
}

// share returns the busy share of the time until now, 0 to 1.
func (l *load) share(now time.Time) float64 {
	if d := now.Sub(l.began); d > 0 {
		return min(float64(l.busy)/float64(d), 1)
	}
	return 0
}
