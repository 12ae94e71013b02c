package lagcomp_test

import (
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

// The total counters are the sums of the counters of all clients, for every kind of claim.
func TestStatsAreSums(t *testing.T) {
	s := newStage(t, 4, bounded())
	s.run(100)
	for client := range uint32(3) {
		for range client + 1 {
			s.comp.As(client, claimOf(95, 93, 96))       // believed
			s.comp.As(client, claimOf(10, 9, 12))        // old
			s.comp.As(client, claimOf(5000, 4998, 5001)) // ahead
			s.comp.As(client, lagcomp.Claim{})           // none
			b := s.tick / 3 * 3
			s.comp.As(client, claimOf(float64(b-12), b-24, b-6)) // too far apart
		}
		s.run(2)
		s.comp.As(client, claimOf(91, 90, 93)) // backwards
	}
	var sum lagcomp.Stats
	for client := range uint32(3) {
		n := s.comp.StatsOf(client)
		if n.Ahead == 0 || n.Old == 0 || n.Backwards == 0 || n.Unclaimed == 0 || n.Unsent == 0 || n.Oldest == 0 || n.Views != uint64(5*(client+1)+1) {
			t.Errorf("client %d: %+v: something did not happen", client, n)
		}
		sum.Views += n.Views
		sum.Ahead += n.Ahead
		sum.Old += n.Old
		sum.Backwards += n.Backwards
		sum.Unclaimed += n.Unclaimed
		sum.Unsent += n.Unsent
		sum.Oldest = max(sum.Oldest, n.Oldest)
	}
	if n := s.comp.Stats(); n != sum {
		t.Errorf("all: %+v, want %+v", n, sum)
	}
}

// A claim without states is evaluated between the sends around it. Oldest is the age of the oldest claimed state.
func TestOldestStateClaimed(t *testing.T) {
	s := newStage(t, 4, bounded())
	s.run(100)
	for _, c := range []struct {
		claim  lagcomp.Claim
		oldest uint32
	}{
		{claimOf(97, 0, 0), 0},
		{claimOf(97, 96, 99), 4},
		{claimOf(88, 87, 90), 13},
		{claimOf(95, 93, 96), 13},
	} {
		s.comp.As(1, c.claim)
		if n := s.comp.StatsOf(1).Oldest; n != c.oldest {
			t.Errorf("after %+v the oldest is %d ticks old, want %d", c.claim, n, c.oldest)
		}
	}
}

// Owner-only components do not affect the views of other players: an entity moves between a state with and one without such a
// component.
func TestViewsWithOwnerOnlyComponents(t *testing.T) {
	s := newStage(t, 4, lagcomp.Config{})
	all := func() (es []ecs.Entity) {
		for e := range ecs.All[target](s.w) {
			es = append(es, e)
		}
		return es
	}
	for _, e := range all() {
		ecs.Add(s.w, e, secret{Card: 7})
	}
	s.run(60)
	s.shows(s.comp.As(1, claimOf(50.5, 48, 51)), s.expect(50.5, 48, 51))
	for _, e := range all() {
		if ecs.Has[secret](s.w, e) {
			ecs.Remove[secret](s.w, e)
		}
	}
	s.run(3)
	s.shows(s.comp.As(1, claimOf(61, 60, 63)), s.expect(61, 60, 63))
}
