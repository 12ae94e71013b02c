package overload

import (
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/logging"
)

// Step is a measure against overload. Each step includes the previous ones.
type Step uint8

const (
	// Nothing is given up.
	Nothing Step = iota
	// AllHalf sends a client every second snapshot.
	AllHalf
	// AllQuarter sends a client every fourth snapshot.
	AllQuarter
	// NoCatchUp runs one tick per wake-up: late ticks are dropped, and the world runs slower than the clock.
	NoCatchUp

	steps
)

var stepNames = [steps]string{
	"nothing", "snapshots at half the rate", "snapshots at a quarter of the rate", "no catching up",
}

// String describes the step.
func (s Step) String() string { return stepNames[min(s, steps-1)] }

// All returns the divisor of the rate of snapshots.
func (s Step) All() uint32 { return [steps]uint32{1, 2, 4, 4}[min(s, steps-1)] }

const (
	// measureInterval is the time that ticks must stand for before a decision.
	measureInterval = 200 * time.Millisecond
	// raiseLoad is the load above which the next step is taken. Below lowerLoad the last step is undone, unless the
	// load is expected to exceed raiseLoad again.
	raiseLoad = 0.95
	lowerLoad = 0.8
	// calmWindows is the number of calm windows after which a step is undone although its effect is unknown. It
	// doubles, up to maxRelapses times, each time the step was needed again.
	calmWindows = 4
	maxRelapses = 4
	// changedShare is the share of the usual load below which conditions have changed, so that earlier relapses no
	// longer count.
	changedShare = 0.75
)

// DefaultAdmit is the load above which new players are refused.
const DefaultAdmit = 0.85

// Config configures a [Control].
type Config struct {
	Policy
	// Rates are the rates of snapshots that the control can choose, in snapshots per second, the highest first. The last is the
	// usual rate, below which snapshots are given up.
	Rates []int
	// SetRate sets the rate to one of Rates, divided by a divisor.
	SetRate func(rate int, divisor uint32)
	// Spread sets whether the snapshots of a send are spread over the ticks until the next one.
	Spread func(on bool)
	// Loop decides which ticks are due.
	Loop *ecs.Loop
	// Expects reports whether a player has a reserved seat.
	Expects func(player uint64) bool
	// Logger receives changes of the step, and refusals of new players.
	Logger logging.Logger
}

// Control measures the load of the server and chooses the step.
type Control struct {
	config Config
	status Status
	window span
	ended  time.Duration // end of the previous wake-up
	times  times

	catchUp    int            // ticks per wake-up without overload
	relief     [steps]float64 // factor by which a step reduced the load
	loadBefore float64        // the load at which the step was taken, during the first window after; otherwise 0
	usual      float64        // smoothed load since the step was taken; 0: unknown
	rate       int            // index of the rate
	rose       int            // windows since the rate rose or fell
	falls      int            // times that the rate fell soon after it had risen
	busy       [2]busyTimes   // of wake-ups without and with a send, since the rate changed

	calm         int // consecutive windows with a low load
	sinceLowered int // windows since a step was undone
	relapses     int // times that a step was undone too early
}

// busyTimes are the number of wake-ups and the time that they took.
type busyTimes struct {
	wakeUps int
	took    time.Duration
}

// mean returns the mean time of a wake-up.
func (b *busyTimes) mean() float64 { return b.took.Seconds() / float64(max(b.wakeUps, 1)) }

// span is the current measurement.
type span struct {
	began     time.Duration // start of the wake-up
	busy, due time.Duration // sums over wake-ups
	longest   float64       // share of its time that the longest wake-up took
}

// Status describes the overload of a server.
type Status struct {
	// Step is the current step, from 0, nothing given up. Its String describes it.
	Step Step
	// Load is the share of the available time that recent wake-ups took. Above 1 the server is behind. It is 0 if
	// nothing is measured.
	Load float64
	// SendRate is the number of snapshots a second that clients are sent, unless a client's path carries less.
	SendRate float64
	// Spread reports that the snapshots of a send leave over the ticks until the next send instead of all in one tick, because
	// that tick took more than half of its time.
	Spread bool
	// Raised and Lowered count the steps that were taken and undone.
	Raised, Lowered uint64
	// Refused counts refused new players.
	Refused uint64
}

// Status returns the current status.
func (c *Control) Status() Status { return c.status }

// New returns a control.
func New(c Config) *Control {
	if c.Admit == 0 {
		c.Admit = DefaultAdmit
	}
	x := &Control{config: c, catchUp: c.Loop.Limit}
	if c.Off {
		x.rate = len(c.Rates) - 1
	}
	x.setRate()
	return x
}

// setRate sets the rate of snapshots.
func (c *Control) setRate() {
	rate, divisor := c.config.Rates[c.rate], c.status.Step.All()
	c.status.SendRate = float64(rate) / float64(divisor)
	c.busy, c.rose = [2]busyTimes{}, 0
	c.config.SetRate(rate, divisor)
}

// Measure starts measuring by the machine's clock, if Policy.Clock is nil.
func (c *Control) Measure(now time.Time) {
	if c.config.Clock == nil {
		c.config.Clock = func() time.Duration { return time.Since(now) }
		c.times.pauses = newGCPauses(0)
	}
}

