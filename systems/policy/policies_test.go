package policy

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// combinations calls f with each choice of a value on each axis.
func combinations(f func(c choices)) {
	var c choices
	for {
		f(c)
		a := 0
		for ; a < len(c); a++ {
			if c[a]++; int(c[a]) < len(names[a].values) {
				break
			}
			c[a] = 0
		}
		if a == len(c) {
			return
		}
	}
}

// Each combination is a model, or is refused with a reason that names two axes
// and what to choose instead.
func TestEveryCombination(t *testing.T) {
	all, valid := 0, 0
	combinations(func(c choices) {
		all++
		p := c.policies()
		if p.choices() != c {
			t.Fatalf("%v became %v", c, p.choices())
		}
		err := p.Validate()
		if err == nil {
			valid++
			return
		}
		if !errors.Is(err, ErrPolicies) {
			t.Fatalf("%v: %v", p, err)
		}
		named := 0
		for a, n := range names {
			if strings.Contains(err.Error(), n.axis+" "+valueName(axis(a), c[a])) {
				named++
			}
		}
		if named != 2 || !strings.Contains(err.Error(), "; choose ") {
			t.Fatalf("%v: refused with %q, which names %d of its choices", p, err, named)
		}
	})
	t.Logf("%d of %d combinations are models", valid, all)
	if all != 3888 || valid != 133 {
		t.Errorf("%d combinations, %d of them models", all, valid)
	}
}

// What Validate advises leads to a model, from wherever one begins, and never
// around in circles.
func TestAdviceLeadsToAModel(t *testing.T) {
	longest := 0
	combinations(func(c choices) {
		steps := 0
		for now := c; ; steps++ {
			r := now.contradiction()
			if r == nil {
				break
			}
			if steps > int(axes)*2 {
				t.Fatalf("no end of advice for %v", c.policies())
			}
			now[r.instead.axis] = r.instead.value
		}
		longest = max(longest, steps)
	})
	t.Logf("at most %d steps", longest)
}

// Each pair of the table is about two axes, advises another value of one of them,
// and is told for some combination.
func TestContradictions(t *testing.T) {
	told := map[*contradiction]int{}
	combinations(func(c choices) {
		if r := c.contradiction(); r != nil {
			told[r]++
		}
	})
	var all []*contradiction
	for _, table := range [][]contradiction{contradictions, withoutWait} {
		for i := range table {
			all = append(all, &table[i])
		}
	}
	for i, r := range all {
		if told[r] == 0 {
			t.Errorf("nobody is told that %v", r)
		}
		if r.a.axis >= r.b.axis {
			t.Errorf("not in the order of the axes: %v", r)
		}
		if r.instead == r.a || r.instead == r.b || r.instead.axis != r.a.axis && r.instead.axis != r.b.axis {
			t.Errorf("advice that does not help: %v", r)
		}
		if d := r.a.value == 0; d != (r.b.value == 0) && (r.instead.axis == r.a.axis) != d {
			t.Errorf("the advice gives up what was asked for: %v", r)
		}
		for _, o := range all[:i] {
			if o.a == r.a && o.b == r.b {
				t.Errorf("twice: %v", r)
			}
		}
	}
}

