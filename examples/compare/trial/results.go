package trial

import (
	"fmt"

	"github.com/tactusgo/tactus/examples/compare/yard"
	"github.com/tactusgo/tactus/systems/policy"
)

// Results is everything that a comparison measures. Unless a field says otherwise, figures are calls of Simulate for
// ticks that the peer had completed.
type Results struct {
	Latencies    []int          `json:"latencies"` // ticks one way: p1, p2, …
	Seed         uint64         `json:"seed"`
	Isolated     Isolated       `json:"isolated"`
	Steady       Steady         `json:"steady"`
	Mispredicted Mispredictions `json:"mispredicted"`
	Spike        Spike          `json:"spike"`
	SweepPlayers []Point        `json:"sweep_players"`
	SweepLatency []Point        `json:"sweep_latency"`
	Presets      []Preset       `json:"presets"`
	Fairness     Fairness       `json:"fairness"`
}

// Isolated is what one change of each player's input costs, in all.
type Isolated struct {
	Rollback  Peers `json:"rollback"`
	LocalSync Peers `json:"localsync"`
}

// Steady is what it costs that all inputs change in every tick, for each tick. One pass serves all that came late.
type Steady struct {
	Rollback  Peers `json:"rollback_merged"`
	LocalSync Peers `json:"localsync"`
}

// steadyTicks is for how many ticks inputs change all the time.
const steadyTicks = 120

// Run plays everything that is compared; said, which may be nil, hears what comes next. The errors are those of
// Options.Validate, and of matches in which somebody loses the session.
func Run(o Options, said func(what string)) (r Results, err error) {
	if err := o.Validate(); err != nil {
		return r, err
	}
	if said == nil {
		said = func(string) {}
	}
	local, rollback := policy.LocalSync.Policies(), policy.Rollback.Policies()
	r.Latencies, r.Seed = o.Latencies, o.Seed
	steps := []part{
		{"one change of each input, rollback", func() error { return into(&r.Isolated.Rollback)(isolated(o, rollback)) }},
		{"one change of each input, LocalSync", func() error { return into(&r.Isolated.LocalSync)(isolated(o, local)) }},
		{"inputs change in every tick, rollback", func() error {
			return into(&r.Steady.Rollback)(steady(o, rollback, yard.Rules{}, steadyTicks))
		}},
		{"inputs change in every tick, LocalSync", func() error {
			return into(&r.Steady.LocalSync)(steady(o, local, yard.Rules{}, steadyTicks))
		}},
		{"mispredictions", func() error { return into(&r.Mispredicted)(mispredictions(o)) }},
		{"a lag spike", func() error { return into(&r.Spike)(spike(o)) }},
	}
	for _, n := range sweptPlayers {
		steps = append(steps, part{fmt.Sprintf("%d players", n), func() error { return add(&r.SweepPlayers)(point(o, n, sweepLatency)) }})
	}
	for _, l := range sweptLatencies {
		steps = append(steps, part{fmt.Sprintf("a latency of %d ticks", l), func() error { return add(&r.SweepLatency)(point(o, sweepPlayers, l)) }})
	}
	for _, p := range policy.Presets() {
		steps = append(steps, part{p.String(), func() error { return add(&r.Presets)(preset(o, p)) }})
	}
	steps = append(steps, part{"duels", func() error { return into(&r.Fairness)(fairness(o)) }})
	for i, s := range steps {
		said(fmt.Sprintf("%d of %d: %s", i+1, len(steps), s.what))
		if err := s.run(); err != nil {
			return r, fmt.Errorf("%s: %w", s.what, err)
		}
	}
	return r, nil
}

// part is one of the things that are measured.
type part struct {
	what string
	run  func() error
}

func into[T any](dst *T) func(T, error) error {
	return func(v T, err error) error { *dst = v; return err }
}

func add[T any](dst *[]T) func(T, error) error {
	return func(v T, err error) error { *dst = append(*dst, v); return err }
}
