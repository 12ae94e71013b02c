package lagcomp_test

import (
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

type owned struct {
	Of components.Owner
	At spot
}

// places are all that a view has of things that are owned.
func places(view lagcomp.View) (at []float32) {
	for e, v := range lagcomp.All[owned](view) {
		if got, ok := lagcomp.Get[spot](view, e); !ok || got != v.At || view.NetID(e) == 0 {
			return nil
		}
		if by, ok := view.ByNetID(view.NetID(e)); !ok || by != e {
			return nil
		}
		at = append(at, v.At.X)
	}
	slices.Sort(at)
	return at
}

// The player's own entities are where the world has them now, those of others where
// they were drawn.
func TestOwnEntities(t *testing.T) {
	s := newStage(t, 3, lagcomp.Config{})
	mine := s.w.Spawn(components.Owner{Client: 1}, spot{X: 1}, secret{1})
	lost := s.w.Spawn(components.Owner{Client: 1}, spot{X: 2}, secret{2})
	his := s.w.Spawn(components.Owner{Client: 2}, spot{X: 3}, secret{3})
	s.run(30)
	ecs.Get[spot](s.w, mine).X = 100.123
	ecs.Get[spot](s.w, his).X = 300
	s.w.Despawn(lost)
	s.run(3)
	ecs.Get[spot](s.w, mine).X = 200.1234
	born := s.w.Spawn(components.Owner{Client: 1}, spot{X: 50})
	view := s.comp.As(1, claimOf(30, 30, 33))
	if got := places(view); !slices.Equal(got, []float32{3, 50, 200.1234}) {
		t.Errorf("the player sees %v", got)
	}
	if _, ok := lagcomp.Get[spot](view, lost); ok || view.NetID(lost) != 0 {
		t.Error("the player sees an entity of its own that is gone")
	}
	if got := places(s.comp.As(2, claimOf(30, 30, 33))); !slices.Equal(got, []float32{1, 2, 300}) {
		t.Errorf("another one sees %v", got)
	}
	if c, ok := lagcomp.Get[secret](view, his); !ok || c.Card != 3 {
		t.Errorf("what only its owner knows is %v, %v for the server's code", c, ok)
	}
	// Walks that end early: among those of others, of the present and of the past.
	s.comp.Consume(1, 9)
	s.step()
	for _, view := range []lagcomp.View{
		s.comp.As(1, claimOf(30, 30, 33)), s.comp.AsAfter(1, claimOf(30, 30, 33), 8),
	} {
		for _, last := range []ecs.Entity{his, mine, born} {
			met := false
			for e := range lagcomp.All[owned](view) {
				if met {
					t.Errorf("a walk went on behind %v", last)
				}
				met = e == last
				if met {
					break
				}
			}
		}
	}
}

// A claim by message finds own entities as after the input that it names.
func TestOwnEntitiesAfterAnInput(t *testing.T) {
	s := newStage(t, 3, lagcomp.Config{MaxRewind: 1250 * time.Millisecond})
	mine := s.w.Spawn(components.Owner{Client: 1}, spot{})
	gone := s.w.Spawn(components.Owner{Client: 1}, spot{X: -1})
	for range 120 {
		s.comp.Consume(1, 1000+s.tick)
		ecs.Get[spot](s.w, mine).X = float32(s.tick)
		s.step()
	}
	s.w.Despawn(gone)
	ecs.Get[spot](s.w, mine).X = 500
	for _, c := range []struct {
		input uint32
		at    float32
	}{
		{1100, 100}, {1118, 118}, {1119, 500}, {1200, 500}, {1071, 71},
		{1010, 120 - 75 - 1}, // before the oldest state
	} {
		view := s.comp.AsAfter(1, claimOf(100, 99, 102), c.input)
		at, ok := lagcomp.Get[spot](view, mine)
		if want := c.input < 1119; !ok || at.X != c.at || slices.Contains(places(view), -1) != want {
			t.Errorf("after input %d it is at %v, %v; all are %v", c.input, at, ok, places(view))
		}
	}
	if view := s.comp.AsAfter(1, lagcomp.Claim{}, 1100); view.Clamp() != lagcomp.Unclaimed || len(places(view)) != 1 {
		t.Error("a view without a claim is not the present")
	}
	if view := s.comp.AsAfter(2, claimOf(100, 99, 102), 7); len(places(view)) != 2 {
		t.Errorf("another one sees %v", places(view))
	}
}

// Without a claim, with it off, and before anything was recorded a view is the present.
func TestThePresent(t *testing.T) {
	s := newStage(t, 3, lagcomp.Config{})
	check := func(what string, view lagcomp.View, w *ecs.World, clamp lagcomp.Clamp, client uint32) {
		t.Helper()
		n := 0
		for e, v := range lagcomp.All[target](view) {
			n++
			if now := ecs.Get[spot](w, e); now == nil || v.At != *now || view.NetID(e) != w.NetID(e) {
				t.Errorf("%s: %v is at %v, not at %v", what, e, v.At, now)
			}
			if by, ok := view.ByNetID(w.NetID(e)); !ok || by != e {
				t.Errorf("%s: %v is %v by NetID", what, e, by)
			}
			if n == 2 {
				break
			}
		}
		_, none := view.ByNetID(9999)
		_, gone := lagcomp.Get[spot](view, ecs.Entity{})
		from, to := view.States()
		if n != 2 || none || gone || from|to != 0 || view.Clamp() != clamp || view.Client() != client || view.World() != w || view.Tick() != float64(w.Tick()) {
			t.Errorf("%s: %d targets, %v, client %d, tick %v", what, n, view.Clamp(), view.Client(), view.Tick())
		}
	}
	check("before the first state", s.comp.As(1, claimOf(3, 3, 6)), s.w, lagcomp.Unclaimed, 1)
	s.run(20)
	check("without a claim", s.comp.As(1, lagcomp.Claim{}), s.w, lagcomp.Unclaimed, 1)
	check("of a world", lagcomp.Of(s.w), s.w, lagcomp.Unclaimed, 0)
	off := newStage(t, 3, lagcomp.Config{Off: true})
	off.run(20)
	check("off", off.comp.As(1, claimOf(15, 15, 18)), off.w, lagcomp.Unclaimed, 1)
	if n := s.comp.StatsOf(1); n.Views != 2 || n.Unclaimed != 1 || s.comp.StatsOf(2) != (lagcomp.Stats{}) {
		t.Errorf("%+v", n)
	}
}
