package systems_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
)

// A game's own InputGather runs under every model, its own Predict under all in which a client
// predicts; elsewhere a client that has one leaves with a reason. All agree in the end.
func TestOwnInputGatherAndPredict(t *testing.T) {
	for _, preset := range policy.Presets() {
		t.Run(preset.String(), func(t *testing.T) {
			gathered, applied, everything := 0, 0, preset.Policies().Correction == policy.CorrectionInputs
			own := systems.ClientSystems{InputGather: func(systems.ClientParts) func(*ecs.World) {
				return func(*ecs.World) { gathered++ }
			}}
			if !everything {
				own.Predict = func(p systems.ClientParts) func(*ecs.World) {
					return func(*ecs.World) { p.Predictor.Step(p.Predictor.Due()); applied++ }
				}
			}
			config := onPosts(preset, systems.ScopeOwn, netsys.Link{Latency: 40 * time.Millisecond}, func(*ecs.World, post) {})
			client := config.Client
			config.Client = func(n int) systems.ClientConfig { c := client(n); c.Systems = own; return c }
			c := match(t, config, 3*time.Second)
			if gathered < 150 || applied < 150 && !everything {
				t.Errorf("%d inputs gathered, %d applied", gathered, applied)
			}
			c.Converged()
		})
	}
}