// BeginWakeUp is called at the start of a wake-up.
func (c *Control) BeginWakeUp() {
	if c.config.Clock != nil {
		c.window.began = c.config.Clock()
	}
}

// EndWakeUp is called at the end of a wake-up. due is the time that its ticks stand for, and late is how long after their time
// they began. The part of it that was not spent in the previous wake-up counts as load: other work of the process, such as other
// rooms, or of the machine kept the ticks waiting. sent says whether there was a send.
func (c *Control) EndWakeUp(due, late time.Duration, sent bool) {
	if c.config.Clock == nil {
		return
	}
	x, now := &c.window, c.config.Clock()
	c.times.add(now, now-x.began)
	b := &c.busy[0]
	if sent {
		b = &c.busy[1]
	}
	b.wakeUps, b.took = b.wakeUps+1, b.took+now-x.began
	x.busy += now - x.began + min(late, x.began-c.ended)
	x.longest = max(x.longest, float64(now-x.began)/float64(max(due, 1)))
	c.ended = now
	if x.due += due; x.due < measureInterval {
		return
	}
	load := float64(x.busy) / float64(x.due)
	c.spread(x.longest)
	if *x = (span{}); !c.config.Off {
		c.status.Load = load
		if c.status.Step > Nothing || !c.follow() {
			c.decide()
		}
	}
}

// Clients are sent more snapshots than usual while that leaves most of the time to other work: the rate falls above a load of fallLoad,
// and rises if the load is then expected to be below riseLoad, at first after riseWindows, later if it had to fall soon.
const (
	fallLoad    = 0.4
	riseLoad    = 0.3
	riseWindows = 5
	maxFalls    = 6
)

// follow lets the rate of snapshots follow the load. It reports whether the rate is above the usual one.
func (c *Control) follow() bool {
	load, usual := c.status.Load, len(c.config.Rates)-1
	if c.config.Process != nil {
		load = max(load, c.config.Process())
	}
	c.rose++
	switch {
	case c.rate < usual && load > fallLoad:
		if c.rose < riseWindows<<c.falls {
			c.falls = min(c.falls+1, maxFalls)
		}
		c.changeRate(c.rate+1, load)
	case c.rate > 0 && c.rose >= riseWindows<<c.falls && c.expects(c.rate-1, load) < riseLoad:
		c.changeRate(c.rate-1, load)
	}
	return c.rate < usual
}

// expects returns the expected load at a higher rate. If it cannot tell what a send costs, it assumes that the load consists of sends.
func (c *Control) expects(rate int, load float64) float64 {
	now, then := float64(c.config.Rates[c.rate]), float64(c.config.Rates[rate])
	if c.config.Process == nil && c.busy[0].wakeUps > 0 && c.busy[1].wakeUps > 0 {
		return load + max(c.busy[1].mean()-c.busy[0].mean(), 0)*(then-now)
	}
	return load * then / now
}

// changeRate changes the rate of snapshots.
func (c *Control) changeRate(to int, load float64) {
	c.config.Logger.Info("rate of snapshots", "from", c.config.Rates[c.rate], "to", c.config.Rates[to], "load", load)
	c.rate = to
	c.setRate()
}

// spreadAbove and spreadBelow are the shares of its time that the longest wake-up of a window takes when snapshots begin and cease
// to be spread.
const (
	spreadAbove = 0.5
	spreadBelow = 0.15
)

// spread decides whether snapshots are spread.
func (c *Control) spread(longest float64) {
	on := longest > spreadAbove || c.status.Spread && longest > spreadBelow
	if on != c.status.Spread {
		c.status.Spread = on
		c.config.Spread(on)
	}
}

// decide takes or undoes a step.
func (c *Control) decide() {
	if c.loadBefore > 0 {
		c.relief[c.status.Step], c.loadBefore = min(max(c.loadBefore/c.status.Load, 1), 4), 0
	}
	if c.status.Load < changedShare*c.usual {
		c.relapses = 0
	}
	if c.usual == 0 {
		c.usual = c.status.Load
	}
	c.usual += (c.status.Load - c.usual) / 8
	c.calm++
	c.sinceLowered++
	switch {
	case c.status.Load > raiseLoad && c.status.Step < steps-1:
		if c.sinceLowered <= 2*calmWindows && c.status.Lowered > 0 {
			c.relapses = min(c.relapses+1, maxRelapses)
		}
		c.loadBefore = c.status.Load
		c.setStep(c.status.Step + 1)
		c.status.Raised++
	case c.status.Load > lowerLoad:
		c.calm = 0
	case c.status.Step > Nothing && (c.relapses == 0 && c.status.Load*c.relief[c.status.Step] < DefaultAdmit || c.calm >= calmWindows<<c.relapses):
		c.setStep(c.status.Step - 1)
		c.sinceLowered = 0
		c.status.Lowered++
	}
}

// setStep changes the step.
func (c *Control) setStep(to Step) {
	log := c.config.Logger.Info
	if to > c.status.Step {
		log = c.config.Logger.Warn
	}
	log("overload", "given up", to.String(), "load", c.status.Load)
	c.status.Step, c.calm, c.usual = to, 0, 0
	c.setRate()
	if c.config.Loop.Limit = c.catchUp; to == NoCatchUp {
		c.config.Loop.Limit = 1
	}
}
