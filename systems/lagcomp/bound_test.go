package lagcomp_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/lagcomp"
)

// rewind is the bound of these tests in ticks.
const rewind = 30

func bounded() lagcomp.Config { return lagcomp.Config{MaxRewind: rewind * time.Second / 60} }

// A claim beyond a bound is moved to it and counted; its states count for nothing
// then.
func TestClaimsAreBounded(t *testing.T) {
	for _, c := range []struct {
		name     string
		claim    lagcomp.Claim
		at       float64
		from, to uint32
		clamp    lagcomp.Clamp
		unsent   uint64
	}{
		{"honest", claimOf(85.5, 84, 87), 85.5, 84, 87, lagcomp.Believed, 0},
		{"at the bound", claimOf(71, 69, 72), 71, 71, 72, lagcomp.Believed, 1},
		{"older than the bound", claimOf(60, 60, 63), 71, 71, 72, lagcomp.Old, 0},
		{"as old as can be", claimOf(1, 0, 0), 71, 71, 72, lagcomp.Old, 0},
		{"from beyond the bound", claimOf(72.5, 69, 75), 72.5, 72, 75, lagcomp.Believed, 1},
		{"newer than what was sent", claimOf(101.5, 99, 102), 101, 99, 0, lagcomp.Ahead, 0},
		{"of what is to come", claimOf(5000, 4998, 5001), 101, 99, 0, lagcomp.Ahead, 0},
		{"toward what was not sent", claimOf(98, 96, 102), 98, 96, 99, lagcomp.Believed, 1},
		{"from what was not sent", lagcomp.Claim{At: 98 * lagcomp.Parts, Every: 3, Back: 14, Ahead: 13}, 98, 96, 99, lagcomp.Believed, 1},
		{"toward what is before", lagcomp.Claim{At: 98 * lagcomp.Parts, Every: 3, Back: 3, Ahead: 1}, 98, 96, 99, lagcomp.Believed, 1},
		{"too far apart", claimOf(85, 75, 93), 85, 84, 87, lagcomp.Believed, 1},
		{"as far apart as may be", claimOf(85, 75, 90), 85, 75, 90, lagcomp.Believed, 0},
		{"nothing later", claimOf(85, 84, 0), 85, 84, 0, lagcomp.Believed, 0},
		{"nothing later for long", claimOf(95, 75, 0), 95, 93, 96, lagcomp.Believed, 1},
		{"states not known", claimOf(85, 0, 0), 85, 84, 87, lagcomp.Believed, 0},
		{"more back than there is", lagcomp.Claim{At: 90 * lagcomp.Parts, Every: 3, Back: 14, Ahead: 14}, 90, 90, 93, lagcomp.Believed, 1},
	} {
		s := newStage(t, 4, bounded())
		s.run(101)
		view := s.comp.As(1, c.claim)
		from, to := view.States()
		if view.Tick() != c.at || from != c.from || to != c.to || view.Clamp() != c.clamp {
			t.Errorf("%s: a view of %v from %d to %d, %v", c.name, view.Tick(), from, to, view.Clamp())
		}
		n := s.comp.Stats()
		want := lagcomp.Stats{Views: 1, Unsent: c.unsent, Oldest: n.Oldest}
		switch c.clamp {
		case lagcomp.Old:
			want.Old = 1
		case lagcomp.Ahead:
			want.Ahead = 1
		}
		if n != want || n != s.comp.StatsOf(1) {
			t.Errorf("%s: %+v, want %+v", c.name, n, want)
		}
		for range lagcomp.All[target](view) {
		}
	}
}

// Playback does not go backwards, nor do claims; in another tick of another client
// they may.
func TestClaimsDoNotGoBackwards(t *testing.T) {
	s := newStage(t, 4, bounded())
	s.run(100)
	s.comp.As(1, claimOf(95, 93, 96))
	if v := s.comp.As(1, claimOf(90, 90, 93)); v.Clamp() != lagcomp.Believed || v.Tick() != 90 {
		t.Errorf("within a tick: %v, %v", v.Tick(), v.Clamp())
	}
	s.run(2)
	if v := s.comp.As(1, claimOf(90, 90, 93)); v.Clamp() != lagcomp.Backwards || v.Tick() != 95 {
		t.Errorf("%v, %v", v.Tick(), v.Clamp())
	}
	if v := s.comp.As(1, claimOf(10, 9, 12)); v.Clamp() != lagcomp.Old || v.Tick() != 95 {
		t.Errorf("%v, %v", v.Tick(), v.Clamp())
	}
	if v := s.comp.As(2, claimOf(90, 90, 93)); v.Clamp() != lagcomp.Believed {
		t.Errorf("another client: %v", v.Clamp())
	}
	s.w.Netcode().SetTick(s.tick - 2) // the world goes back, to simulate again
	if v := s.comp.As(1, claimOf(94, 93, 96)); v.Clamp() != lagcomp.Believed || v.Tick() != 94 {
		t.Errorf("again: %v, %v", v.Tick(), v.Clamp())
	}
	if v := s.comp.As(1, claimOf(101, 99, 102)); v.Clamp() != lagcomp.Ahead || v.Tick() != 100 {
		t.Errorf("again, ahead: %v, %v", v.Tick(), v.Clamp())
	}
	s.w.Netcode().SetTick(s.tick)
	s.comp.Forget(1)
	s.comp.Forget(3)
	if v := s.comp.As(1, claimOf(90, 90, 93)); v.Clamp() != lagcomp.Believed {
		t.Errorf("a client that came anew: %v", v.Clamp())
	}
	if n := s.comp.Stats(); n.Views != 8 || n.Backwards != 1 || n.Old != 1 {
		t.Errorf("%+v: what was forgotten counts too", n)
	}
}

