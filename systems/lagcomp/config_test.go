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
		comp := compensator(t, w, lagcomp.Config{})
		for tick := range 4 * every {
			comp.Record(tick + 1)
		}
		w.Netcode().SetTick(4 * every)
		if from, to := comp.As(1, lagcomp.NewClaim(float64(2*every)+0.5, 0, 0, every)).States(); from != 2*every || to != 3*every {
			t.Errorf("at %d ticks a second a view is between %d and %d", rate, from, to)
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
	if from, to := view.States(); from != 60 || to != 66 {
		t.Errorf("a view of 64 is between %d and %d", from, to)
	}
	s.shows(view, s.expect(64, 60, 66))
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
