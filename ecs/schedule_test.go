package ecs_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/ecs"
)

// logged builds a schedule whose systems write their names to a log.
func logged() (*ecs.Schedule, *[]string) {
	log := new([]string)
	sys := func(name string) ecs.System {
		return ecs.System{Name: name, Run: func(*ecs.World) { *log = append(*log, name) }}
	}
	simulate := ecs.NewStage("Simulate", sys("move"), sys("collide"))
	before := ecs.NewStage("Before", sys("Receive"))
	onTick := ecs.NewStage("OnTick", sys("Apply")).Nest(simulate).Add(sys("Count"))
	predict := sys("Predict")
	predict.Runs = ecs.NewStage("Shown", sys("shown"))
	after := ecs.NewStage("After", predict)
	return ecs.NewSchedule(before, onTick, after), log
}

func run(s *ecs.Schedule, log *[]string) string {
	*log = nil
	w := newServer()
	for _, name := range []string{"Before", "OnTick", "After"} {
		s.Stage(name).Run(w)
	}
	return strings.Join(*log, " ")
}

func TestAScheduleShowsItself(t *testing.T) {
	s, log := logged()
	want := `Before
    Receive
OnTick
    Apply
    Simulate
        move
        collide
    Count
After
    Predict
        Shown
            shown
`
	equal(t, "text", s.String(), want)
	if names := strings.Fields(want); !slices.Equal(s.Names(), names) {
		t.Errorf("names %q, want %q", s.Names(), names)
	}
	equal(t, "runs", run(s, log), "Receive Apply move collide Count Predict")
	equal(t, "nested stage", s.Stage("Simulate").Name, "Simulate")
	if s.Stage("move") != nil || s.Stage("nowhere") != nil {
		t.Error("a stage that is none")
	}
}

func TestAScheduleCanBeChanged(t *testing.T) {
	s, log := logged()
	extra := func(name string) ecs.System {
		return ecs.System{Name: name, Run: func(*ecs.World) { *log = append(*log, name) }}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	must(s.InsertBefore("move", extra("first")))
	must(s.InsertAfter("collide", extra("last")))
	must(s.InsertAfter("Receive", extra("received")))
	must(s.InsertBefore("Predict", extra("unpredicted")))
	equal(t, "inserted", run(s, log), "Receive received Apply first move collide last Count unpredicted Predict")
	must(s.Remove("move"))
	must(s.Remove("Count"))
	equal(t, "removed", run(s, log), "Receive received Apply first collide last unpredicted Predict")
	must(s.Wrap("collide", func(run func(*ecs.World)) func(*ecs.World) {
		return func(w *ecs.World) {
			*log = append(*log, "(")
			run(w)
			run(w)
			*log = append(*log, ")")
		}
	}))
	equal(t, "wrapped", run(s, log), "Receive received Apply first ( collide collide ) last unpredicted Predict")
	if !strings.Contains(s.String(), "    collide\n") {
		t.Error("the wrapped system lost its name")
	}
	refused(t, func() { s.Wrap("collide", func(func(*ecs.World)) func(*ecs.World) { return nil }) }, "Wrap", "collide")
	refused(t, func() { s.InsertAfter("collide", ecs.System{Name: "x"}) }, "function")
	refused(t, func() { ecs.NewStage("x").Add(ecs.System{Run: func(*ecs.World) {}}) }, "name")
}

func TestUnknownSystems(t *testing.T) {
	s, log := logged()
	before := s.String()
	for call, err := range map[string]error{
		"Wrap":   s.Wrap("nobody", func(run func(*ecs.World)) func(*ecs.World) { return run }),
		"Remove": s.Remove("Simulate"), // a stage is no system
		"insert": s.InsertBefore("nobody", ecs.System{Name: "x", Run: func(*ecs.World) {}}),
		"x":      s.InsertAfter("nobody", ecs.System{Name: "x", Run: func(*ecs.World) {}}),
	} {
		if !errors.Is(err, ecs.ErrNoSystem) || !strings.Contains(err.Error(), call) {
			t.Errorf("%s: %v", call, err)
		}
	}
	equal(t, "after errors", s.String(), before)
	equal(t, "runs", run(s, log), "Receive Apply move collide Count Predict")
}

// Each world has its own list of the protocol's systems.
func TestRemoveLeavesOtherStagesAlone(t *testing.T) {
	p := kitProtocol()
	ran := 0
	p.Simulate("a", func(*ecs.World) { ran++ })
	p.Simulate("b", func(*ecs.World) { ran += 10 })
	one, two := ecs.NewWorld(p, ecs.Config{}), ecs.NewWorld(p, ecs.Config{})
	if err := ecs.NewSchedule(one.Netcode().SimulateStage()).Remove("a"); err != nil {
		t.Fatal(err)
	}
	one.Netcode().SimulateStage().Run(one)
	equal(t, "changed world", ran, 10)
	two.Netcode().SimulateStage().Run(two)
	equal(t, "other world", ran, 21)
}
