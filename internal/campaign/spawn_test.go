package campaign

import (
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/outcome"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// newRange returns a player of the sea, alone and far away, who fires in every inputs-th input. From a
// tick on the server lets no gun fire.
func newRange(t *testing.T, inputs, jammed uint32) (*systemstest.Crowd, *systemstest.Client, *ledger) {
	d, l := &draw{}, newLedger("client")
	g := systemstest.New(t, systemstest.Config{
		Protocol: func() *ecs.Protocol {
			p := d.sea()
			p.Authority("jam", func(w *ecs.World) {
				for _, r := range ecs.Each[struct{ Cannon *cannon }](w) {
					if w.Tick() >= jammed {
						r.Cannon.Stunned = 60
					}
				}
			})
			return p
		},
		Server: systems.ServerConfig{
			Model: policy.LocalSync{PredictOutcomes: true}, Outcomes: func(l *outcome.Log) { outcome.Handle(l, outcome.Handlers[deed]{}) },
			Events: event.NewServer(news(), event.ServerConfig{}),
		},
		Client: func(int) systems.ClientConfig {
			return systems.ClientConfig{Outcomes: l.register, Events: event.NewClient(news(), event.ClientConfig{})}
		},
		Play:    systemstest.Play(func(c *systemstest.Client, in *order) { in.Fire = c.Input()%inputs == 0 }),
		Clients: 1, Link: netsys.Link{Latency: 8 * time.Second / 60}, CountOnly: true,
	})
	g.Connect()
	return g, g.Clients[0], l
}

// shells returns the shells of a world that were spawned by Simulate, by key.
func shells(w *ecs.World) map[ecs.SpawnKey]ecs.Entity {
	all := map[ecs.SpawnKey]ecs.Entity{}
	for e := range ecs.All[struct{ Shell shell }](w) {
		if key := ecs.Get[ecs.SpawnKey](w, e); key != nil {
			all[*key] = e
		}
	}
	return all
}

// A client's spawn becomes the server's entity that has its owner, input and number within
// that, under the handle that it had from the start, in the view too.
func TestNetcodeE6_SpawnsAreMatchedByOwnerInputAndNumber(t *testing.T) {
	g, c, _ := newRange(t, 20, math.MaxUint32)
	type shown struct {
		world, view ecs.Entity
		unnamed     bool // when it was seen first
	}
	seen := map[ecs.SpawnKey]shown{}
	matched, pairs := map[ecs.SpawnKey]bool{}, 0
	for range 900 {
		g.RunTicks(1)
		theirs, view := shells(g.Server.World()), shells(c.View())
		for key, e := range shells(c.World()) {
			id := c.World().NetID(e)
			was, known := seen[key]
			if !known {
				was = shown{e, view[key], id == 0}
				seen[key] = was
			}
			if was.world != e || view[key] != was.view {
				t.Fatalf("the shell %v was %v, in the view %v, and is %v and %v", key, was.world, was.view, e, view[key])
			}
			if id == 0 {
				continue
			}
			if s, ok := theirs[key]; ok && g.Server.World().NetID(s) != id {
				t.Fatalf("the shell %v is entity %d, on the server %d", key, id, g.Server.World().NetID(s))
			} else if ok && was.unnamed && !matched[key] {
				matched[key] = true
				pairs += int(key.Nth)
			}
		}
	}
	if len(matched) < 20 || pairs < 4 || c.Stats().Corrections > 2 {
		t.Errorf("%d shells matched, %d of them the second of their input; %d corrections", len(matched), pairs, c.Stats().Corrections)
	}
	if spawns, _ := c.World().PendingPredictions(); spawns > 4 {
		t.Errorf("%d spawns wait for their confirmation", spawns)
	}
}

// A spawn that the server did not make disappears with the correction from the world and the view. Its handles become invalid,
// and its outcomes are withdrawn.
func TestNetcodeE6_MispredictedSpawnsLeaveNoTrace(t *testing.T) {
	const jammed = 150
	g, c, l := newRange(t, 5, jammed)
	type shown struct{ world, view ecs.Entity }
	ghosts := map[ecs.SpawnKey]shown{}
	for corrections := c.Stats().Corrections; c.Stats().Corrections == corrections; {
		view := shells(c.View())
		for key, e := range shells(c.World()) {
			if view[key].IsZero() {
				t.Fatalf("the shell %v is not in the view", key)
			}
			if c.World().NetID(e) == 0 {
				ghosts[key] = shown{e, view[key]}
			}
		}
		if g.RunTicks(1); g.Server.Tick() < jammed {
			clear(ghosts)
			corrections = c.Stats().Corrections
		}
	}
	if len(ghosts) < 3 || l.cancelled == 0 {
		t.Fatalf("%d shells were predicted; %d outcomes were withdrawn", len(ghosts), l.cancelled)
	}
	for _, w := range []*ecs.World{c.World(), c.View()} {
		for key, e := range shells(w) {
			if w.NetID(e) == 0 {
				t.Errorf("the ghost %v is left after the correction", key)
			}
		}
	}
	g.RunTicks(6 * 60)
	for key, e := range ghosts {
		if c.World().Alive(e.world) || c.View().Alive(e.view) {
			t.Errorf("the handle of %v is alive: in the world %v, in the view %v", key, c.World().Alive(e.world), c.View().Alive(e.view))
		}
	}
	if spawns, despawns := c.World().PendingPredictions(); spawns+despawns > 0 {
		t.Errorf("%d spawns and %d despawns are waited for", spawns, despawns)
	}
	if err := l.paired(c.Outcomes()); err != nil || l.cancelled == 0 {
		t.Errorf("%d outcomes were withdrawn; %v", l.cancelled, err)
	}
	g.Converged()
}
