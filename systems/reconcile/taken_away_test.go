package reconcile_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/outcome"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// taking is the link of a client that loses its entities.
var taking = systemstest.RoundTrip(200*time.Millisecond, 20*time.Millisecond, 0.05)

// A client that loses all entities while it shoots learns the results of its shots: owner state without entities counts like
// any other.
func TestWhoOwnsNothingWaitsForNothing(t *testing.T) {
	t.Parallel()
	for _, model := range []policy.Model{policy.LocalSync{}, policy.CorrectOnMismatch{}, policy.ServerRewind{}} {
		t.Run(model.String(), func(t *testing.T) {
			config := fieldtest.GalleryConfig(0, 2, false, fieldtest.Authority(func(w *ecs.World) {
				for _, r := range ecs.Each[struct{ Owner *components.Owner }](w) {
					if w.Tick() >= 200 {
						r.Owner.Client = 0
					}
				}
			}))
			config.Link, config.Server.Model = taking, model
			config.Play = fieldtest.Steady(fieldtest.Walk{Jump: true})
			crowd := systemstest.New(t, config)
			crowd.Run(12 * time.Second)
			for _, k := range crowd.Clients {
				if spawns, despawns := k.World().PendingPredictions(); spawns+despawns > 0 {
					t.Errorf("%v still waits for %d spawns and %d despawns", k, spawns, despawns)
				}
			}
		})
	}
}

// shotOf is a shot that was fired in a tick, by the number of the shot.
type shotOf struct{ Gun, Shot uint32 }

// A client withdraws the predicted outcomes of entities that were taken from it meanwhile. It commits nothing that the server
// did not.
func TestWhatWasTakenAwayCommitsNothing(t *testing.T) {
	t.Parallel()
	for _, model := range []policy.Model{policy.LocalSync{}, policy.CorrectOnMismatch{}, policy.ServerRewind{}} {
		for _, killed := range []bool{false, true} {
			truth := map[shotOf]bool{}
			believed, withdrawn := map[shotOf]string{}, 0
			config := fieldtest.GalleryConfig(0, 2, false, fieldtest.Simulate("tell", func(w *ecs.World) {
				for e, g := range ecs.Each[fieldtest.Gunner](w) {
					if g.In.Jump {
						outcome.Raise(w, ecs.Entity{}, shotOf{uint32(w.NetID(e)), uint32(g.Gun.Shots)})
					}
				}
			}), fieldtest.Authority(func(w *ecs.World) {
				for e, r := range ecs.EachInOrder[fieldtest.Gunner](w) {
					switch turn := w.Tick() % 240; {
					case killed && turn == 0:
						w.Despawn(e)
					case !killed && turn == 0:
						r.Owner.Client += 1000
					case !killed && turn == 30 && r.Owner.Client > 1000:
						r.Owner.Client -= 1000
					}
				}
				if killed && w.Tick() > 240 && w.Tick()%240 == 120 {
					for client := range uint32(2) {
						fieldtest.JoinWith(fieldtest.Gun{})(w, client+1)
					}
				}
			}))
			config.Link, config.Server.Model = taking, fieldtest.Predicting(model)
			config.Server.Outcomes = func(l *outcome.Log) {
				outcome.Handle(l, outcome.Handlers[shotOf]{Commit: func(_ *ecs.World, o outcome.Outcome[shotOf]) { truth[o.Value] = true }})
			}
			config.Client = func(n int) systems.ClientConfig {
				return systems.ClientConfig{Outcomes: func(l *outcome.Log) {
					outcome.Handle(l, outcome.Handlers[shotOf]{
						Commit: func(_ *ecs.World, o outcome.Outcome[shotOf]) {
							believed[o.Value] = fmt.Sprintf("client %d, input %d", n, o.Tick)
						},
						Cancel: func(*ecs.World, outcome.Outcome[shotOf]) { withdrawn++ },
					})
				}}
			}
			config.Play = systemstest.Play(func(k *systemstest.Client, in *fieldtest.Walk) { in.Jump = k.Input()%3 == 0 })
			crowd := systemstest.New(t, config)
			crowd.Run(12 * time.Second)
			crowd.Settle()
			for shot, who := range believed {
				if !truth[shot] {
					t.Errorf("%v, killed %v: %s committed %+v, and the server did not", model, killed, who, shot)
				}
			}
			if len(believed) < 50 || withdrawn == 0 {
				t.Errorf("%v, killed %v: %d committed by clients, %d withdrawn", model, killed, len(believed), withdrawn)
			}
		}
	}
}
