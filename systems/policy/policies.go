package policy

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Policies are a netcode model: one choice on each axis, and the parameters of
// those choices. The zero value is [LocalSync]. Rates are not among them: they
// stay in the server's configuration, and any model runs at any of them.
type Policies struct {
	Timing     InputTiming  // Default: TimingBuffered
	Late       LateInput    // Default: LateDrop
	Missing    MissingInput // Default: MissingRepeat
	State      ServerState  // Default: StateForward
	Correction Correction   // Default: CorrectionState
	Remotes    Remotes      // Default: RemotesInterpolated
	Outcomes   Outcomes     // Default: OutcomesAtOnce
	Tolerance  Tolerance    // Default: ToleranceFields
	Horizon    Horizon      // Default: HorizonPlayers

	// Window is P: how far back a late input may rewrite history, in whole
	// milliseconds up to [MaxWindow]. The larger, the worse a link may be; the
	// smaller, the smaller the largest jump that others can see, the less memory and
	// the less there is to re-simulate. Only with LateRewrite, else it is 0.
	// Default (0): 1 s.
	Window time.Duration
	// Suggest is X: how long after it was gathered a client wants its input to
	// apply, on its own screen too, in whole milliseconds up to [MaxSuggest]. It
	// hides that much of everybody's latency from the others and is felt by the
	// player. With MissingWait it is the least delay. Only with TimingStamped, else
	// it is 0. Default (0): 30 ms. For none at all: [NoSuggest].
	Suggest time.Duration
}

// Limits and defaults of the parameters.
const (
	// DefaultWindow is P where Policies says 0.
	DefaultWindow = time.Second
	// MaxWindow bounds P, and with it what a server keeps of the past.
	MaxWindow = 10 * time.Second
	// DefaultSuggest is X where Policies says 0.
	DefaultSuggest = 30 * time.Millisecond
	// MaxSuggest bounds X.
	MaxSuggest = time.Second
	// NoSuggest is the X of inputs that apply in the tick that gathered them.
	NoSuggest time.Duration = -1
)

// ErrPolicies is wrapped by every error of this package.
var ErrPolicies = errors.New("policy: no model")

// Filled is p with the documented defaults in place of zeros, which is what a
// model reads: Window is positive with LateRewrite, Suggest positive or NoSuggest
// with TimingStamped; both stay 0 otherwise.
func (p Policies) Filled() Policies {
	if p.Late == LateRewrite && p.Window == 0 {
		p.Window = DefaultWindow
	}
	if p.Timing == TimingStamped && p.Suggest == 0 {
		p.Suggest = DefaultSuggest
	}
	return p
}

// WindowTicks is the window in ticks, rounded up, of a world of so many steps a
// second; 0 where nothing rewrites history.
func (p Policies) WindowTicks(tickRate int) int {
	return int((p.Filled().Window*time.Duration(tickRate) + time.Second - 1) / time.Second)
}

// SuggestTicks is X in ticks, to the nearest, of a world of so many steps a
// second; 0 where inputs are not stamped.
func (p Policies) SuggestTicks(tickRate int) int {
	return int((max(p.Filled().Suggest, 0)*time.Duration(tickRate) + time.Second/2) / time.Second)
}

// FirstOpen is the horizon in a world of so many steps a second that has simulated
// up to the tick newest: the first tick whose outcomes are not final, newest + 1
// when all are. The argument outstanding is the first tick that a word is still
// missing about: on a peer that rewinds, some connected player's input; on a client
// of a server that only goes forward, the server's confirmation.
func (p Policies) FirstOpen(tickRate int, newest, outstanding uint32) uint32 {
	next := newest + 1
	if p.Outcomes == OutcomesAtOnce {
		return next
	}
	outstanding = min(outstanding, next)
	if p.Late != LateRewrite {
		return outstanding
	}
	inWindow := next - min(next, uint32(p.WindowTicks(tickRate)))
	if p.Horizon == HorizonWindow {
		return inWindow
	}
	return max(outstanding, inWindow)
}

// Validate reports what is wrong with p; it never changes it. The error wraps
// [ErrPolicies]. For two choices that contradict each other it names both axes,
// why they exclude each other, and what to choose instead; whoever follows the
// advice until there is none has a model.
func (p Policies) Validate() error {
	c := p.choices()
	for a, v := range c {
		if n := names[a]; int(v) >= len(n.values) {
			return fmt.Errorf("%w: %s %d; there are %s", ErrPolicies, n.axis, v, strings.Join(n.values, ", "))
		}
	}
	if r := c.contradiction(); r != nil {
		return fmt.Errorf("%w: %v", ErrPolicies, r)
	}
	switch {
	case p.Window != 0 && p.Late != LateRewrite:
		return fmt.Errorf("%w: Window %v does nothing with late input %v: choose rewrite, or leave it 0", ErrPolicies, p.Window, p.Late)
	case p.Window < 0 || p.Window > MaxWindow || p.Window%time.Millisecond != 0:
		return fmt.Errorf("%w: Window %v is not whole milliseconds up to %v (0: %v)", ErrPolicies, p.Window, MaxWindow, DefaultWindow)
	case p.Suggest != 0 && p.Timing != TimingStamped:
		return fmt.Errorf("%w: Suggest %v does nothing with input timing %v: choose stamped, or leave it 0", ErrPolicies, p.Suggest, p.Timing)
	case p.Suggest != NoSuggest && (p.Suggest < 0 || p.Suggest > MaxSuggest || p.Suggest%time.Millisecond != 0):
		return fmt.Errorf("%w: Suggest %v is not whole milliseconds up to %v (0: %v; none: NoSuggest)", ErrPolicies, p.Suggest, MaxSuggest, DefaultSuggest)
	}
	return nil
}

// String is one line that names every choice, for logs.
func (p Policies) String() string {
	var b strings.Builder
	for a, v := range p.choices() {
		if a > 0 {
			b.WriteString(", ")
		}
		b.WriteString(names[a].axis + " " + name(axis(a), v))
	}
	p = p.Filled()
	if p.Window != 0 {
		fmt.Fprintf(&b, ", window %v", p.Window)
	}
	if p.Suggest != 0 {
		fmt.Fprintf(&b, ", suggest %v", max(p.Suggest, 0))
	}
	return b.String()
}

// choices are policies as one number on each axis.
type choices [axes]uint8

func (p Policies) choices() choices {
	return choices{
		uint8(p.Timing), uint8(p.Late), uint8(p.Missing), uint8(p.State), uint8(p.Correction),
		uint8(p.Remotes), uint8(p.Outcomes), uint8(p.Tolerance), uint8(p.Horizon),
	}
}

// policies is the inverse of Policies.choices, without parameters.
func (c choices) policies() Policies {
	return Policies{
		Timing:     InputTiming(c[axisTiming]),
		Late:       LateInput(c[axisLate]),
		Missing:    MissingInput(c[axisMissing]),
		State:      ServerState(c[axisState]),
		Correction: Correction(c[axisCorrection]),
		Remotes:    Remotes(c[axisRemotes]),
		Outcomes:   Outcomes(c[axisOutcomes]),
		Tolerance:  Tolerance(c[axisTolerance]),
		Horizon:    Horizon(c[axisHorizon]),
	}
}
