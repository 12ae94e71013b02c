package predict_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

type (
	trigger struct {
		Fire bool `net:"edge"`
	}
	// drone changes unpredictably, so that the owner state of many drones needs several datagrams.
	drone struct {
		A, B, C uint32 `net:"raw"`
	}
	// spark is a shot that ends in two parts, which end without any.
	spark struct {
		Left uint8 `net:"0..60"`
		Part bool
	}
)

// sparkLife is the number of inputs for which a spark lives.
const sparkLife = 3

func swarmOfOne() *ecs.Protocol {
	p := ecs.NewProtocol("swarm of one")
	ecs.Input[trigger](p)
	ecs.Replicate[drone](p, ecs.Predicted)
	ecs.Replicate[spark](p, ecs.Predicted)
	ecs.Replicate[components.Position](p, ecs.Predicted)
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, components.Position{}, trigger{})
		for n := range uint32(120) {
			w.Spawn(components.Owner{Client: client}, drone{n * 0x9e3779b9, n * 0x85ebca6b, n * 0xc2b2ae35})
		}
	})
	p.Simulate("drones", func(w *ecs.World) {
		for _, r := range ecs.Each[struct{ D *drone }](w) {
			r.D.A, r.D.B, r.D.C = r.D.A*1664525+1013904223, r.D.B*22695477+1, r.D.C*1103515245+12345
		}
	})
	p.Simulate("sparks", func(w *ecs.World) {
		for e, r := range ecs.EachInOrder[struct {
			S *spark
			O *components.Owner
		}](w) {
			if r.S.Left--; r.S.Left == 0 {
				w.Despawn(e)
				if !r.S.Part {
					w.Spawn(*r.O, spark{Left: sparkLife, Part: true})
					w.Spawn(*r.O, spark{Left: sparkLife, Part: true})
				}
			}
		}
		for _, r := range ecs.Each[struct {
			In *trigger
			O  *components.Owner
		}](w) {
			if r.In.Fire {
				w.Spawn(*r.O, spark{Left: sparkLife})
			}
		}
	})
	return p
}

// Owner state that needs several datagrams is used when all of them have arrived. So a lost one neither removes nor doubles
// predicted spawns: in each tick the client has exactly the sparks that its inputs made.
func TestDividedOwnerState(t *testing.T) {
	t.Parallel()
	for _, m := range []policy.Model{policy.LocalSync{}, policy.Buffered{}, policy.CorrectOnMismatch{}, policy.ServerRewind{}} {
		t.Run(m.String(), func(t *testing.T) {
			t.Parallel()
			fired, on := map[uint32]bool{}, false
			server := systems.ServerConfig{Model: m, Snapshots: systems.Snapshots{Budget: 8000}}
			c := systemstest.New(t, systemstest.Config{
				Protocol: swarmOfOne, Clients: 1, Seed: 1, Server: server,
				Link: systemstest.RoundTrip(300*time.Millisecond, 60*time.Millisecond, 0.08),
				Play: systemstest.Play(func(k *systemstest.Client, in *trigger) {
					in.Fire = on && k.Rand().IntN(3) == 0
					fired[k.Input()] = in.Fire
				}),
			})
			c.Connect()
			c.Run(5 * time.Second)
			before := c.Server.Stats()
			c.Mark()
			on = true
			wrong, ticks := 0, 0
			c.OnClientTick(func(k *systemstest.Client) {
				want, have := 0, 0
				for ago := range uint32(2 * sparkLife) {
					if !fired[k.Input()-ago] {
						continue
					}
					if want++; ago >= sparkLife {
						want++
					}
				}
				for range ecs.All[struct{ S spark }](k.World()) {
					have++
				}
				if ticks++; have != want && k.Figures().Missing == 0 {
					if wrong++; wrong < 4 {
						t.Errorf("after input %d: %d sparks, want %d", k.Input(), have, want)
					}
				}
			})
			c.Run(30 * time.Second)
			after := c.Server.Stats()
			updates, divided := after.Updates-before.Updates, after.Snapshots.Divided-before.Snapshots.Divided
			if f := c.Clients[0].Figures(); wrong > 0 || divided < updates/2 || f.Missing > 0 {
				t.Errorf("%d of %d ticks show other sparks than the inputs made; %d of %d snapshots were divided, %d inputs missed", wrong, ticks, divided, updates, f.Missing)
			}
			c.Settle()
			c.Converged()
		})
	}
}
