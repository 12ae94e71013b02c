package reconcile_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Armed and Burning are components that entities get and lose all the time.
type (
	Armed struct {
		Rounds uint8 `net:"0..200"`
	}
	Burning struct {
		Until uint16 `net:"0..60000"`
	}
)

// reshaping is a way to choose the entities of a snapshot, with the number of entities in the world and the model that
// the test plays without TACTUS_LONG.
type reshaping struct {
	fieldtest.Name
	entities int
	model    policy.Model
	server   func(c *systems.ServerConfig)
}

var reshapings = []reshaping{
	{"by turns", 60, policy.LocalSync{}, func(*systems.ServerConfig) {}},
	{"by priorities", 60, policy.Buffered{}, func(c *systems.ServerConfig) {
		c.Snapshots.Priority = func(*ecs.World, ecs.Entity, uint32) float32 { return 1 }
	}},
	{"by cells", 100, policy.CorrectOnMismatch{}, func(c *systems.ServerConfig) {
		c.Snapshots.Interest = &systems.Grid[components.Position]{Cell: 100, Radius: 2000}
	}},
	{"by components", 100, policy.ServerRewind{}, func(c *systems.ServerConfig) {
		c.Snapshots.ComponentInterest = []systems.ComponentInterest{
			systems.Only[Burning](&systems.Grid[components.Position]{Cell: 100, Radius: 2000}),
		}
	}},
}

// A visible entity stays in the client's world and view while the server adds and removes components, with any budget and
// under any loss. A despawned entity leaves both.
func TestReshapedEntitiesStay(t *testing.T) {
	t.Parallel()
	fieldtest.EachRow(t, reshapings, func(t *testing.T, x reshaping) {
		models := []policy.Model{x.model}
		if fieldtest.Long() {
			models = fieldtest.AheadPresets
		}
		fieldtest.EachSeed(t, models, fieldtest.SeedCount(4), func(t *testing.T, model policy.Model, seed uint64) { stayReshaped(t, x, model, seed) })
	})
}

func stayReshaped(t *testing.T, x reshaping, model policy.Model, seed uint64) {
	config := fieldtest.PresetConfig(model, seed, 3, systemstest.RoundTrip(100*time.Millisecond, 20*time.Millisecond, 0.1))
	config.Server.Snapshots.Budget = 200
	x.server(&config.Server)
	config.Populate = fieldtest.Drifters(x.entities)
	reshapes := true
	died := map[components.NetID]uint32{} // at which tick
	config.Protocol = fieldtest.ProtocolWith(func(p *ecs.Protocol) {
		ecs.Replicate[Armed](p, 0)
		ecs.Replicate[Burning](p, 0)
	}, fieldtest.Authority(func(w *ecs.World) {
		for e := range ecs.EachInOrder[struct{ Pos *components.Position }](w) {
			draw := w.Rand(e)
			switch draw.IntN(200) {
			case 0, 1:
				toggle(w, e, Armed{uint8(draw.IntN(200))}, reshapes)
			case 2, 3:
				toggle(w, e, Burning{uint16(w.Tick())}, reshapes)
			case 4:
				if reshapes && draw.IntN(8) == 0 && !ecs.Has[components.Owner](w, e) {
					died[w.NetID(e)] = w.Tick()
					w.Despawn(e)
					w.Spawn(components.Position{X: float32(draw.IntN(60)), Y: -100}, fieldtest.Drift{Number: int32(draw.IntN(60))})
				}
			}
		}
	}))
	joined, lies := false, 0
	config.Client = func(int) systems.ClientConfig {
		return systems.ClientConfig{OnPresence: func(_ *ecs.World, c systems.PresenceChange) {
			if at, dead := died[c.ID]; joined && !c.Why.Enters() && !(dead && at <= c.Tick) {
				lies++
			}
		}}
	}
	crowd := systemstest.New(t, config)
	crowd.Connect()
	joined = true
	gone, unseen := missing{had: map[seenBy]bool{}}, missing{had: map[seenBy]bool{}}
	crowd.OnClientTick(func(k *systemstest.Client) { gone.look(crowd, k.N, k.World()) })
	crowd.OnFrame(func(k *systemstest.Client) { unseen.look(crowd, k.N, k.View()) })
	crowd.Run(fieldtest.Length(5*time.Second, 10*time.Second, 20*time.Second))
	if gone.count+unseen.count+lies > 0 {
		t.Errorf("living entities were missing from worlds for %d ticks and from views for %d frames; OnPresence reported %d as gone", gone.count, unseen.count, lies)
	}
	if st := crowd.Server.Stats(); st.OverBudget < st.Updates/2 || len(died) < 5 {
		t.Errorf("%d of %d snapshots exceeded the budget and %d entities died: nothing is proven", st.OverBudget, st.Updates, len(died))
	}
	reshapes = false
	crowd.Run(2 * time.Second)
	fieldtest.MustConverge(crowd)
}

// toggle takes a component from an entity, or gives it.
func toggle[T any](w *ecs.World, e ecs.Entity, c T, on bool) {
	switch {
	case !on:
	case ecs.Has[T](w, e):
		ecs.Remove[T](w, e)
	default:
		ecs.Add(w, e, c)
	}
}

// seenBy is an entity and a client that may have it.
type seenBy struct {
	client int
	id     components.NetID
}

// missing counts for how long clients were without entities that live, and that they had before.
type missing struct {
	had   map[seenBy]bool
	count int
}

func (m *missing) look(c *systemstest.Crowd, client int, w *ecs.World) {
	for e := range ecs.All[struct{ Pos components.Position }](c.Server.World()) {
		at := seenBy{client, c.Server.World().NetID(e)}
		_, there := w.ByNetID(at.id)
		if m.had[at] = m.had[at] || there; m.had[at] && !there {
			m.count++
		}
	}
}
