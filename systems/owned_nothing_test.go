package systems_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// A client from whom everything is taken while it fires learns what became of its shots: the
// server's word that it has nothing counts like any other state of its own.
//
//mutant:rule OwnsNothing systems/client_receive.go
//mutant:from if len(c.incoming.own) > 0 {
//mutant:to if len(c.incoming.own) > 0 && (c.ownGroups[0].at(c.ownSend) == nil || c.ownGroups[0].at(c.ownSend).Alive != 0) {
func TestWhoOwnsNothingWaitsForNothing(t *testing.T) {
	for _, model := range []policy.Preset{policy.LocalSync, policy.ServerRewind} {
		t.Run(model.String(), func(t *testing.T) {
			crowd := systemstest.New(t, systemstest.Config{
				Protocol: func() *ecs.Protocol {
					p := gallery(false)()
					p.Authority("take", func(w *ecs.World) {
						for _, r := range ecs.Each[struct{ Owner *components.Owner }](w) {
							if w.Tick() >= 200 {
								r.Owner.Client = 0
							}
						}
					})
					return p
				},
				Server: systems.ServerConfig{Policies: model.Policies(), Join: func(w *ecs.World, client uint32) {
					w.Spawn(components.Owner{Client: client}, components.Position{X: float32(client)}, Gun{}, Trigger{})
				}},
				Play:    systemstest.Play(func(_ *systemstest.Client, in *Trigger) { in.Fire = true }),
				Clients: 2,
				Link:    systemstest.RoundTrip(200*time.Millisecond, 20*time.Millisecond, 0.05),
			})
			crowd.Run(12 * time.Second)
			for _, k := range crowd.Clients {
				if spawns, despawns := k.World().Foretold(); spawns+despawns > 0 {
					t.Errorf("%v still waits for %d spawns and %d despawns", k, spawns, despawns)
				}
			}
		})
	}
}
