package systems

import (
	"fmt"
	"slices"

	"github.com/tactusgo/tactus/systems/policy"
)

// requiredSystem is a system that a model needs, with the reason.
type requiredSystem struct{ name, because string }

// requireServerSystems returns an error for a server's schedule that lacks a system that the model needs. names are
// its systems.
func requireServerSystems(names []string, m policy.Model) error {
	if policy.TraitsOf(m).Stamped {
		return requireSystems(names, m, requiredSystem{"ServerApply", "it starts ticks and simulates them again"})
	}
	return nil
}

// requireClientSystems returns an error for a client's schedule that lacks a system that the model needs. Lockstep predicts
// nothing, so its clients do not need Reconcile.
func requireClientSystems(names []string, m policy.Model) error {
	t := policy.TraitsOf(m)
	if !t.RelaysInputs {
		return nil
	}
	predict := requiredSystem{"Predict", "every client simulates everything"}
	if t.Waits {
		return requireSystems(names, m, predict)
	}
	return requireSystems(names, m, predict, requiredSystem{"Reconcile", "it simulates ticks again whose inputs were guessed wrong"})
}

// requireSystems returns an error for a schedule that lacks a system of the list.
func requireSystems(names []string, m policy.Model, list ...requiredSystem) error {
	for _, n := range list {
		if !slices.Contains(names, n.name) {
			return fmt.Errorf("the Schedule has no %s under %s: keep it, because %s", n.name, m, n.because)
		}
	}
	return nil
}
