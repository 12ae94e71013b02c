package systems

import (
	"fmt"
	"slices"

	"github.com/tactusgo/tactus/systems/policy"
)

// requiredSystem is a system that a model needs, with the reason.
type requiredSystem struct{ name, because string }

// requireServerSystems returns an error for a server's schedule that lacks a system that the policies need. names are
// its systems.
func requireServerSystems(names []string, p policy.Policies) error {
	if p.Correction == policy.CorrectionInputs || p.Timing == policy.TimingStamped && p.Correction == policy.CorrectionState {
		return requireSystems(names, p, requiredSystem{"ServerApply", "it starts ticks and simulates them again"})
	}
	return nil
}

// requireClientSystems does the same for a client's schedule. Lockstep predicts nothing, so its clients do not need
// Reconcile.
func requireClientSystems(names []string, p policy.Policies) error {
	if p.Correction != policy.CorrectionInputs {
		return nil
	}
	predict := requiredSystem{"Predict", "every client simulates everything"}
	if p.Missing == policy.MissingWait {
		return requireSystems(names, p, predict)
	}
	return requireSystems(names, p, predict, requiredSystem{"Reconcile", "it simulates ticks again whose inputs were guessed wrong"})
}

// requireSystems returns an error for a schedule that lacks a system of the list.
func requireSystems(names []string, p policy.Policies, list ...requiredSystem) error {
	for _, n := range list {
		if !slices.Contains(names, n.name) {
			return fmt.Errorf("the Schedule has no %s under %s: keep it, because %s", n.name, p.Model(), n.because)
		}
	}
	return nil
}
