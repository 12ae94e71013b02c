package lagcomp_test

import (
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/internal/race"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

// Recording, views, queries and notes allocate nothing once memory has grown.
func TestNothingIsAllocated(t *testing.T) {
	if race.Enabled {
		t.Skip("allocations differ under the race detector")
	}
	s := newStage(t, 0, bounded())
	for i := range 40 {
		s.w.Spawn(spot{}, pose{}, orbit{Radius: float32(i % 7), Speed: 1})
	}
	mine := s.w.Spawn(components.Owner{Client: 1}, spot{}, pose{})
	his := s.w.Spawn(components.Owner{Client: 2}, spot{}, pose{})
	log := lagcomp.NewLog[spot](16)
	sum := float32(0)
	tick := func() {
		s.simulate()
		s.comp.Consume(1, s.tick)
		s.comp.Acknowledge(1, s.tick)
		s.comp.Record(s.tick)
		s.w.Netcode().SetTick(s.tick)
		at := float64(s.tick) - 9.7
		for client := uint32(1); client < 3; client++ {
			view := s.comp.As(client, claimOf(at, s.tick-s.tick%3-12, s.tick-s.tick%3-6))
			for e, v := range lagcomp.All[target](view) {
				sum += v.At.X
				if e == his {
					log.Note(view, e, true)
				}
			}
			for _, v := range lagcomp.All[owned](view) {
				sum += v.At.X
			}
			at, _ := lagcomp.Get[spot](view, his)
			own, _ := lagcomp.Get[spot](view, mine)
			e, _ := view.ByNetID(view.NetID(his))
			if e == his {
				sum += at.X + own.X
			}
		}
		after := s.comp.AsAfter(1, claimOf(at, 0, 0), s.tick-5)
		for _, v := range lagcomp.All[target](after) {
			sum += v.At.Y
		}
		for _, v := range lagcomp.All[target](lagcomp.Of(s.w)) {
			sum += v.At.Y
		}
		for n := range log.All() {
			sum += n.Seen.X
		}
		s.comp.Stats()
		s.comp.StatsOf(1)
	}
	for range 100 {
		tick()
	}
	if n := testing.AllocsPerRun(100, tick); n != 0 {
		t.Errorf("a tick allocates %v times", n)
	}
	if s.comp.Stats().Unsent > 0 {
		t.Errorf("%+v", s.comp.Stats())
	}
}
