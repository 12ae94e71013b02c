package timeline_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

func TestLockstepWaitsForEverybody(t *testing.T) {
	l := playing(t, timeline.Config{Wait: true})
	testgame.Must(t, l.Join(2, 0, 0, ""))
	testgame.Must(t, l.Join(9, 0, 0, ""))
	for tick := range uint32(3) {
		put(t, l, 2, tick, steer{DX: 1}, timeline.InTime)
		for _, late := range []uint32{9, 1} {
			if l.Step() {
				t.Fatalf("tick %d does not wait for player %d", tick, late)
			}
			if got := l.AppendMissing(nil); !slices.Contains(got, late) || slices.Contains(got, 2) || !slices.IsSorted(got) {
				t.Errorf("missing: %v", got)
			}
			testgame.Equal(t, "next tick", l.Next(), tick)
			put(t, l, late, tick, steer{DY: 1}, timeline.InTime)
		}
		steps(t, l, 1)
		testgame.Equal(t, "horizon", l.Horizon(), tick+1)
	}
	testgame.Equal(t, "place", at(t, l, 2), place{X: 13, Y: 0})
	testgame.Must(t, l.Leave(9, 3))
	put(t, l, 1, 3, steer{}, timeline.InTime)
	put(t, l, 2, 3, steer{}, timeline.InTime)
	steps(t, l, 1)
	s := l.Stats()
	testgame.Equal(t, "ticks simulated again", s.Resimulated, 0)
	testgame.Equal(t, "waits", s.Waits, 6)
	testgame.Equal(t, "missing inputs", s.Missing, 0)
}

// Under lockstep all peers simulate an input in the same tick, a round trip after it was made, and never simulate anything
// again.
func TestLockstepOverAStar(t *testing.T) {
	s := newStar(timeline.Config{Wait: true}, always, 9+9, 3, 4, 9)
	for range 100 {
		s.step(t)
	}
	for i, n := range s.resimulated(t) {
		testgame.Equal(t, fmt.Sprintf("ticks that peer %d simulates again", i), n, 0)
		testgame.Equal(t, "world", s.peers[i].World().Hash(), s.peers[0].World().Hash())
		testgame.Equal(t, "missing inputs", s.peers[i].Stats().Missing, 0)
	}
	s.agree(t)
}
