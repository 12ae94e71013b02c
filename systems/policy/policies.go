package policy

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Policies is a netcode model: one choice on each axis, and the parameters of these choices. The zero value is
// [LocalSync]. Rates are not part of it: any model runs at any rate of the server's configuration.
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

	// Window, or P, is how far back a late input may rewrite history, in whole milliseconds up to [MaxWindow]. A
	// larger window tolerates worse links. A smaller window limits the jumps that others see, the memory and the
	// re-simulation. It must be 0 without LateRewrite. Default (0): 1 s.
	Window time.Duration
	// Suggest, or X, is the delay between gathering an input and applying it, on the client's own screen too, in
	// whole milliseconds up to [MaxSuggest]. It hides this much latency from the other players; the player feels it.
	// With MissingWait it is the minimum delay. It must be 0 without TimingStamped. Default (0): 30 ms. Use
	// [NoSuggest] for no delay.
	Suggest time.Duration
}

// Limits and defaults of the parameters.
const (
	// DefaultWindow is the window if Policies.Window is 0.
	DefaultWindow = time.Second
	// MaxWindow is the largest window. It bounds the history that a server stores.
	MaxWindow = 10 * time.Second
	// DefaultSuggest is the delay if Policies.Suggest is 0.
	DefaultSuggest = 30 * time.Millisecond
	// MaxSuggest is the largest delay.
	MaxSuggest = time.Second
	// NoSuggest is the value of Policies.Suggest for inputs that apply in the tick that gathered them.
	NoSuggest time.Duration = -1
)

// ErrPolicies is wrapped by every error of this package.
var ErrPolicies = errors.New("policy: invalid model")

// Filled returns p with the defaults in place of zeros. With LateRewrite, Window is positive; with TimingStamped,
// Suggest is positive or NoSuggest. Otherwise both remain 0.
func (p Policies) Filled() Policies {
	if p.Late == LateRewrite && p.Window == 0 {
		p.Window = DefaultWindow
	}
	if p.Timing == TimingStamped && p.Suggest == 0 {
		p.Suggest = DefaultSuggest
	}
	return p
}

// WindowTicks returns the window in ticks, rounded up. tickRate is the number of steps a second. Without LateRewrite
// the result is 0.
func (p Policies) WindowTicks(tickRate int) int {
	return int((p.Filled().Window*time.Duration(tickRate) + time.Second - 1) / time.Second)
}

// SuggestTicks returns Suggest in ticks, rounded to the nearest. tickRate is the number of steps a second. Without
// TimingStamped the result is 0.
func (p Policies) SuggestTicks(tickRate int) int {
	return int((max(p.Filled().Suggest, 0)*time.Duration(tickRate) + time.Second/2) / time.Second)
}

// FirstOpen returns the first tick whose outcomes are not final, or newest + 1 if all are final. tickRate is the
// number of steps a second, and newest is the last simulated tick. outstanding is the first tick with incomplete
// information: on a peer that rewinds, the first tick without the inputs of all connected players; on a client of a
// server that only goes forward, the first tick that the server has not confirmed.
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

// Validate returns an error that wraps [ErrPolicies] if p is not a valid model. For two contradictory choices it
// names both axes, the reason and an alternative. Following the advice repeatedly leads to a valid model.
func (p Policies) Validate() error {
	c := p.choices()
	for a, v := range c {
		if n := names[a]; int(v) >= len(n.values) {
			return fmt.Errorf("%w: %s %d is unknown: choose one of %s", ErrPolicies, n.axis, v, strings.Join(n.values, ", "))
		}
	}
	if r := c.contradiction(); r != nil {
		return fmt.Errorf("%w: %v", ErrPolicies, r)
	}
	switch {
	case p.Window != 0 && p.Late != LateRewrite:
		return fmt.Errorf("%w: Window %v has no effect with late input %v: choose rewrite, or set Window to 0", ErrPolicies, p.Window, p.Late)
	case p.Window < 0 || p.Window > MaxWindow || p.Window%time.Millisecond != 0:
		return fmt.Errorf("%w: Window %v is not whole milliseconds up to %v (0: %v)", ErrPolicies, p.Window, MaxWindow, DefaultWindow)
	case p.Suggest != 0 && p.Timing != TimingStamped:
		return fmt.Errorf("%w: Suggest %v has no effect with input timing %v: choose stamped, or set Suggest to 0", ErrPolicies, p.Suggest, p.Timing)
	case p.Suggest != NoSuggest && (p.Suggest < 0 || p.Suggest > MaxSuggest || p.Suggest%time.Millisecond != 0):
		return fmt.Errorf("%w: Suggest %v is not whole milliseconds up to %v (0: %v; none: NoSuggest)", ErrPolicies, p.Suggest, MaxSuggest, DefaultSuggest)
	}
	return nil
}

// String returns one line that names every choice, for logs.
func (p Policies) String() string {
	var b strings.Builder
	for a, v := range p.choices() {
		if a > 0 {
			b.WriteString(", ")
		}
		b.WriteString(names[a].axis + " " + valueName(axis(a), v))
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

// choices holds the value of each axis as a number.
type choices [axes]uint8

func (p Policies) choices() choices {
	return choices{
		uint8(p.Timing), uint8(p.Late), uint8(p.Missing), uint8(p.State), uint8(p.Correction),
		uint8(p.Remotes), uint8(p.Outcomes), uint8(p.Tolerance), uint8(p.Horizon),
	}
}

// policies returns the Policies with these choices. It is the inverse of Policies.choices, without parameters.
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
