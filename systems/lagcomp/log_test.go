package lagcomp_test

import (
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

// A log stores the newest sights of shooter and server, oldest first.
func TestLog(t *testing.T) {
	s := newStage(t, 0, lagcomp.Config{})
	runner := s.w.Spawn(spot{}, pose{})
	for range 30 {
		ecs.Get[spot](s.w, runner).X++
		s.step()
	}
	victim, id := s.w.Spawn(spot{X: 7, Y: 7}, pose{}), s.w.NetID(runner)
	s.run(3)
	log := lagcomp.NewLog[spot](3)
	for range log.All() {
		t.Error("something is kept")
	}
	claim := claimOf(25.5, 24, 27)
	view := s.comp.As(4, claim)
	log.Note(view, runner, true)
	log.Note(view, victim, false)
	s.w.Despawn(runner)
	log.Note(view, runner, false)
	want := []lagcomp.Sight[spot]{
		{Tick: 33, Client: 4, Target: runner, NetID: id, Hit: true, Claim: claim, Drawn: 25.5,
			Seen: spot{X: 25.5, Y: 0}, Present: spot{X: 30, Y: 0}, WasSeen: true, IsPresent: true},
		{Tick: 33, Client: 4, Target: victim, NetID: id + 1, Claim: claim, Drawn: 25.5, Present: spot{X: 7, Y: 7}, IsPresent: true},
		{Tick: 33, Client: 4, Target: runner, NetID: id, Claim: claim, Drawn: 25.5, Seen: spot{X: 25.5, Y: 0}, WasSeen: true},
	}
	check := func() {
		t.Helper()
		i := 0
		for got := range log.All() {
			if want[i].NetID = got.NetID; got != want[i] {
				t.Errorf("sight %d is\n%+v, want\n%+v", i, got, want[i])
			}
			i++
		}
		if i != len(want) {
			t.Errorf("%d are kept", i)
		}
	}
	check()
	late := s.comp.As(5, claimOf(500, 0, 0))
	log.Note(late, victim, true)
	want = append(want[1:], lagcomp.Sight[spot]{Tick: 33, Client: 5, Target: victim, Hit: true, Claim: claimOf(500, 0, 0),
		Clamp: lagcomp.Ahead, Drawn: 33, Seen: spot{X: 7, Y: 7}, Present: spot{X: 7, Y: 7}, WasSeen: true, IsPresent: true})
	check()
	if log.Noted() != 4 {
		t.Errorf("%d noted", log.Noted())
	}
	for range log.All() {
		break
	}
	defer func() {
		if recover() == nil {
			t.Error("a log without room")
		}
	}()
	lagcomp.NewLog[spot](0)
}
