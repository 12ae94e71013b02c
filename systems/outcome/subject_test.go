package outcome_test

import (
	"slices"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/outcome"
)

type shot struct {
	Left uint8 `net:"0..9"`
}

// A client raises outcomes about predicted spawns: before the server has confirmed them, in replays, and afterwards.
func TestSubjectIsAPredictedSpawn(t *testing.T) {
	p := testgame.Stage()
	ecs.Replicate[shot](p, ecs.Predicted)
	p.Simulate("fire", func(w *ecs.World) {
		if w.Tick() == 1 {
			for nth := range uint8(2) {
				outcome.Raise(w, w.Spawn(components.Owner{Client: 1}, shot{9}), kill{nth})
			}
		}
	})
	p.Simulate("fly", func(w *ecs.World) {
		for e, r := range ecs.Each[struct {
			Shot *shot
			Key  *ecs.SpawnKey
		}](w) {
			if r.Shot.Left--; r.Shot.Left == 7 {
				outcome.Raise(w, e, goal{uint8(r.Key.Nth)})
			}
		}
	})
	w := ecs.NewWorld(p, ecs.Config{Client: true})
	log := outcome.New(w, outcome.Config{})
	s := &stage{w: w, log: log}
	s.listen()
	history := ecs.NewHistory(w, 8)
	run := func(from, to uint32) {
		for seq := from; seq <= to; seq++ {
			w.Netcode().SetTick(seq)
			w.Netcode().SetInputSequence(1, seq)
			log.Start(seq)
			w.Netcode().SimulateStage().Run(w)
			log.Done()
			history.Capture(seq)
		}
	}
	history.Capture(0)
	run(1, 3)
	log.Settle(0)
	again := func(from uint32) {
		log.Rewind(from)
		w.Netcode().BeginReplay(from - 1)
		history.Restore(from - 1)
		run(from, 3)
		w.Netcode().EndReplay()
		log.Settle(0)
	}
	again(1)
	w.Netcode().Confirm(ecs.SpawnKey{Owner: 1, Input: 1, Nth: 0}, 50, true)
	again(1)
	w.Netcode().Confirm(ecs.SpawnKey{Owner: 1, Input: 1, Nth: 1}, 40, true)
	again(2) // the first tick does not raise it under its new name
	log.Settle(9)
	expect(t, s.told,
		"begin kill of 0 by 0 at 1", "begin kill of 0 by 1 at 1",
		"begin goal of 0 by 0 at 3", "begin goal of 0 by 1 at 3",
		"commit kill of 50 by 0 at 1", "commit kill of 40 by 1 at 1",
		"commit goal of 50 by 0 at 3", "commit goal of 40 by 1 at 3")
}

// subjectsOf collects the subjects of the committed outcomes of a type.
func subjectsOf[T comparable](l *outcome.Log) *[]outcome.Subject {
	var all []outcome.Subject
	outcome.Handle(l, outcome.Handlers[T]{Commit: func(_ *ecs.World, o outcome.Outcome[T]) { all = append(all, o.Subject) }})
	return &all
}

// The subject of a kill is usually dead when the handler is called.
func TestSubjectIsDead(t *testing.T) {
	s := newStage(outcome.Config{})
	told := subjectsOf[blast](s.log)
	s.log.Start(1)
	for _, e := range append(s.entities[:2:2], ecs.Entity{}) {
		outcome.Raise(s.w, e, blast{})
	}
	s.log.Done()
	s.w.Despawn(s.entities[0])
	s.log.Settle(2)
	subjects := *told
	if len(subjects) != 3 || subjects[0] != (outcome.Subject{}) {
		t.Fatalf("%v", subjects)
	}
	if d := subjects[1]; d.NetID != 1 || s.w.Alive(d.Entity) {
		t.Errorf("the dead: %v", d)
	}
	if l := subjects[2]; l.NetID != 2 || l.Entity != s.entities[1] {
		t.Errorf("the living: %v", l)
	}
}

// An entity that left the world and came back has another handle but the same identity.
func TestSubjectByItsName(t *testing.T) {
	p := testgame.Stage()
	ecs.Replicate[shot](p, 0)
	ecs.Local[goal](p, 0)
	w := ecs.NewWorld(p, ecs.Config{Client: true})
	log := outcome.New(w, outcome.Config{})
	subjects := subjectsOf[kill](log)
	tick := func(about ecs.Entity) {
		log.Start(1)
		outcome.Raise(w, about, kill{})
		log.Done()
		log.Settle(0)
	}
	tick(w.Netcode().Replica(9, 0, false))
	w.Netcode().Discard(9)
	w.Spawn(goal{}) // takes the place of the old one
	again := w.Netcode().Replica(9, 0, false)
	log.Settle(2)

	log = outcome.New(ecs.NewWorld(p, ecs.Config{}), outcome.Config{})
	if !slices.Equal(*subjects, []outcome.Subject{{Entity: again, NetID: 9}}) {
		t.Errorf("%v, not %v", *subjects, again)
	}
	if log.Stats() != (outcome.Stats{}) {
		t.Error("two worlds share a log")
	}
}

// An entity that is not replicated has no NetID. It counts like the world, but its handle is kept.
func TestSubjectWithoutAName(t *testing.T) {
	p := testgame.Stage()
	ecs.Local[goal](p, 0)
	w := ecs.NewWorld(p, ecs.Config{})
	log := outcome.New(w, outcome.Config{})
	var subjects []outcome.Subject
	note := func(_ *ecs.World, o outcome.Outcome[kill]) { subjects = append(subjects, o.Subject) }
	outcome.Handle(log, outcome.Handlers[kill]{Begin: note, Commit: note, Cancel: note})
	one, two := w.Spawn(goal{}), w.Spawn(goal{})
	for _, e := range []ecs.Entity{one, two} {
		log.Start(1)
		outcome.Raise(w, e, kill{})
		log.Done()
		log.Settle(0)
	}
	log.Settle(2)
	if len(subjects) != 2 || subjects[0] != (outcome.Subject{Entity: one}) || subjects[1] != (outcome.Subject{Entity: two}) {
		t.Errorf("%v, not %v, then %v", subjects, one, two)
	}
}
