package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/systems/devtools/runner"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Under rollback and lockstep all peers end with the same world, and each model shows its
// nature: one simulates again and answers at once, the other waits a round trip and never
// does.
func TestEverybodySimulates(t *testing.T) {
	for _, p := range []policy.Model{policy.Rollback{}, policy.Lockstep{}} {
		t.Run(p.String(), func(t *testing.T) {
			systemstest.Seeds(t, 1, func(t *testing.T, seed uint64) {
				r, _ := report(t, fmt.Sprintf("-virtual -duration 12s -warmup 5s -rtt 500ms -jitter 84ms -loss 0.05 -npcs 20 -model %v -seed %d", p, seed))
				again, response := r.Server.ResimulatedTicks > 0, r.Client.OwnResponseTicks
				switch {
				case !r.Converged:
					t.Error(r.Difference)
				case r.Server.InputsConsumed < 8*360 || r.Server.InputsMissing != 0 || r.Server.InputsRejected != 0 || r.Client.MaxError != 0,
					policy.Is[policy.Rollback](p) && (!again || r.Client.Corrections == 0 || response != 0),
					policy.Is[policy.Lockstep](p) && (again || r.Client.Corrections != 0 || r.Client.ResimulatedTicks != 0 || response < 30):
					t.Errorf("%+v", r)
				}
			})
		})
	}
	for _, args := range []string{"-push 1s", "-without Predict"} {
		args = "-headless -model Rollback " + args
		if code, _, errs := run(t, args); code != runner.ExitUsage || !strings.Contains(errs, "Rollback") {
			t.Errorf("arena %s: exit code %d, %q", args, code, errs)
		}
	}
}

// Server and bots by different commands agree on guns by their flags: with -headless there are none unless both say so.
func TestCombatIsAChoiceOfBothHalves(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("plays in real time for some seconds; combat in one process is beside")
	}
	for flags, plays := range map[[2]string]bool{
		{"-headless -combat", "-headless -combat"}: true,
		{"-headless", "-headless"}:                 true,
		{"-combat=false", "-headless"}:             true,
		{"-headless -combat", "-headless"}:         false,
	} {
		t.Run(flags[0]+","+flags[1], func(t *testing.T) {
			t.Parallel()
			addr := start(t, flags[0]+" -npcs 5 -duration 1m -serve 127.0.0.1:0").Find(t, `serving on (\S+?);? `)
			code, out, errs := run(t, flags[1]+" -clients 2 -duration 2s -rtt 0s -jitter 0s -loss 0 -connect "+addr)
			if plays && (code != 0 || !strings.Contains(out, "2 clients of a remote server, LocalSync")) {
				t.Errorf("exit code %d, %q, %s", code, out, errs)
			}
			if !plays && (code != 1 || !strings.Contains(errs, "schema")) {
				t.Errorf("exit code %d, %q, %s", code, out, errs)
			}
		})
	}
}
