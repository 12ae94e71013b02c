package lagcomp_test

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

// stage is a server's world without a network, with its history.
type stage struct {
	t         testing.TB
	w         *ecs.World
	comp      *lagcomp.Compensator
	authority *ecs.Stage
	tick      uint32
	then      map[uint32]map[ecs.Entity]memory // by tick
}

// memory is an entity at a tick, in full precision.
type memory struct {
	id    components.NetID
	at    spot
	pose  pose
	tint  tint
	tints bool
}

func newStage(t testing.TB, targets int, c lagcomp.Config) *stage {
	t.Helper()
	w := ecs.NewWorld(gallery(), ecs.Config{Seed: 1})
	populate(targets)(w)
	return &stage{t: t, w: w, comp: compensator(t, w, c), authority: w.Protocol().AuthorityStage(), then: map[uint32]map[ecs.Entity]memory{}}
}

// simulate runs the rules of the next tick, without recording it.
func (s *stage) simulate() {
	s.w.Netcode().SetTick(s.tick)
	s.w.Netcode().SimulateStage().Run(s.w)
	s.authority.Run(s.w)
	s.tick++
}

// step runs a tick and records it.
func (s *stage) step() {
	s.simulate()
	s.comp.Record(s.tick)
	s.w.Netcode().SetTick(s.tick)
	seen := map[ecs.Entity]memory{}
	for e, v := range ecs.All[target](s.w) {
		seen[e] = memory{s.w.NetID(e), v.At, v.Pose, v.Color, ecs.Has[tint](s.w, e)}
	}
	s.then[s.tick] = seen
}

func (s *stage) run(n int) {
	for range n {
		s.step()
	}
}

// component returns the description of T.
func component[T any](w *ecs.World) *ecs.Component { return ecs.ComponentOf[T](w.Protocol()) }

// between returns the component that a client draws between two states.
func between[T any](w *ecs.World, from, to T, f float64) T {
	c := component[T](w)
	c.Schema.Snap(unsafe.Pointer(&from))
	c.Schema.Snap(unsafe.Pointer(&to))
	c.Schema.Lerp(unsafe.Pointer(&from), unsafe.Pointer(&from), unsafe.Pointer(&to), f)
	return from
}

// expect returns the entities that a view between two ticks must show.
func (s *stage) expect(drawn float64, from, to uint32) map[ecs.Entity]memory {
	want := map[ecs.Entity]memory{}
	for e, m := range s.then[from] {
		later, ok := s.then[to][e]
		f := 0.0
		if ok && later.tints == m.tints {
			f = (drawn - float64(from)) / float64(to-from)
		} else {
			later = m
		}
		m.at = between(s.w, m.at, later.at, f)
		m.pose = between(s.w, m.pose, later.pose, f)
		want[e] = m
	}
	return want
}

// shows compares a view with the expected entities, with All and with Get.
func (s *stage) shows(view lagcomp.View, want map[ecs.Entity]memory) {
	s.t.Helper()
	n := 0
	for e, v := range lagcomp.All[target](view) {
		m := want[e]
		if got := (memory{view.NetID(e), v.At, v.Pose, v.Color, m.tints}); got != m {
			s.t.Fatalf("view of %.3f: %v is %+v, want %+v", view.Tick(), e, got, m)
		}
		at, _ := lagcomp.Get[spot](view, e)
		facing, _ := lagcomp.Get[pose](view, e)
		_, tinted := lagcomp.Get[tint](view, e)
		if at != m.at || facing != m.pose || tinted != m.tints {
			s.t.Fatalf("view of %.3f: Get of %v is %v, %v and %v, want %+v", view.Tick(), e, at, facing, tinted, m)
		}
		if by, ok := view.ByNetID(m.id); !ok || by != e {
			s.t.Fatalf("NetID %d is %v, want %v", m.id, by, e)
		}
		n++
	}
	if n != len(want) {
		s.t.Fatalf("view of %.3f: %d entities, want %d", view.Tick(), n, len(want))
	}
}