// What must be possible, and what must not, said without the table.
func TestChosenCombinations(t *testing.T) {
	for _, c := range []struct {
		name string
		p    Policies
		want string // part of the reason; empty: valid
	}{
		{"zero", Policies{}, ""},
		{"inputs on arrival", Policies{Timing: TimingArrival}, ""},
		{"others predicted from confirmed states", Policies{Remotes: RemotesCoSimulated}, ""},
		{"predicted kills on a forward server", Policies{Outcomes: OutcomesPastHorizon}, ""},
		{"stamped inputs without a rewrite", Policies{Timing: TimingStamped, Suggest: 50 * time.Millisecond}, ""},
		{"rollback to a server's inputs", Policies{
			Timing: TimingStamped, Late: LateRewrite, State: StateRewind, Correction: CorrectionInputs, Remotes: RemotesCoSimulated,
			Outcomes: OutcomesPastHorizon, Tolerance: ToleranceExact,
		}, ""},
		{"relayed inputs that nobody waits for, and nobody goes back for", Policies{
			Timing: TimingStamped, Correction: CorrectionInputs, Remotes: RemotesCoSimulated, Tolerance: ToleranceExact,
		}, "late input drop contradicts correction inputs"},
		{"a rewrite without a way back", Policies{Timing: TimingStamped, Late: LateRewrite}, "late input rewrite contradicts server state forward"},
		{"a way back for nothing", Policies{State: StateRewind}, "late input drop contradicts server state rewind"},
		{"waiting and going back", Policies{Timing: TimingStamped, Missing: MissingWait, State: StateRewind}, "missing input wait contradicts server state rewind"},
		{"waiting and correcting", Policies{Timing: TimingStamped, Missing: MissingWait}, "missing input wait contradicts correction state"},
		{"final kills that can be undone", Policies{Timing: TimingStamped, Late: LateRewrite, State: StateRewind}, "server state rewind contradicts outcomes at once"},
		{"drawn between states that are not sent", Policies{Timing: TimingStamped, Correction: CorrectionInputs}, "correction inputs contradicts remotes interpolated"},
		{"advice that must be exact", Policies{Correction: CorrectionMismatch, Tolerance: ToleranceExact}, "correction mismatch contradicts tolerance exact"},
		{"no such value", Policies{Timing: 3}, "input timing 3 is unknown: choose one of buffered, arrival, stamped"},
		{"no such value either", Policies{Horizon: 255}, "horizon 255 is unknown: choose one of players, window"},
		{"a window for nothing", Policies{Window: time.Second}, "Window 1s has no effect with late input drop"},
		{"a suggestion nobody stamps", Policies{Suggest: NoSuggest}, "has no effect with input timing buffered"},
		{"too long a suggestion", Policies{Timing: TimingStamped, Suggest: MaxSuggest + time.Millisecond}, "Suggest 1.001s is not"},
		{"parts of a millisecond", Policies{Timing: TimingStamped, Suggest: time.Microsecond}, "Suggest 1µs is not"},
		{"a negative suggestion", Policies{Timing: TimingStamped, Suggest: -2}, "Suggest -2ns is not"},
	} {
		err := c.p.Validate()
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, not %q", c.name, err, c.want)
		case err != nil && !errors.Is(err, ErrPolicies):
			t.Errorf("%s: %v does not wrap ErrPolicies", c.name, err)
		}
	}
	rewind := ServerRewind.Policies()
	for _, window := range []time.Duration{-time.Second, MaxWindow + time.Millisecond, time.Second + 1} {
		rewind.Window = window
		if err := rewind.Validate(); err == nil || !strings.Contains(err.Error(), "Window") {
			t.Errorf("Window %v: %v", window, err)
		}
	}
}

func TestParameters(t *testing.T) {
	for _, c := range []struct {
		p               Policies
		window, suggest int // at 60 a second
	}{
		{Policies{}, 0, 0},
		{ServerRewind.Policies(), 60, 2},
		{Rollback.Policies(), 60, 0},
		{Lockstep.Policies(), 0, 2},
		{Policies{Timing: TimingStamped, Late: LateRewrite, Window: 17 * time.Millisecond, Suggest: 25 * time.Millisecond}, 2, 2},
		{Policies{Timing: TimingStamped, Late: LateRewrite, Window: MaxWindow, Suggest: 24 * time.Millisecond}, 600, 1},
	} {
		if w, s := c.p.WindowTicks(60), c.p.SuggestTicks(60); w != c.window || s != c.suggest {
			t.Errorf("%v: %d and %d ticks, not %d and %d", c.p, w, s, c.window, c.suggest)
		}
		if f := c.p.Filled(); f.Filled() != f {
			t.Errorf("%v filled twice is %v", f, f.Filled())
		}
	}
}

// Rule B5: final when the tick precedes every player's, or has left the window.
func TestFirstOpen(t *testing.T) {
	players := ServerRewind.Policies()
	window := players
	window.Horizon = HorizonWindow
	predicted := Policies{Outcomes: OutcomesPastHorizon}
	for _, c := range []struct {
		p                         Policies
		newest, outstanding, want uint32
	}{
		{LocalSync.Policies(), 100, 40, 101},
		{Lockstep.Policies(), 100, 101, 101},
		{players, 100, 90, 90},
		{players, 100, 101, 101}, // nothing is outstanding
		{players, 100, 120, 101}, // nor what lies ahead
		{players, 100, 10, 41},   // who is silent holds nobody up for longer than the window
		{players, 20, 1, 1},
		{window, 100, 90, 41},
		{window, 100, 101, 41},
		{window, 20, 15, 0},
		{predicted, 100, 10, 10},
		{predicted, 100, 200, 101},
	} {
		if got := c.p.FirstOpen(60, c.newest, c.outstanding); got != c.want {
			t.Errorf("%v: after tick %d, with %d outstanding: %d, not %d", c.p, c.newest, c.outstanding, got, c.want)
		}
	}
}

func TestString(t *testing.T) {
	const want = "input timing stamped, late input rewrite, missing input repeat, server state rewind, correction state, " +
		"remotes interpolated, outcomes past the horizon, tolerance fields, horizon players, window 1s, suggest 30ms"
	if got := ServerRewind.Policies().String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := Rollback.Policies().String(); !strings.HasSuffix(got, "window 1s, suggest 0s") {
		t.Error(got)
	}
	p := Policies{}
	for a, got := range []string{
		p.Timing.String(), p.Late.String(), p.Missing.String(), p.State.String(), p.Correction.String(),
		p.Remotes.String(), p.Outcomes.String(), p.Tolerance.String(), p.Horizon.String(),
	} {
		if got != names[a].values[0] {
			t.Errorf("%s: %q", names[a].axis, got)
		}
	}
	if got := InputTiming(9).String(); got != "input timing(9)" {
		t.Error(got)
	}
}
