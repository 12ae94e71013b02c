package matches_test

import (
	"fmt"
	"hash/fnv"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/inputgather"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/reconcile"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// paced returns the input of a tick.
func paced(n uint32) fieldtest.Walk { return fieldtest.Walk{DX: int8(n/7%3) - 1, DY: int8(n/11%3) - 1} }

// seen plays a match on a bad link in which players are pushed, and returns a hash of all datagrams and views.
func seen(t *testing.T, p policy.Model, own systems.ClientSystems) uint64 {
	config := fieldtest.Config(5, 2, systemstest.RoundTrip(300*time.Millisecond, 50*time.Millisecond, 0.05))
	config.Protocol, config.Server.Model = fieldtest.Pushes(100), p
	config.Client = func(int) systems.ClientConfig { return systems.ClientConfig{Systems: own} }
	asked := make(map[int]uint32)
	config.Play = systemstest.Play(func(k *systemstest.Client, in *fieldtest.Walk) {
		*in = paced(asked[k.N])
		asked[k.N]++
	})
	c, h := systemstest.New(t, config), fnv.New64a()
	c.Lose(func(p systemstest.Packet) bool { h.Write(p.Data); return false })
	c.OnFrame(func(k *systemstest.Client) {
		if k.View() != nil {
			fmt.Fprintln(h, k.View().Hash(), k.World().Hash())
		}
	})
	c.Run(4 * time.Second)
	for _, k := range c.Clients {
		if k.Err() != nil {
			t.Fatal(k.Err())
		}
	}
	return h.Sum64()
}

// A custom InputGather made of the published parts sends the same datagrams and draws the same frames as the built-in one.
// Package campaign tests Predict and Reconcile.
func TestOwnInputGatherDoesWhatTheBuiltInDoes(t *testing.T) {
	t.Parallel()
	own := systems.ClientSystems{InputGather: func(p systems.ClientParts) func(*ecs.World) {
		asked := uint32(0)
		return func(*ecs.World) {
			inputgather.Push(p.Inputs, fieldtest.Walk{DX: 1, DY: -1})
			inputgather.Push(p.Inputs, paced(asked)) // takes the place of the first
			asked++
		}
	}}
	for _, p := range fieldtest.Presets(policy.LocalSync{}, policy.ServerRewind{}, policy.Rollback{}) {
		if seen(t, p, own) != seen(t, p, systems.ClientSystems{}) {
			t.Errorf("%v goes otherwise", p)
		}
	}
}

// A custom Reconcile receives co-simulated entities like own ones, and adopts their state when it simulates again.
func TestOwnReconcileOfOthers(t *testing.T) {
	t.Parallel()
	config := fieldtest.Config(5, 3, systemstest.RoundTrip(300*time.Millisecond, 50*time.Millisecond, 0.05))
	config.Protocol, config.Server.Model = fieldtest.Pushes(100), policy.LocalSync{}
	config.Server.Model = policy.LocalSync{CoSimulate: true}
	others, off := 0, 0
	var c *systemstest.Crowd
	config.Client = func(n int) systems.ClientConfig {
		return systems.ClientConfig{Systems: systems.ClientSystems{Reconcile: func(p systems.ClientParts) func(*ecs.World) {
			return func(w *ecs.World) {
				for told := range p.Predictor.Confirmed {
					wrong := told.Unpredicted
					for v := range told.Values {
						wrong = wrong || !v.Agrees()
						owner := ecs.Get[components.Owner](w, v.Entity)
						if at, predicted, place := reconcile.Read[components.Position](v); place && (owner == nil || owner.Client != c.Clients[n].ID()) {
							if others++; at != predicted {
								off++
							}
						}
					}
					if wrong {
						told.Reject()
					}
				}
				for input := range p.Predictor.Rewind {
					p.Predictor.Step(input)
				}
			}
		}}}
	}
	c = systemstest.New(t, config)
	c.Run(15 * time.Second)
	c.Settle()
	c.Converged()
	if others < 1000 || off < 10 {
		t.Errorf("%d values of others, %d of them wrong", others, off)
	}
}
