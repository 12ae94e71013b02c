package outcome_test

import (
	"slices"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/outcome"
)

func TestForwardOnlyCommitsAtOnce(t *testing.T) {
	s := newStage(outcome.Config{})
	s.tick(1, raised{about: 2, by: 1}, raised{goal: true, by: 3})
	expect(t, s.settle(2), "begin kill of 2 by 1 at 1", "commit kill of 2 by 1 at 1", "begin goal of 0 by 3 at 1", "commit goal of 0 by 3 at 1")
	s.tick(2)
	expect(t, s.settle(3))
	if got, want := s.log.Stats(), (outcome.Stats{Begun: 2, Committed: 2}); got != want {
		t.Errorf("%+v", got)
	}
}

func TestRaisedAgainIsTheSame(t *testing.T) {
	s := newStage(outcome.Config{})
	for tick := range uint32(5) {
		s.tick(tick, raised{about: 1, by: 1}, raised{about: 2, by: 2})
	}
	first := append([]told(nil), s.settle(0)...)
	s.log.Rewind(1)
	for tick := uint32(1); tick < 5; tick++ {
		s.tick(tick, raised{about: 2, by: 2}, raised{about: 1, by: 1}) // in another order
	}
	expect(t, s.settle(0))
	got := s.settle(5)
	if len(first) != 10 || len(got) != 10 {
		t.Fatalf("%d begun, %d committed", len(first), len(got))
	}
	for i := range got {
		begun := first[i]
		if begun.phase = "commit"; got[i] != begun {
			t.Errorf("%v (%d), not %v (%d)", got[i], got[i].id, begun, begun.id)
		}
	}
}

// blast is a type whose values may be near each other.
type blast struct{ X float32 }

func TestSameKeepsAnOutcomeThatMoved(t *testing.T) {
	s := newStage(outcome.Config{})
	var got []float32
	note := func(_ *ecs.World, o outcome.Outcome[blast]) { got = append(got, o.Value.X) }
	outcome.Handle(s.log, outcome.Handlers[blast]{
		Begin:  note,
		Commit: note,
		Cancel: note,
		Same:   func(was, is blast) bool { return max(was.X, is.X)-min(was.X, is.X) < 1 },
	})
	for _, x := range []float32{10, 10.5, 11} {
		s.log.Start(1)
		outcome.Raise(s.w, ecs.Entity{}, blast{x})
		s.log.Done()
		s.log.Settle(0)
	}
	s.log.Settle(2)
	if len(got) != 2 || got[0] != 10 || got[1] != 11 {
		t.Errorf("begun and committed with %v", got)
	}
}

// Cancels first; then by tick, type, subject and call.
func TestOrder(t *testing.T) {
	s := newStage(outcome.Config{})
	s.tick(3, raised{about: 1, by: 9})
	s.settle(0)
	s.log.Rewind(0)
	s.tick(2, raised{goal: true, about: 2, by: 1}, raised{about: 3, by: 2}, raised{about: 1, by: 2}, raised{about: 1, by: 1}, raised{by: 4})
	s.tick(1, raised{goal: true, about: 2, by: 1})
	s.tick(3)
	expect(t, s.settle(2),
		"cancel kill of 1 by 9 at 3",
		"begin goal of 2 by 1 at 1", "commit goal of 2 by 1 at 1",
		"begin kill of 0 by 4 at 2", "begin kill of 1 by 2 at 2", "begin kill of 1 by 1 at 2", "begin kill of 3 by 2 at 2",
		"begin goal of 2 by 1 at 2")
}

func TestFinalTicksRaiseNothing(t *testing.T) {
	s := newStage(outcome.Config{})
	s.tick(1, raised{about: 1, by: 1})
	s.settle(2)
	s.log.Rewind(1)
	s.tick(1, raised{about: 1, by: 1}, raised{about: 2, by: 1})
	expect(t, s.settle(1)) // nor does the horizon go back
	if got := s.log.Stats(); got.Late != 2 || s.log.Horizon() != 2 {
		t.Errorf("%+v, horizon %d", got, s.log.Horizon())
	}
}

func TestEndOfAMatch(t *testing.T) {
	for _, withdraw := range []bool{false, true} {
		s := newStage(outcome.Config{})
		s.tick(7, raised{about: 1, by: 1})
		s.settle(0)
		want := "commit kill of 1 by 1 at 7"
		if withdraw {
			s.log.Rewind(0)
			want = "cancel kill of 1 by 1 at 7"
		}
		expect(t, s.settle(^uint32(0)), want)
	}
}

