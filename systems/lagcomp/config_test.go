package lagcomp_test

import (
	"errors"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

func TestConfigRefuses(t *testing.T) {
	w := ecs.NewWorld(gallery(), ecs.Config{})
	for name, c := range map[string]lagcomp.Config{
		"a negative rewind":           {MaxRewind: -1},
		"too long a rewind":           {MaxRewind: 2*time.Second + 1},
		"a negative rate":             {SendRate: -1},
		"a rate that does not divide": {SendRate: 7},
	} {
		if comp, err := lagcomp.New(w, c); !errors.Is(err, lagcomp.ErrConfig) || comp != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for rate, every := range map[int]uint32{60: 3, 50: 5, 64: 4, 10: 1, 7: 1} {
		w := ecs.NewWorld(gallery(), ecs.Config{TickRate: rate})
		populate(1)(w)
		comp := compensator(t, w, lagcomp.Config{MaxRewind: 2 * time.Second})
		most := (lagcomp.MaxLost+2)*every - 1
		for tick := range most + 9 {
			comp.Record(tick + 1)
		}
		w.Netcode().SetTick(most + 9)
		for apart, want := range map[uint32]uint64{most: 0, most + 1: 1} {
			before := comp.Stats().Unsent
			if comp.As(1, claimOf(7.5, 7, 7+apart)); comp.Stats().Unsent-before != want {
				t.Errorf("at %d ticks a second: states %d ticks apart: %+v", rate, apart, comp.Stats())
			}
		}
	}
}

// A server that wakes for several ticks records the last of each, and its views are
// between those.
func TestWakingForSeveralTicks(t *testing.T) {
	s := newStage(t, 6, lagcomp.Config{SendRate: 10})
	for range 30 {
		s.simulate()
		s.simulate()
		s.comp.Consume(1, s.tick)
		s.step()
	}
	view := s.comp.As(1, claimOf(64, 0, 0))
	if from, to := view.States(); from != 63 || to != 66 {
		t.Errorf("a view of 64 is between %d and %d", from, to)
	}
	s.shows(view, s.expect(64, 63, 66))
	view = s.comp.AsAfter(1, claimOf(64, 0, 0), 70)
	for range lagcomp.All[target](view) {
	}
}

// A view is refused once its states have left the history.
func TestViewOfLongAgo(t *testing.T) {
	s := newStage(t, 6, bounded())
	s.run(60)
	view := s.comp.As(1, claimOf(40, 39, 42))
	s.run(60)
	defer func() {
		if recover() == nil {
			t.Error("it shows something")
		}
	}()
	for range lagcomp.All[target](view) {
	}
}
