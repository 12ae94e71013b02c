package needs

import (
	"fmt"
	"slices"

	"github.com/tactusgo/tactus/systems/policy"
)

// need is a system that a model cannot do without, and why.
type need struct{ system, because string }

// Server refuses a schedule of a server, by the names of its systems, without one that the policies need.
func Server(names []string, p policy.Policies) error {
	if p.Correction == policy.CorrectionInputs || p.Timing == policy.TimingStamped && p.Correction == policy.CorrectionState {
		return lacks(names, p, need{"ServerApply", "ticks are simulated again there, and begin there"})
	}
	return nil
}

// Client refuses one of a client. Lockstep guesses nothing, so that its clients may leave Reconcile out.
func Client(names []string, p policy.Policies) error {
	if p.Correction != policy.CorrectionInputs {
		return nil
	}
	predict := need{"Predict", "every client simulates everything"}
	if p.Missing == policy.MissingWait {
		return lacks(names, p, predict)
	}
	return lacks(names, p, predict, need{"Reconcile", "what was guessed wrong is simulated again there"})
}

// lacks refuses a schedule without a system that is needed.
func lacks(names []string, p policy.Policies, list ...need) error {
	for _, n := range list {
		if !slices.Contains(names, n.system) {
			return fmt.Errorf("a Schedule without %s under %s: %s; leave that system in", n.system, p.Model(), n.because)
		}
	}
	return nil
}