// For any two states, a view has spawned, despawned and changed entities exactly as the client's own function draws them, bit
// for bit.
func TestViewAgainstWhatWas(t *testing.T) {
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(seed, 1))
		s := newStage(t, 12, lagcomp.Config{})
		for range 200 {
			s.step()
			if rng.IntN(5) == 0 { // others become tinted, or lose it
				for e := range ecs.All[target](s.w) {
					if rng.IntN(6) > 0 {
						continue
					}
					if ecs.Has[tint](s.w, e) {
						ecs.Remove[tint](s.w, e)
					} else {
						ecs.Add(s.w, e, tint{Color: 3})
					}
					break
				}
			}
			if s.tick < 60 {
				continue
			}
			gap := uint32(3 * (1 + rng.IntN(lagcomp.MaxLost+1)))
			from := s.tick - s.tick%3 - gap - 3*uint32(rng.IntN(10))
			at := float64(from) + float64(rng.IntN(int(gap)*lagcomp.Parts))/lagcomp.Parts
			client := s.tick // its own each time, as playback goes back in this test
			view := s.comp.As(client, claimOf(at, from, from+gap))
			if a, b := view.States(); a != from || b != from+gap || view.Tick() != at {
				t.Fatalf("a view of %.3f between %d and %d is one of %.3f between %d and %d", at, from, from+gap, view.Tick(), a, b)
			}
			s.shows(view, s.expect(at, from, from+gap))
		}
		stats := s.comp.Stats()
		if stats.Unsent+stats.Old+stats.Ahead+stats.Backwards > 0 {
			t.Errorf("%+v", stats)
		}
	}
}

// Where the states are not known, those next to the moment are taken.
func TestNeighbours(t *testing.T) {
	s := newStage(t, 6, lagcomp.Config{})
	s.run(62)
	for _, c := range []struct {
		drawn    float64
		from, to uint32
	}{
		{40, 39, 42}, {39, 39, 42}, {41.75, 39, 42}, {59.5, 57, 60}, {60, 60, 0},
	} {
		view := s.comp.As(1, claimOf(c.drawn, 0, 0))
		if from, to := view.States(); from != c.from || to != c.to || view.Clamp() != lagcomp.Believed || view.Tick() != c.drawn {
			t.Errorf("%v: a view of %v from %d to %d, %v", c.drawn, view.Tick(), from, to, view.Clamp())
		}
		s.comp.Forget(1)
		to := c.to
		if to == 0 {
			to = c.from + 1
		}
		s.shows(view, s.expect(c.drawn, c.from, to))
	}
}

// A view does not interpolate fields tagged hold, or between states with different components.
func TestNothingSlidesThatHolds(t *testing.T) {
	s := newStage(t, 0, lagcomp.Config{})
	held := s.w.Spawn(spot{X: 0, Y: 0}, pose{Room: 1}, tint{Color: 1})
	reshaped := s.w.Spawn(spot{X: 0, Y: 0}, pose{Facing: 100})
	s.run(30)
	ecs.Get[pose](s.w, held).Room = 9
	*ecs.Get[spot](s.w, held) = spot{X: 6, Y: 0}
	*ecs.Get[spot](s.w, reshaped) = spot{X: 6, Y: 0}
	ecs.Add(s.w, reshaped, tint{Color: 5})
	s.run(3)
	view := s.comp.As(1, claimOf(31.5, 30, 33))
	h, _ := lagcomp.Get[pose](view, held)
	at, _ := lagcomp.Get[spot](view, held)
	moved, _ := lagcomp.Get[spot](view, reshaped)
	_, tinted := lagcomp.Get[tint](view, reshaped)
	if h.Room != 1 || at != (spot{X: 3, Y: 0}) || moved != (spot{X: 0, Y: 0}) || tinted {
		t.Errorf("room %d, at %v; with other components %v, %v", h.Room, at, moved, tinted)
	}
}

// A destroyed target is hit by a player who still saw it. A target that was spawned since is not in the view.
func TestNetcodeE5_DestroyedSince(t *testing.T) {
	s := newStage(t, 0, lagcomp.Config{})
	victim := s.w.Spawn(spot{X: 2, Y: 3}, pose{})
	id := s.w.NetID(victim)
	s.run(30)
	s.w.Despawn(victim)
	later := s.w.Spawn(spot{X: 4, Y: 5}, pose{})
	s.run(12)
	view := s.comp.As(1, claimOf(28.5, 27, 30))
	at, ok := lagcomp.Get[spot](view, victim)
	if e, found := view.ByNetID(id); !ok || at != (spot{X: 2, Y: 3}) || !found || e != victim || view.NetID(victim) != id {
		t.Errorf("the destroyed one is at %v, %v; by NetID %v, %v", at, ok, e, found)
	}
	if _, ok := lagcomp.Get[spot](view, later); ok {
		t.Error("one that was spawned later is there")
	}
	if _, ok := view.ByNetID(s.w.NetID(later)); ok {
		t.Error("one that was spawned later is there by NetID")
	}
	n := 0
	for range lagcomp.All[target](view) {
		n++
	}
	if n != 1 {
		t.Errorf("%d targets", n)
	}
	view = s.comp.As(1, claimOf(31, 30, 33))
	if _, ok := lagcomp.Get[spot](view, later); ok {
		t.Error("one is drawn before the first state that has it")
	}
	view = s.comp.As(1, claimOf(34, 33, 36))
	if _, ok := lagcomp.Get[spot](view, victim); ok {
		t.Error("one is drawn after the first state that has it not")
	}
}
