package trial

import (
	"errors"
	"fmt"
	"runtime"
	"sync"

	"github.com/tactusgo/tactus/systems/policy"
)

// Results has all figures of a comparison. Costs count calls of Simulate for ticks that the peer had completed.
type Results struct {
	Latencies []int    `json:"latencies"` // ticks one way: p1, p2, …
	Seed      uint64   `json:"seed"`
	Isolated  Isolated `json:"isolated"`
	Steady    Steady   `json:"steady"`
	Presets   []Preset `json:"presets"`
}

// Isolated is the total cost of one change of each player's input: the median of some rounds.
type Isolated struct {
	Rollback  Peers `json:"rollback"`
	LocalSync Peers `json:"localsync"`
}

// Steady is the cost of the median tick if all inputs change in every tick. One pass serves all late inputs.
type Steady struct {
	Rollback  Peers `json:"rollback_merged"`
	LocalSync Peers `json:"localsync"`
}

// Run plays all matches. It calls progress, which may be nil, with the name of each match before it starts. It returns the
// errors of Options.Validate, and of matches in which a session ended.
func Run(o Options, progress func(match string)) (r Results, err error) {
	if err := o.Validate(); err != nil {
		return r, err
	}
	if progress == nil {
		progress = func(string) {}
	}
	local, rollback := policy.LocalSync{}, policy.Rollback{}
	r.Latencies, r.Seed = o.Latencies, o.Seed
	r.Presets = make([]Preset, len(policy.Presets()))
	// The longest matches come first, so that all processors are busy until the end.
	var parts []part
	for i, p := range policy.Presets() {
		parts = append(parts, measure(p.String(), &r.Presets[i], func() (Preset, error) { return preset(o, p) }))
	}
	parts = append(parts,
		measure("one change of each input, rollback", &r.Isolated.Rollback, func() (Peers, error) { return isolated(o, rollback) }),
		measure("one change of each input, LocalSync", &r.Isolated.LocalSync, func() (Peers, error) { return isolated(o, local) }),
		measure("inputs change in every tick, rollback", &r.Steady.Rollback, func() (Peers, error) { return steady(o, rollback) }),
		measure("inputs change in every tick, LocalSync", &r.Steady.LocalSync, func() (Peers, error) { return steady(o, local) }),
	)
	return r, runParts(parts, progress)
}

// part is a measured part of the results.
type part struct {
	name string
	run  func() error
}

// measure returns a part that writes the result of run to into.
func measure[T any](name string, into *T, run func() (T, error)) part {
	return part{name, func() (err error) {
		if *into, err = run(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}}
}

// runParts runs parts concurrently on all processors. Parts are independent, so the figures do not depend on the number of
// processors.
func runParts(parts []part, progress func(string)) error {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var begun int
	errs := make([]error, len(parts))
	for range min(runtime.GOMAXPROCS(0), len(parts)) {
		wg.Go(func() {
			for {
				mu.Lock()
				i := begun
				if begun++; i < len(parts) {
					progress(fmt.Sprintf("%d of %d: %s", i+1, len(parts), parts[i].name))
				}
				mu.Unlock()
				if i >= len(parts) {
					return
				}
				errs[i] = parts[i].run()
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}