func TestLimit(t *testing.T) {
	s := newStage(outcome.Config{Limit: 3})
	for tick := uint32(1); tick <= 5; tick++ {
		s.tick(tick, raised{about: 1, by: 1}, raised{goal: tick == 1, about: 2, by: 1})
	}
	expect(t, s.settle(2), // three kills, and the goal beside them
		"begin kill of 1 by 1 at 1", "commit kill of 1 by 1 at 1", "begin goal of 2 by 1 at 1", "commit goal of 2 by 1 at 1",
		"begin kill of 1 by 1 at 2", "begin kill of 2 by 1 at 2")
	if got := s.log.Stats(); got.Refused != 6 || got.Open != 2 {
		t.Errorf("%+v", got)
	}
	s.tick(2, raised{about: 1, by: 1}, raised{about: 2, by: 1}) // held ones are found when it is full
	s.tick(3, raised{about: 1, by: 1}, raised{about: 2, by: 1})
	expect(t, s.settle(2), "begin kill of 1 by 1 at 3")
	for by := range uint8(9) { // what nobody has heard of takes no room
		s.tick(9, raised{goal: true, about: 1, by: by})
	}
	expect(t, s.settle(2), "begin goal of 1 by 8 at 9")
	if got := s.log.Stats(); got.Refused != 7 || got.Open != 4 {
		t.Errorf("%+v", got)
	}
	if err := (outcome.Config{Limit: -1}).Validate(); err == nil {
		t.Error("a negative limit")
	}
}

// The same world, simulated twice a tick in another storage order, raises once.
func TestForcedRollback(t *testing.T) {
	p := testgame.Stage()
	p.Simulate("outcomes", func(w *ecs.World) { ecs.Resource[outcome.Log](w).Start(w.Tick()) })
	p.Simulate("turn", func(w *ecs.World) {
		for e, r := range ecs.Each[struct{ H *components.Heading }](w) {
			if r.H.Angle++; r.H.Angle%3 == 0 {
				outcome.Raise(w, e, kill{})
			}
		}
	})
	w := ecs.NewWorld(p, ecs.Config{})
	log := outcome.New(w, outcome.Config{})
	subjects := subjectsOf[kill](log)
	for i := range 6 {
		w.Spawn(components.Heading{Angle: uint16(i)})
	}
	w.ForceRollback(func(d ecs.Divergence) { t.Error(d) })
	for tick := range uint32(3) {
		w.Netcode().SetTick(tick)
		log.Start(tick)
		w.Netcode().SimulateStage().Run(w)
		log.Done()
		log.Settle(tick + 1)
	}
	want := []components.NetID{3, 6, 2, 5, 1, 4}
	if !slices.EqualFunc(*subjects, want, func(s outcome.Subject, id components.NetID) bool { return s.NetID == id }) {
		t.Fatalf("%v, not %v", *subjects, want)
	}
}

func TestMisusePanics(t *testing.T) {
	s := newStage(outcome.Config{})
	testgame.MustPanic(t, "a second log", "has a log", func() { outcome.New(s.w, outcome.Config{}) })
	testgame.MustPanic(t, "a bad limit", "Limit", func() { newStage(outcome.Config{Limit: -1}) })
	testgame.MustPanic(t, "a type twice", "already has handlers", func() { outcome.Handle(s.log, outcome.Handlers[kill]{}) })
	testgame.MustPanic(t, "raised outside", "outside a tick", func() { outcome.Raise(s.w, ecs.Entity{}, kill{}) })
	testgame.MustPanic(t, "done outside", "call Start first", s.log.Done)
	s.log.Start(1)
	testgame.MustPanic(t, "an unknown type", "is not registered", func() { outcome.Raise(s.w, ecs.Entity{}, 5) })
	testgame.MustPanic(t, "two ticks at a time", "call Done first", func() { s.log.Start(2) })
	testgame.MustPanic(t, "rewound within a tick", "call Done first", func() { s.log.Rewind(0) })
	testgame.MustPanic(t, "settled within a tick", "call Done first", func() { s.log.Settle(0) })
	s.log.Done()

	calls := 0
	outcome.Handle(s.log, outcome.Handlers[blast]{Begin: func(w *ecs.World, _ outcome.Outcome[blast]) {
		calls++
		testgame.MustPanic(t, "raised in a handler", "not in handlers", func() { outcome.Raise(w, ecs.Entity{}, blast{}) })
		testgame.MustPanic(t, "a tick in a handler", "in a handler", func() { s.log.Start(3) })
		panic("of the game")
	}})
	s.log.Start(1)
	outcome.Raise(s.w, ecs.Entity{}, blast{1})
	s.log.Done()
	testgame.MustPanic(t, "a handler", "of the game", func() { s.log.Settle(2) })
	s.log.Settle(2) // the log is usable, and Begin is not called again
	if got := s.log.Stats(); calls != 1 || got.Begun != 1 || got.Committed != 1 || got.Open != 0 {
		t.Errorf("%d calls, %+v", calls, got)
	}

	bare := ecs.NewWorld(testgame.Stage(), ecs.Config{})
	outcome.Raise(bare, ecs.Entity{}, kill{}) // no log, no news
}
