package game

import (
	"errors"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// ownMatch is a crowd of bots in the yard, on a bad link, with systems of its own.
func ownMatch(t *testing.T, preset policy.Preset, own systems.ClientSystems) *systemstest.Crowd {
	const clients = 3
	var bots []*Bot
	for n := range clients {
		bots = append(bots, NewBot(11, n))
	}
	return systemstest.New(t, systemstest.Config{
		Protocol: Protocol,
		Server:   systems.ServerConfig{Join: Join, Policies: preset.Policies()},
		Populate: func(w *ecs.World) { Populate(w, 20) },
		Client:   func(int) systems.ClientConfig { return systems.ClientConfig{Systems: own} },
		Play:     systemstest.Play(func(k *systemstest.Client, in *Input) { bots[k.N].Fill(k.World(), in) }),
		Clients:  clients,
		Link:     systemstest.RoundTrip(300*time.Millisecond, 50*time.Millisecond, 0.05),
		Seed:     11,
	})
}

// deterministic reports whether every peer simulates everything.
func deterministic(p policy.Preset) bool { return p == policy.Rollback || p == policy.Lockstep }

// A recording is walked by everybody, and under every model all agree where that leads.
func TestOwnInputGather(t *testing.T) {
	var recording []Input
	for n := range 40 {
		recording = append(recording, Input{DX: int8(n%3 - 1), DY: int8(n/3%3 - 1)})
	}
	for _, preset := range policy.Presets() {
		t.Run(preset.String(), func(t *testing.T) {
			c := ownMatch(t, preset, systems.ClientSystems{InputGather: Recorded(recording, 10)})
			c.Connect()
			var from, farthest components.Position
			c.OnFrame(func(k *systemstest.Client) {
				if e, ok := k.Own(k.World()); ok && k.N == 0 {
					at := *ecs.Get[components.Position](k.World(), e)
					if from == (components.Position{}) {
						from = at
					}
					if length(at.X-from.X, at.Y-from.Y) > length(farthest.X, farthest.Y) {
						farthest = components.Position{X: at.X - from.X, Y: at.Y - from.Y}
					}
				}
			})
			c.Run(15 * time.Second)
			c.Settle()
			c.Converged()
			if length(farthest.X, farthest.Y) < Width {
				t.Errorf("the recording led %v away", farthest)
			}
		})
	}
}

// With a Predict, a Reconcile, or both of the game's own everybody agrees in the end, where the
// model lets them.
func TestOwnPredictAndReconcile(t *testing.T) {
	for name, own := range map[string]systems.ClientSystems{
		"Predict": {Predict: Predict}, "Reconcile": {Reconcile: Reconcile},
		"all": {Predict: Predict, Reconcile: Reconcile, Interpolate: Draw},
	} {
		for _, preset := range policy.Presets() {
			t.Run(name+"/"+preset.String(), func(t *testing.T) {
				c := ownMatch(t, preset, own)
				if deterministic(preset) {
					c.Run(time.Second)
					if err := c.Clients[0].Err(); !errors.Is(err, systems.ErrConfig) {
						t.Errorf("the session ended with %v", err)
					}
					return
				}
				c.Connect()
				c.Run(warm)
				c.Mark()
				c.Run(10 * time.Second)
				for _, k := range c.Clients {
					st := k.Stats()
					t.Logf("%v: %d confirmed, %d corrected, %d simulated again, %d jumps", k, st.Confirmed, st.Corrections, st.Resimulated, st.Jumps)
					if st.Confirmed+st.Corrections == 0 || st.Confirmed < st.Corrections {
						t.Errorf("%v: %d confirmed, %d corrected", k, st.Confirmed, st.Corrections)
					}
				}
				c.Settle()
				c.Converged()
			})
		}
	}
}
