package overload

import (
	"log/slog"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
)

// machine is a server with 60 ticks per second whose work depends on the current step.
type machine struct {
	*Control
	now   time.Duration
	work  func(s Step) float64 // share of a tick's time
	taken []Step
	last  Step

	spreads bool
	wakeUp  int
}

const tick = time.Second / 60

// sends reports whether there is a send at this wake-up.
func (m *machine) sends() bool {
	m.wakeUp++
	return m.wakeUp%max(60/int(m.status.SendRate), 1) == 0
}

func newMachine(work func(Step) float64) *machine {
	m := &machine{work: work}
	m.Control = New(Config{
		Policy: Policy{Clock: func() time.Duration { return m.now }},
		Rates:  []int{20}, SetRate: func(int, uint32) { m.noteStep() }, Spread: func(on bool) { m.spreads = on }, Loop: &ecs.Loop{},
		Expects: func(player uint64) bool { return player == 7 }, Logger: slog.New(slog.DiscardHandler),
	})
	return m
}

// noteStep notes a new step.
func (m *machine) noteStep() {
	if m.Control != nil && m.status.Step != m.last {
		m.last = m.status.Step
		m.taken = append(m.taken, m.last)
	}
}

func (m *machine) run(d time.Duration) {
	for end := m.now + d; m.now < end; {
		m.BeginWakeUp()
		busy := time.Duration(m.work(m.status.Step) * float64(tick))
		m.now += busy
		m.EndWakeUp(tick, 0, m.sends())
		m.now += max(tick-busy, 0)
	}
}

// sending returns the work of a machine: a share for simulation, and one for snapshots.
func sending(simulation, snapshots float64) func(Step) float64 {
	return func(s Step) float64 { return simulation + snapshots/float64(s.All()) }
}

// At a load of 1.5 the control takes the steps in order until the load is low enough. When the load falls, it undoes all steps
// within two seconds.
func TestStepsAreTakenInOrderAndTakenBack(t *testing.T) {
	for name, c := range map[string]struct {
		work func(Step) float64
		want []Step
	}{
		"half is enough":       {sending(0.3, 1.1), []Step{AllHalf}},
		"a quarter is needed":  {sending(0.3, 2), []Step{AllHalf, AllQuarter}},
		"nothing helps":        {sending(1.5, 0), []Step{AllHalf, AllQuarter, NoCatchUp}},
		"there is time enough": {sending(0.3, 0.4), nil},
	} {
		m := newMachine(c.work)
		m.run(60 * time.Second)
		first := m.taken[:min(len(c.want), len(m.taken))]
		if !slices.Equal(first, c.want) {
			t.Errorf("%s: took %v, want first %v", name, m.taken, c.want)
		}
		if m.status.Step > Nothing && m.admits() || m.status.Step == Nothing && !m.admits() {
			t.Errorf("%s: at %v, with load %.2f, newcomers: %v", name, m.status.Step, m.status.Load, m.admits())
		}
		if n := len(m.taken); n > len(c.want)+24 {
			t.Errorf("%s: %d changes in a minute", name, n)
		}
		most := slices.Max(append(slices.Clone(c.want), Nothing))
		if slices.ContainsFunc(m.taken, func(s Step) bool { return s > most }) {
			t.Errorf("%s: took %v, and %v is enough", name, m.taken, most)
		}
		m.work = sending(0.3, 0.2)
		m.run(2 * time.Second)
		if m.status.Step != Nothing || !m.admits() {
			t.Errorf("%s: two seconds after the load dropped: %v, load %.2f", name, m.status.Step, m.status.Load)
		}
	}
}

// New players are refused before any step is taken.
func TestNewcomersAreTurnedAwayFirst(t *testing.T) {
	m := newMachine(sending(0.3, 0.6))
	m.run(5 * time.Second)
	if m.admits() || m.status.Step != Nothing || m.status.Refused != 0 {
		t.Errorf("load %.2f, step %v, %d refused", m.status.Load, m.status.Step, m.status.Refused)
	}
}

// Without a clock nothing is measured and no step is taken.
func TestNoClockNoDecision(t *testing.T) {
	c := New(Config{Loop: &ecs.Loop{}, Rates: []int{20}, SetRate: func(int, uint32) {}})
	for range 1000 {
		c.BeginWakeUp()
		c.EndWakeUp(tick, 0, true)
	}
	if c.status.Step != Nothing || c.status.Load != 0 || !c.admits() {
		t.Errorf("step %v, load %v", c.status.Step, c.status.Load)
	}
}

