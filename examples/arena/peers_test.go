package main

import (
	"strings"
	"testing"

	"github.com/tactusgo/tactus/internal/headless"
	"github.com/tactusgo/tactus/systems/policy"
)

// Under rollback and lockstep all peers end with the same world, and each model shows its
// nature: one simulates again and answers at once, the other waits a round trip and never
// does.
func TestEverybodySimulates(t *testing.T) {
	for _, p := range []policy.Preset{policy.Rollback, policy.Lockstep} {
		t.Run(p.String(), func(t *testing.T) {
			seeds := []string{"1", "2", "3"}
			if testing.Short() {
				seeds = seeds[:1]
			}
			for _, seed := range seeds {
				r, _ := report(t, "-virtual -duration 20s -warmup 5s -rtt 500ms -jitter 84ms -loss 0.05 -npcs 20 -preset "+p.String()+" -seed "+seed)
				again, response := r.Server.ResimulatedTicks > 0, r.Client.OwnResponseTicks
				switch {
				case !r.Converged:
					t.Errorf("seed %s: %s", seed, r.Difference)
				case r.Server.InputsConsumed < 8*600 || r.Server.InputsMissing != 0 || r.Server.InputsRejected != 0 || r.Client.MaxError != 0:
					t.Errorf("seed %s: %+v", seed, r)
				case p == policy.Rollback && (!again || r.Client.Corrections == 0 || response != 0):
					t.Errorf("seed %s: %+v", seed, r)
				case p == policy.Lockstep && (again || r.Client.Corrections != 0 || r.Client.ResimulatedTicks != 0 || response < 30):
					t.Errorf("seed %s: %+v", seed, r)
				}
			}
		})
	}
	for _, args := range []string{"-push 1s", "-without Predict"} {
		args = "-headless -preset Rollback " + args
		if code, _, errs := run(t, args); code != headless.ExitUsage || !strings.Contains(errs, "Rollback") {
			t.Errorf("arena %s: exit code %d, %q", args, code, errs)
		}
	}
}

// There are guns under every model, and a match with them is a function of its flags.
func TestCombatUnderEveryPreset(t *testing.T) {
	for _, p := range policy.Presets() {
		t.Run(p.String(), func(t *testing.T) {
			args := "-virtual -combat -duration 12s -warmup 5s -clients 4 -npcs 30 -rtt 150ms -jitter 20ms -loss 0.03 -preset " + p.String()
			r, _ := report(t, args)
			if !r.Converged || r.Server.InputsConsumed < 4*500 {
				t.Errorf("%s: %+v", r.Difference, r)
			}
			if peace, _ := report(t, strings.Replace(args, "-combat ", "", 1)); peace.WorldHash == r.WorldHash {
				t.Error("there are no guns")
			}
			if testing.Short() {
				return
			}
			if again, _ := report(t, args); again.WorldHash != r.WorldHash {
				t.Errorf("the hashes are %s and %s", r.WorldHash, again.WorldHash)
			}
		})
	}
}
