package ecs_test

import (
	"strings"
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/race"
)

// rewound returns a world whose ticks are simulated again, with two entities.
func rewound() (*ecs.World, ecs.Entity, ecs.Entity) {
	w := ecs.NewWorld(newServer().Protocol(), ecs.Config{Rewinds: true})
	return w, w.Spawn(place{1, 1}, health{3}), w.Spawn(place{2, 2})
}

const handler = "the handler of event Say"

// Writes in a handler panic. The message names the handler and says where to write instead.
func TestHandlersDoNotWrite(t *testing.T) {
	w, e, other := rewound()
	writes := map[string]struct {
		do   func()
		says string
	}{
		"Spawn":        {func() { ecs.Spawn(w, struct{ At place }{place{5, 5}}) }, "Spawn in " + handler},
		"World.Spawn":  {func() { w.Spawn(place{5, 5}) }, "World.Spawn in " + handler},
		"Despawn":      {func() { w.Despawn(e) }, "Despawn in " + handler},
		"Add":          {func() { ecs.Add(w, other, health{1}) }, "Add in " + handler},
		"Add, held":    {func() { ecs.Add(w, e, health{1}) }, "Add in " + handler},
		"Remove":       {func() { ecs.Remove[health](w, e) }, "Remove in " + handler},
		"Each":         {func() { length(ecs.Each[placeRow](w)) }, "Each in " + handler},
		"EachOf":       {func() { length(ecs.EachOf[placeRow](w, 0)) }, "Each in " + handler},
		"EachInOrder":  {func() { length(ecs.EachInOrder[placeRow](w)) }, "Each in " + handler},
		"Get":          {func() { ecs.Get[place](w, e).Y = 7 }, "place.Y was 1 and is 7 after " + handler},
		"Get of two":   {func() { ecs.Get[place](w, e); ecs.Get[health](w, e); ecs.Get[place](w, other).X = 9 }, "place.X was 2 and is 9 after " + handler},
		"Get, then it": {func() { ecs.Get[place](w, e).X = 4; ecs.Get[place](w, e).X = 5 }, "place.X was 1 and is 5 after " + handler},
	}
	for name, c := range writes {
		t.Run(name, func(t *testing.T) {
			w, e, other = rewound()
			before := w.Hash()
			refused(t, func() { ecs.Handle(w, handler, c.do) }, c.says, "ecs.Command", "systems.CommandFor", "Simulate or Authority", "ecs.All")
			if !strings.HasPrefix(name, "Get") && w.Hash() != before {
				t.Error("the world is another one")
			}
			c.do() // no handler runs any more
			w = ecs.NewWorld(w.Protocol(), ecs.Config{})
			e, other = w.Spawn(place{1, 1}, health{3}), w.Spawn(place{2, 2})
			before = w.Hash()
			ecs.Handle(w, handler, c.do) // nothing of this world is simulated again
			if !strings.HasPrefix(name, "Each") && w.Hash() == before {
				t.Error("nothing was written")
			}
		})
	}
	ran := false
	if ecs.Handle(nil, handler, func() { ran = true }); !ran {
		t.Error("without a world nothing runs")
	}
}

// A panic in a nested handler names that handler, and the outer handler remains guarded.
func TestHandlersWithinHandlers(t *testing.T) {
	w, e, other := rewound()
	refused(t, func() {
		ecs.Handle(w, "the outer one", func() {
			ecs.Get[place](w, e).X = 8
			refused(t, func() { ecs.Handle(w, "the inner one", func() { ecs.Get[place](w, other).X = 9 }) }, "place.X was 2 and is 9 after the inner one")
			refused(t, func() { ecs.Handle(w, "the inner one", func() { w.Despawn(other) }) }, "Despawn in the inner one")
			ecs.Handle(w, "the inner one", func() { ecs.Get[place](w, e) })
			refused(t, func() { w.Despawn(e) }, "Despawn in the outer one")
		})
	}, "place.X was 1 and is 8 after the outer one")
	refused(t, func() { ecs.Handle(w, handler, func() { panic("its own") }) }, "its own")
	w.Despawn(e)
}

// A handler may look at all there is, and that allocates nothing.
func TestHandlersLook(t *testing.T) {
	w, e, other := rewound()
	id := w.NetID(e)
	type row struct{ Place place }
	sum := int32(0)
	look := func() {
		for _, r := range ecs.All[row](w) {
			sum += r.Place.X
		}
		for range 1100 { // more than a block of the copies
			sum += ecs.Get[place](w, other).X
		}
		if found, ok := w.ByNetID(id); !ok || found != e || !ecs.Has[health](w, e) || ecs.Has[health](w, other) || !w.Alive(e) || ecs.Get[health](w, other) != nil {
			t.Error("not what is there")
		}
	}
	handle := func() { ecs.Handle(w, handler, look) }
	handle()
	equal(t, "what it saw", sum, 2203)
	if n := testing.AllocsPerRun(100, handle); n != 0 && !race.Enabled {
		t.Errorf("%v allocations a handler", n)
	}
}
