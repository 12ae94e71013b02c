package game

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// standing is an entity of the yard with a position.
type standing struct{ At components.Position }

// recorder is the client that walks a recording, leaver the one that leaves.
const recorder, leaver = 1, 3

// owners returns a match whose clients have systems of the game's own, each others, as far as the model lets them.
func owners(t *testing.T, preset policy.Model) *systemstest.Crowd {
	var recording []Input
	for n := range 40 {
		recording = append(recording, Input{DX: int8(n%3 - 1), DY: int8(n/3%3 - 1)})
	}
	own := []systems.ClientSystems{
		{Predict: Predict, Reconcile: Reconcile, Interpolate: Draw},
		recorder: {Predict: Predict, InputGather: Recorded(recording, 10), Interpolate: Draw},
		{Reconcile: Shift, Interpolate: Draw},
		leaver: {Interpolate: Draw},
	}
	return play(t, 7, len(own), func(c *systemstest.Config) {
		c.Server = systems.ServerConfig{Model: preset, Session: systems.ServerSession{Timeout: 2 * time.Second}}
		c.Populate = func(w *ecs.World) { Populate(w, 20) }
		c.Link = systemstest.RoundTrip(300*time.Millisecond, 50*time.Millisecond, 0.05)
		c.Client = func(n int) systems.ClientConfig {
			if deterministic(preset) {
				own[n].Predict, own[n].Reconcile = nil, nil
			}
			return systems.ClientConfig{Systems: own[n]}
		}
	})
}

// deterministic reports whether every peer simulates everything.
func deterministic(p policy.Model) bool {
	return policy.Is[policy.Rollback](p) || policy.Is[policy.Lockstep](p)
}

// With the game's own systems the yard works under every model: the view shows all players, who walk without jumps. A player
// walks in a recording. Most predictions are right, and in the end all worlds agree.
func TestOwnSystems(t *testing.T) {
	for _, preset := range policy.Presets() {
		t.Run(preset.String(), func(t *testing.T) {
			t.Parallel()
			c := owners(t, preset)
			seen, walked, jumped, counting := make(map[components.NetID]components.Position), 0, 0, false
			var from *components.Position
			farthest := float32(0)
			c.OnFrame(func(k *systemstest.Client) {
				if e, ok := k.Own(k.World()); ok && k.N == recorder {
					at := *ecs.Get[components.Position](k.World(), e)
					if from == nil {
						from = &at
					}
					farthest = max(farthest, length(at.X-from.X, at.Y-from.Y))
				}
				if k.N != 0 || !counting {
					return
				}
				for e, x := range ecs.All[standing](k.View()) {
					id := k.View().NetID(e)
					was, known := seen[id]
					if seen[id] = x.At; known && was != x.At {
						walked++
						if length(x.At.X-was.X, x.At.Y-was.Y) > 3*Width {
							jumped++
						}
					}
				}
			})
			c.Connect()
			c.Run(warm)
			counting = true
			c.Run(8 * time.Second)
			if walked < 300 || jumped > 0 || farthest < Width {
				t.Errorf("%d steps seen, %d of them jumps; the recording led %v away", walked, jumped, farthest)
			}
			c.Clients[leaver].Leave()
			c.Settle()
			c.Converged()
			for _, k := range c.Clients[:leaver] {
				if st := k.Stats(); !deterministic(preset) && (st.Confirmed == 0 || st.Confirmed < st.Corrections) {
					t.Errorf("%v: %d confirmed, %d corrected", k, st.Confirmed, st.Corrections)
				}
				drawsAll(t, c, k)
			}
		})
	}
}

// drawsAll checks that a client draws all players near their positions, at about the present time.
func drawsAll(t *testing.T, c *systemstest.Crowd, k *systemstest.Client) {
	if k.DrawnTick() < float64(k.ServerTick())-120 || k.DrawnTick() > float64(c.Server.Tick())+60 {
		t.Errorf("%v draws tick %v of %d", k, k.DrawnTick(), k.ServerTick())
	}
	there := 0
	for e, x := range ecs.All[standing](k.World()) {
		there++
		v, ok := k.View().ByNetID(k.World().NetID(e))
		if at := ecs.Get[components.Position](k.View(), v); !ok || at == nil || length(at.X-x.At.X, at.Y-x.At.Y) > 2*Width {
			t.Errorf("%v draws entity %d, which is at %v, at %v", k, k.World().NetID(e), x.At, at)
		}
	}
	for range ecs.All[standing](k.View()) {
		there--
	}
	if there != 0 {
		t.Errorf("%v draws %d too many", k, -there)
	}
}