// A step that was undone too early is undone more rarely.
func TestFlapsBecomeRare(t *testing.T) {
	m := newMachine(sending(0.3, 0.9)) // 1.2, and 0.75 at half the rate
	m.run(120 * time.Second)
	late := 0
	before := len(m.taken)
	m.run(60 * time.Second)
	if late = len(m.taken) - before; late > 12 {
		t.Errorf("%d changes in the third minute: %v", late, m.taken[before:])
	}
}

// Times covers all wake-ups of the last minute, even with Off. With a custom clock, garbage collection pauses are not
// measured.
func TestTimesOfWakeups(t *testing.T) {
	for _, off := range []bool{false, true} {
		m := newMachine(func(Step) float64 { return 0.06 }) // 1 ms
		m.config.Off = off
		if m.Times() != (Times{}) {
			t.Errorf("%+v before the first wake-up", m.Times())
		}
		m.run(20 * time.Second)
		m.work = func(Step) float64 { return 3 }
		m.run(tick) // one that takes 50 ms
		m.work = func(Step) float64 { return 0.06 }
		m.run(20 * time.Second)
		near := func(d, want time.Duration) bool { return (d - want).Abs() <= want/32 }
		x := m.Times()
		if !near(x.P50, time.Millisecond) || x.P99 != x.P50 || x.P999 != x.P50 || !near(x.Longest, 3*tick) || x.GCPause != 0 {
			t.Errorf("off %v: %+v", off, x)
		}
		if m.run(time.Minute); !near(m.Times().Longest, time.Millisecond) {
			t.Errorf("off %v, a minute later: %+v", off, m.Times())
		}
		if off && (m.status != Status{SendRate: 20}) {
			t.Errorf("it decides: %+v", m.status)
		}
	}
}

// With the machine's clock, garbage collection pauses are measured.
func TestPausesAreWatchedByTheMachinesClock(t *testing.T) {
	c := New(Config{Spread: func(bool) {}, Loop: &ecs.Loop{}, Rates: []int{20}, SetRate: func(int, uint32) {}, Logger: slog.New(slog.DiscardHandler)})
	c.Measure(time.Now())
	runtime.GC()
	c.BeginWakeUp()
	c.EndWakeUp(0, 0, true)
	c.times.pauses.update(time.Hour)
	if x := c.Times(); x.GCPause <= 0 || x.Longest <= 0 {
		t.Errorf("%+v", x)
	}
}

// Snapshots are spread once a wake-up takes more than half of its time, until the longest wake-up takes little.
func TestSpread(t *testing.T) {
	load := 0.3
	m := newMachine(func(Step) float64 { return load })
	for _, x := range []struct {
		load    float64
		spreads bool
	}{{0.3, false}, {0.6, true}, {0.3, true}, {0.1, false}, {0.3, false}} {
		load = x.load
		if m.run(time.Second); m.spreads != x.spreads || m.Status().Spread != x.spreads {
			t.Errorf("after wake-ups of %v of their time: spread %v", x.load, m.spreads)
		}
	}
}

// The rate follows the load: it is the highest that leaves time to others, and it does not flap. At the usual rate nothing is given up
// before the load is high.
func TestTheRateFollowsTheLoad(t *testing.T) {
	clients, changes := 0, 0
	m := newMachine(nil)
	m.config.Rates, m.config.SetRate = []int{60, 30, 20}, func(int, uint32) { changes++ }
	m.setRate()
	m.work = func(Step) float64 { // 0.01 % of a tick for a client, and 0.05 % for its snapshot
		work := 0.0001 * float64(clients)
		if (m.wakeUp+1)%(60/int(m.status.SendRate)) == 0 {
			work += 0.0005 * float64(clients)
		}
		return work
	}
	for _, x := range []struct {
		clients int
		rate    float64
	}{{8, 60}, {500, 60}, {800, 30}, {1200, 20}, {2000, 20}, {1200, 20}, {700, 30}, {8, 60}} {
		clients = x.clients
		m.run(20 * time.Second)
		changes = 0
		m.run(20 * time.Second)
		if m.status.SendRate != x.rate || m.status.Step != Nothing || changes > 0 {
			t.Errorf("%d clients: %v snapshots a second at a load of %.2f, %v, %d changes in 20 s", x.clients, m.status.SendRate, m.status.Load, m.status.Step, changes)
		}
	}
	m.config.Process = func() float64 { return 0.5 }
	if m.run(time.Second); m.status.SendRate != 20 {
		t.Errorf("in a busy process: %v snapshots a second", m.status.SendRate)
	}
}
