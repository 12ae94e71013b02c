package lagcomp_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/lagcomp"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// worn is the wearer of a hat, and the hat's height.
type worn struct {
	By components.NetID `net:"ref parent"`
	Up float32          `net:"raw"`
}

// over returns the position of a hat. It does not move on a line when its wearer does.
func over(h worn, at spot) spot { return spot{X: at.X + h.Up, Y: at.Y + at.X*at.X/16} }

// hats returns the gallery with hats.
func hats() *ecs.Protocol {
	p := gallery()
	ecs.Replicate[worn](p, 0)
	ecs.Carry(p, over)
	p.Authority("wear", wear)
	return p
}

// wear moves every hat but the first from target to target, or to nobody. The first stays on the second.
func wear(w *ecs.World) {
	var list [32]components.NetID
	n := 1
	for e := range ecs.EachInOrder[struct{ Orbit *orbit }](w) {
		list[n] = w.NetID(e)
		n++
	}
	first := true
	for e, h := range ecs.EachInOrder[struct{ Worn *worn }](w) {
		if every := 40 + uint32(w.NetID(e)); !first && w.Tick() > 0 && w.Tick()%every == 0 {
			h.Worn.By = list[(w.Tick()/every+uint32(w.NetID(e)))%uint32(n)]
		}
		first = false
	}
}

// dress adds hats to the gallery.
func dress(targets, hats int) func(w *ecs.World) {
	return func(w *ecs.World) {
		populate(targets)(w)
		list := make([]ecs.Entity, hats)
		for i := range list {
			list[i] = w.Spawn(spot{X: float32(i)}, pose{}, worn{Up: 0.001 * float32(i+1)})
		}
		ecs.Get[worn](w, list[0]).By = w.NetID(list[1])
	}
}

// A view has carried entities, including those on other carried entities, where the client draws them, bit for bit, whoever
// carries them at that moment.
func TestNetcodeE9_ViewsShowTheCarriedAtItsCarrier(t *testing.T) {
	systemstest.Seeds(t, 2, func(t *testing.T, seed uint64) {
		link := systemstest.RoundTrip(200*time.Millisecond, 30*time.Millisecond, 0.05)
		crowd := systemstest.New(t, systemstest.Config{
			Protocol: hats, Server: systems.ServerConfig{LagComp: &lagcomp.Config{}}, Populate: dress(12, 6),
			Clients: 2, Link: link, Seed: seed,
		})
		type key struct {
			client int
			e      ecs.Entity
		}
		type state struct {
			by    components.NetID
			there bool
			since time.Time
		}
		was, worn, changes := map[key]state{}, 0, 0
		// A client goes over to another carrier in 12 ticks, which the server knows nothing of.
		var between func(k *systemstest.Client, e ecs.Entity) bool
		between = func(k *systemstest.Client, e ecs.Entity) bool {
			now, old, on := state{}, was[key{k.N, e}], ecs.Entity{}
			if now.by = wornBy(k.View(), e); now.by != 0 {
				on, now.there = k.View().ByNetID(now.by)
			}
			if now.since = old.since; now.by != old.by || now.there != old.there {
				now.since = crowd.Now()
				changes++
			}
			was[key{k.N, e}] = now
			if now.there {
				worn++
			}
			return crowd.Now().Sub(now.since) < 13*time.Second/60 || now.there && between(k, on)
		}
		seeSame(t, crowd, link, 14, between)
		if worn < 3000 || changes < 50 {
			t.Errorf("%d hats were worn, %d changed hands", worn, changes)
		}
	})
}

// wornBy returns the wearer of an entity, or 0 for none.
func wornBy(w *ecs.World, e ecs.Entity) components.NetID {
	if h := ecs.Get[worn](w, e); h != nil {
		return h.By
	}
	return 0
}

// In a view, entities on the player's own entity are at its present place. Own entities on others are where the carrier was,
// or where they were last seen if it is destroyed.
func TestNetcodeE9_ViewsShowTheCarriedOfThePlayer(t *testing.T) {
	w := ecs.NewWorld(hats(), ecs.Config{Seed: 1})
	s := &stage{t: t, w: w, comp: compensator(t, w, lagcomp.Config{}), authority: w.Protocol().AuthorityStage(), then: map[uint32]map[ecs.Entity]memory{}}
	mine := w.Spawn(components.Owner{Client: 1}, spot{X: 1})
	his := w.Spawn(components.Owner{Client: 2}, spot{X: 2})
	carries := func(by ecs.Entity, of uint32) ecs.Entity {
		return w.Spawn(components.Owner{Client: of}, spot{}, worn{By: w.NetID(by)})
	}
	onMine, mineOnHis, onHis := carries(mine, 0), carries(his, 1), carries(his, 0)
	onThat := w.Spawn(spot{}, worn{By: w.NetID(onMine)})
	s.run(30)
	ecs.Get[spot](w, mine).X, ecs.Get[spot](w, his).X = 8, 9
	s.run(3)
	ecs.Get[spot](w, mine).X = 4
	check := func(when string, client uint32, want map[ecs.Entity]spot) {
		t.Helper()
		view := s.comp.As(client, claimOf(30, 30, 33))
		n := 0
		for e, v := range lagcomp.All[struct {
			At   spot
			Worn worn
		}](view) {
			at, carried := want[e]
			got, _ := lagcomp.Get[spot](view, e)
			if n++; carried && (v.At != at || got != at) {
				t.Errorf("%s: client %d sees %v at %v, and when it is asked for at %v; want %v", when, client, e, v.At, got, at)
			}
		}
		if n != 4 {
			t.Errorf("%s: client %d sees %d", when, client, n)
		}
	}
	check("now", 1, map[ecs.Entity]spot{onMine: {X: 4, Y: 1}, onThat: {X: 4, Y: 2}, mineOnHis: {X: 2, Y: 0.25}, onHis: {X: 2, Y: 0.25}})
	check("now", 2, map[ecs.Entity]spot{onMine: {X: 1, Y: 1. / 16}, onThat: {X: 1, Y: 2. / 16}, mineOnHis: {X: 9, Y: 81. / 16}, onHis: {X: 9, Y: 81. / 16}})
	w.Despawn(his)
	check("destroyed", 1, map[ecs.Entity]spot{onMine: {X: 4, Y: 1}, onThat: {X: 4, Y: 2}, mineOnHis: {X: 2, Y: 0.25}, onHis: {X: 2, Y: 0.25}})
	// In a circle they are where they stand.
	ecs.Get[worn](w, onMine).By = w.NetID(onThat)
	s.run(6)
	view := s.comp.As(1, claimOf(36, 36, 39))
	if got, _ := lagcomp.Get[spot](view, onMine); got != (spot{X: 8, Y: 4}) {
		t.Errorf("in a circle: at %v, want %v", got, spot{X: 8, Y: 4})
	}
}

func TestAllocationsOfTheCarried(t *testing.T) {
	w := ecs.NewWorld(hats(), ecs.Config{Seed: 1})
	dress(12, 6)(w)
	s := &stage{t: t, w: w, comp: compensator(t, w, lagcomp.Config{}), authority: w.Protocol().AuthorityStage(), then: map[uint32]map[ecs.Entity]memory{}}
	s.run(60)
	view := s.comp.As(1, claimOf(40, 39, 42))
	look := func() {
		for e := range lagcomp.All[target](view) {
			lagcomp.Get[spot](view, e)
		}
	}
	look()
	if n := testing.AllocsPerRun(50, look); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