// A claim never selects a state that the client has not acknowledged.
func TestClaimsOfWhatWasNotAcknowledged(t *testing.T) {
	s := newStage(t, 4, bounded())
	s.run(100)
	s.comp.Acknowledge(1, 90)
	s.comp.Acknowledge(1, 84) // later, of an older one
	if v := s.comp.As(1, claimOf(89, 87, 90)); v.Clamp() != lagcomp.Believed || v.Tick() != 89 {
		t.Errorf("%v, %v", v.Tick(), v.Clamp())
	}
	v := s.comp.As(1, claimOf(94, 93, 96))
	if from, to := v.States(); v.Clamp() != lagcomp.Ahead || v.Tick() != 90 || from != 90 || to != 0 {
		t.Errorf("%v from %d to %d, %v", v.Tick(), from, to, v.Clamp())
	}
	s.comp.As(1, claimOf(89, 87, 93))
	if n := s.comp.StatsOf(1); n.Unsent != 1 {
		t.Errorf("%+v", n)
	}
	s.run(100)
	if v := s.comp.As(1, claimOf(189, 186, 189)); v.Tick() != 200-rewind {
		t.Errorf("one that acknowledges nothing sees %v", v.Tick())
	}
}

// Whatever a client claims, its view is a moment within the bounds, never before the previous one, and entities are only
// between two states within the bounds.
func TestForgersGainNothing(t *testing.T) {
	for seed := range uint64(4) {
		rng := rand.New(rand.NewPCG(seed, 2))
		s := newStage(t, 8, bounded())
		last := 0.0
		for range 400 {
			s.step()
			now := s.tick
			if seed%2 == 1 {
				s.comp.Acknowledge(7, now-now%3-6)
			}
			at := uint32(uint16(now)-uint16(rng.IntN(64))+8)*lagcomp.Parts + uint32(rng.IntN(lagcomp.Parts))
			c := lagcomp.Claim{At: at, Every: uint8(rng.IntN(4)), Back: uint8(rng.IntN(8)), Ahead: uint8(rng.IntN(8))}
			if rng.IntN(8) == 0 {
				c = lagcomp.Claim{rng.Uint32(), uint8(rng.Uint32()), uint8(rng.Uint32()), uint8(rng.Uint32())}
			}
			if within(t, s, s.comp.As(7, c), &last); t.Failed() {
				t.Fatalf("seed %d, tick %d, claim %+v", seed, now, c)
			}
		}
		n := s.comp.Stats()
		if n.Old == 0 || n.Ahead == 0 || n.Backwards == 0 || n.Unsent == 0 || n.Unclaimed == 0 || n.Views != 400 {
			t.Errorf("%+v", n)
		}
	}
}

// within checks that a view is within the bounds, and keeps its moment.
func within(t *testing.T, s *stage, view lagcomp.View, last *float64) {
	t.Helper()
	from, to := view.States()
	if view.Clamp() == lagcomp.Unclaimed {
		return
	}
	oldest := s.tick - min(s.tick, rewind)
	at := view.Tick()
	switch {
	case from < oldest || from > s.tick || to > s.tick || to != 0 && to <= from:
		t.Errorf("between %d and %d at tick %d", from, to, s.tick)
	case at < float64(from) || to != 0 && at > float64(to):
		t.Errorf("%v is not between %d and %d", at, from, to)
	case at < *last:
		t.Errorf("%v after %v", at, *last)
	}
	*last = at
	later := to
	if to == 0 {
		later = from
	}
	want := s.then[from]
	if to != 0 {
		want = s.expect(at, from, later)
	} else {
		for e, m := range want {
			m.at, m.pose = between(s.w, m.at, m.at, 0), between(s.w, m.pose, m.pose, 0)
			want[e] = m
		}
	}
	s.shows(view, want)
}

// A claim beyond the bound gives the moment at the bound, whether or not there was a send.
func TestNetcodeE5_TheBoundIsExact(t *testing.T) {
	s := newStage(t, 4, bounded())
	s.run(100)
	for range 6 {
		s.step()
		v := s.comp.As(1, claimOf(10, 9, 12))
		if v.Clamp() != lagcomp.Old || v.Tick() != float64(s.tick-rewind) {
			t.Errorf("tick %d: %v, %v", s.tick, v.Tick(), v.Clamp())
		}
	}
}
