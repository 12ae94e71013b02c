package swarm

import "time"

// load is how much of its time a goroutine works, by the wall clock: what others of the machine took of it counts as work,
// as it is lost as well.
type load struct {
	began time.Time
	busy  time.Duration
	steps uint64
	late  uint64 // steps that began more than lateStep after they were due
	worst time.Duration
}

// lateStep is from when on a step is late: a quarter of a tick of 60 a second.
const lateStep = 4 * time.Millisecond

func (l *load) begin(now time.Time) { l.began = now }

// step counts a step that was due, began and ended.
func (l *load) step(due, began, ended time.Time) {
	l.steps++
	l.busy += ended.Sub(began)
	if d := began.Sub(due); d > lateStep {
		l.late++
		l.worst = max(l.worst, d)
	}
}

// share is how much of the time up to now was busy, 0 to 1.
func (l *load) share(now time.Time) float64 {
	if d := now.Sub(l.began); d > 0 {
		return min(float64(l.busy)/float64(d), 1)
	}
	return 0
}
