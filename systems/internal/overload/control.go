package overload

import (
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/logging"
)

// Step is how much is given up: each step what those before it do, and more.
type Step uint8

const (
	// Nothing is given up.
	Nothing Step = iota
	// FarHalf tells clients of what is far from them in every second send.
	FarHalf
	// FarQuarter does so in every fourth.
	FarQuarter
	// AllHalf sends a client every second snapshot.
	AllHalf
	// AllQuarter sends it every fourth.
	AllQuarter
	// NoCatchUp makes one tick a wake-up: those that are behind are dropped, and the world goes
	// slower than the clock.
	NoCatchUp

	steps
)

var names = [steps]string{
	"nothing", "far entities at half the rate", "far entities at a quarter of the rate",
	"snapshots at half the rate", "snapshots at a quarter of the rate", "no catching up",
}

// String says it in words.
func (s Step) String() string { return names[min(s, steps-1)] }

// Far and All are by how much the rates of snapshots are divided: that of what is far from a
// client, among those that the client is sent, and that of all it is sent.
func (s Step) Far() uint32 { return [steps]uint32{1, 2, 4, 4, 4, 4}[min(s, steps-1)] }

// All is the divisor of all that a client is sent; see Far.
func (s Step) All() uint32 { return [steps]uint32{1, 1, 1, 2, 4, 4}[min(s, steps-1)] }

const (
	// measured is for how long wake-ups are measured before anything is decided, in time that
	// their ticks stand for.
	measured = 200 * time.Millisecond
	// tooMuch is the load above which the next step is taken, and enough the one below which the
	// last is taken back, where that is not expected to be too much again.
	tooMuch = 0.95
	enough  = 0.8
	// patience is how many calm windows it takes until a step is taken back of which it is not known
	// whether that is too much again; twice as many, up to mostFlaps times, for each time that it was.
	patience  = 4
	mostFlaps = 4
	// changed is the share of the usual load below which something else has changed: what was too
	// much before need not be now.
	changed = 0.75
)

// DefaultAdmit is the load above which newcomers are turned away.
const DefaultAdmit = 0.85

// Config is what a [Control] is made of.
type Config struct {
	Policy
	// Divide divides the rates of snapshots: of what is far from a client, and of all it is sent.
	Divide func(far, all uint32)
	// Loop says which ticks are due.
	Loop *ecs.Loop
	// Expects reports whether a player is waited for.
	Expects func(player uint64) bool
	// Logger is told when the step changes, and that newcomers are turned away.
	Logger logging.Logger
}

// Control measures how long wake-ups take, and decides.
type Control struct {
	config Config
	status Status
	window span
	times  times

	catchUp int            // wake-ups that are due are made at once while nothing is given up
	relief  [steps]float64 // by how much a step made the load less
	before  float64        // the load for which the step was taken, in the first window after; else 0
	usual   float64        // load since then, smoothed; 0: not known
	calm    int            // windows in a row with load to spare
	spared  int            // windows since a step was taken back
	flaps   int            // how often that was too early
}

// span is what is measured before anything is decided.
type span struct {
	began     time.Duration // of the wake-up
	busy, due time.Duration // of all
}

// Status is what a server gives up, and how busy it is.
type Status struct {
	// Step counts what is given up, from 0, nothing; its String says it in words.
	Step Step
	// Load is the share of their time that wake-ups took lately; above 1 the server is behind. 0
	// where nothing is measured.
	Load float64
	// Raised and Lowered count the steps that were taken and taken back.
	Raised, Lowered uint64
	// Refused counts the newcomers turned away.
	Refused uint64
}

// Status says where the control stands.
func (c *Control) Status() Status { return c.status }

// New makes a control.
func New(c Config) *Control {
	if c.Admit == 0 {
		c.Admit = DefaultAdmit
	}
	return &Control{config: c, catchUp: c.Loop.Limit}
}

// Measure measures by the machine's clock from now on, where there is no other one.
func (c *Control) Measure(now time.Time) {
	if c.config.Clock == nil {
		c.config.Clock = func() time.Duration { return time.Since(now) }
		c.times.pauses = newGCPauses(0)
	}
}

// Begin is called when a wake-up begins.
func (c *Control) Begin() {
	if c.config.Clock != nil {
		c.window.began = c.config.Clock()
	}
}

// End is called when a wake-up has ended that ran ticks which stand for so much time.
func (c *Control) End(due time.Duration) {
	if c.config.Clock == nil {
		return
	}
	x, now := &c.window, c.config.Clock()
	c.times.add(now, now-x.began)
	if c.config.Off {
		return
	}
	x.busy += now - x.began
	if x.due += due; x.due < measured {
		return
	}
	c.status.Load = float64(x.busy) / float64(x.due)
	*x = span{}
	c.decide()
}

// decide takes a step, or takes one back.
func (c *Control) decide() {
	if c.before > 0 {
		c.relief[c.status.Step], c.before = min(max(c.before/c.status.Load, 1), 4), 0
	}
	if c.status.Load < changed*c.usual {
		c.flaps = 0
	}
	if c.usual == 0 {
		c.usual = c.status.Load
	}
	c.usual += (c.status.Load - c.usual) / 8
	c.calm++
	c.spared++
	switch {
	case c.status.Load > tooMuch && c.status.Step < steps-1:
		if c.spared <= 2*patience && c.status.Lowered > 0 {
			c.flaps = min(c.flaps+1, mostFlaps)
		}
		c.before = c.status.Load
		c.change(c.status.Step + 1)
		c.status.Raised++
	case c.status.Load > enough:
		c.calm = 0
	case c.status.Step > Nothing && (c.flaps == 0 && c.status.Load*c.relief[c.status.Step] < DefaultAdmit || c.calm >= patience<<c.flaps):
		c.change(c.status.Step - 1)
		c.spared = 0
		c.status.Lowered++
	}
}

// change takes another step.
func (c *Control) change(to Step) {
	log := c.config.Logger.Info
	if to > c.status.Step {
		log = c.config.Logger.Warn
	}
	log("overload", "given up", to.String(), "load", c.status.Load)
	c.status.Step, c.calm, c.usual = to, 0, 0
	c.config.Divide(to.Far(), to.All())
	if c.config.Loop.Limit = c.catchUp; to == NoCatchUp {
		c.config.Loop.Limit = 1
	}
}
