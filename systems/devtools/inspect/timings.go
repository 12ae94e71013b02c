package inspect

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/tactusgo/tactus/ecs"
)

// timings measures the wake-ups of a server and each of its systems. Only the server's goroutine may use it; requests
// get a copy.
type timings struct {
	clock   func() time.Duration
	began   time.Duration
	wakeups histogram
	recent  [recentWakeups]time.Duration // ring of the latest durations
	systems []*systemTime
	ended   *systemTime // the system that ended last, and when
	at      time.Duration
	code    uintptr // code pointer of the timing wrapper
}

// recentWakeups is the number of wake-ups that are shown one by one: ten seconds at 60 a second.
const recentWakeups = 600

// bounds are the upper bounds of the histogram's classes; longer durations are in one more class.
var bounds = [...]time.Duration{
	10 * time.Microsecond, 20 * time.Microsecond, 50 * time.Microsecond,
	100 * time.Microsecond, 200 * time.Microsecond, 500 * time.Microsecond,
	time.Millisecond, 2 * time.Millisecond, 5 * time.Millisecond,
	10 * time.Millisecond, 20 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond,
}

// histogram counts durations by class.
type histogram struct {
	counts [len(bounds) + 1]uint64
	count  uint64
	sum    time.Duration
	most   time.Duration
}

func (h *histogram) add(d time.Duration) {
	i := 0
	for i < len(bounds) && d > bounds[i] {
		i++
	}
	h.counts[i]++
	h.count++
	h.sum += d
	h.most = max(h.most, d)
}

// systemTime is the time of a system, including nested systems.
type systemTime struct {
	path   []string // from the top-level stage
	key    string   // the path as the schedule names it
	was    func(*ecs.World)
	before *systemTime // previous system in the same stage, with nothing in between; nil: none
	runs   uint64
	sum    time.Duration
	most   time.Duration
}

// attach times every system of a schedule while *on is true.
func (t *timings) attach(s *ecs.Schedule, on *bool) {
	s.WrapAll(func(path []string, run func(*ecs.World)) func(*ecs.World) {
		x := &systemTime{path: path, key: strings.Join(path, "/"), was: run}
		for t.hasSystem(path) { // Prometheus needs unique names
			path[len(path)-1] += "'"
		}
		if n := len(t.systems); n > 0 && slices.Equal(stageOf(t.systems[n-1].path), stageOf(path)) {
			x.before = t.systems[n-1]
		}
		t.systems = append(t.systems, x)
		timed := func(w *ecs.World) {
			if !*on {
				run(w)
				return
			}
			began := t.at
			if x.before == nil || t.ended != x.before { // else the clock was just read
				began = t.clock()
			}
			run(w)
			t.ended, t.at = x, t.clock()
			took := t.at - began
			x.runs++
			x.sum += took
			x.most = max(x.most, took)
		}
		t.code = codeOf(timed)
		return timed
	})
}

// detach restores the original systems. Systems that other code has wrapped since attach keep the wrapper, which no
// longer takes times.
func (t *timings) detach(s *ecs.Schedule) {
	if len(t.systems) == 0 {
		return
	}
	rest := slices.Clone(t.systems)
	s.WrapAll(func(path []string, run func(*ecs.World)) func(*ecs.World) {
		key := strings.Join(path, "/")
		i := slices.IndexFunc(rest, func(x *systemTime) bool { return x.key == key })
		if i < 0 {
			return nil // added after attach
		}
		x := rest[i]
		rest = slices.Delete(rest, i, i+1)
		if codeOf(run) != t.code {
			return nil
		}
		return x.was
	})
}

// codeOf returns the code pointer of a function, which is the same for all closures of a function literal.
func codeOf(run func(*ecs.World)) uintptr { return reflect.ValueOf(run).Pointer() }

func stageOf(path []string) []string { return path[:len(path)-1] }

// hasSystem reports whether the system with a path is timed.
func (t *timings) hasSystem(path []string) bool {
	return slices.ContainsFunc(t.systems, func(x *systemTime) bool { return slices.Equal(x.path, path) })
}

// startWakeup starts the time of a wake-up.
func (t *timings) startWakeup() { t.began = t.clock() }

// endWakeup records the time of a wake-up.
func (t *timings) endWakeup() {
	took := t.clock() - t.began
	t.recent[t.wakeups.count%recentWakeups] = took
	t.wakeups.add(took)
}

// reading is a copy of timings.
type reading struct {
	wakeups histogram
	recent  []time.Duration // the oldest first
	systems []systemTime
}

func (t *timings) read(r *reading) {
	r.wakeups = t.wakeups
	n := int(min(t.wakeups.count, recentWakeups))
	at := int(t.wakeups.count % recentWakeups)
	if n < recentWakeups {
		at = 0
	}
	r.recent = append(append(make([]time.Duration, 0, n), t.recent[at:n]...), t.recent[:at]...)
	r.systems = make([]systemTime, len(t.systems))
	for i, x := range t.systems {
		r.systems[i] = *x
	}
}

// quantile returns the quantile of the recent wake-ups.
func (r *reading) quantile(share float64) time.Duration {
	if len(r.recent) == 0 {
		return 0
	}
	return quantile(slices.Sorted(slices.Values(r.recent)), share)
}
