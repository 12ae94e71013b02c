package ecs_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/ecs"
)

// logged is a schedule whose systems write their names to a log.
type logged struct {
	*ecs.Schedule
	log []string
}

func (l *logged) system(name string) ecs.System {
	return ecs.System{Name: name, Run: func(*ecs.World) { l.log = append(l.log, name) }}
}

func newLogged() *logged {
	l := &logged{}
	shown := ecs.NewStage("Shown", l.system("shown"))
	predict := ecs.System{Name: "Predict", Runs: shown, Run: func(w *ecs.World) {
		l.log = append(l.log, "Predict")
		shown.Run(w)
	}}
	simulate := ecs.NewStage("Simulate", l.system("move"), l.system("collide"))
	onTick := ecs.NewStage("OnTick", l.system("Apply")).Nest(simulate).Add(l.system("Count"))
	l.Schedule = ecs.NewSchedule(ecs.NewStage("Before", l.system("Receive")), onTick, ecs.NewStage("After", predict))
	return l
}

// runs checks which systems run, in order.
func (l *logged) runs(t *testing.T, what, want string) {
	t.Helper()
	l.log = nil
	w := newServer()
	for _, name := range []string{"Before", "OnTick", "After"} {
		l.Stage(name).Run(w)
	}
	equal(t, what, strings.Join(l.log, " "), want)
}

func TestAScheduleShowsItself(t *testing.T) {
	l := newLogged()
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
	equal(t, "text", l.String(), want)
	if names := strings.Fields(want); !slices.Equal(l.Names(), names) {
		t.Errorf("names %q, want %q", l.Names(), names)
	}
	l.runs(t, "runs", "Receive Apply move collide Count Predict shown")
	equal(t, "nested stage", l.Stage("Simulate").Name, "Simulate")
	if l.Stage("move") != nil || l.Stage("nowhere") != nil {
		t.Error("a stage that is none")
	}
}

func TestAScheduleCanBeChanged(t *testing.T) {
	l := newLogged()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	must(l.InsertBefore("move", l.system("first")))
	must(l.InsertAfter("collide", l.system("last")))
	must(l.InsertAfter("Receive", l.system("received")))
	must(l.InsertBefore("Predict", l.system("unpredicted")))
	l.runs(t, "inserted", "Receive received Apply first move collide last Count unpredicted Predict shown")
	must(l.Remove("move"))
	must(l.Remove("Count"))
	l.runs(t, "removed", "Receive received Apply first collide last unpredicted Predict shown")
	must(l.Wrap("collide", func(run func(*ecs.World)) func(*ecs.World) {
		return func(w *ecs.World) {
			l.log = append(l.log, "(")
			run(w)
			run(w)
			l.log = append(l.log, ")")
		}
	}))
	l.runs(t, "wrapped", "Receive received Apply first ( collide collide ) last unpredicted Predict shown")
	if !strings.Contains(l.String(), "    collide\n") {
		t.Error("the wrapped system lost its name")
	}
	before := l.String()
	for call, err := range map[string]error{
		"Wrap":   l.Wrap("nobody", func(run func(*ecs.World)) func(*ecs.World) { return run }),
		"Remove": l.Remove("Simulate"), // a stage is no system
		"insert": l.InsertBefore("nobody", l.system("x")),
		"x":      l.InsertAfter("nobody", l.system("x")),
	} {
		if !errors.Is(err, ecs.ErrNoSystem) || !strings.Contains(err.Error(), call) {
			t.Errorf("%s: %v", call, err)
		}
	}
	equal(t, "after errors", l.String(), before)
	refused(t, func() { l.Wrap("collide", func(func(*ecs.World)) func(*ecs.World) { return nil }) }, "Wrap", "collide")
	refused(t, func() { l.InsertAfter("collide", ecs.System{Name: "x"}) }, "function")
	refused(t, func() { ecs.NewStage("x").Add(ecs.System{Run: func(*ecs.World) {}}) }, "name")
}

// WrapAll reaches all systems, including those that other systems run. A system for which the function returns nil stays as it
// is.
func TestWrapAllReachesEverySystem(t *testing.T) {
	l := newLogged()
	var seen []string
	l.WrapAll(func(path []string, run func(*ecs.World)) func(*ecs.World) {
		seen = append(seen, strings.Join(path, "/"))
		if path[len(path)-1] == "Count" {
			return nil
		}
		return func(w *ecs.World) {
			l.log = append(l.log, "in")
			run(w)
		}
	})
	want := []string{"Before/Receive", "OnTick/Apply", "OnTick/Simulate/move", "OnTick/Simulate/collide", "OnTick/Count", "After/Predict", "After/Predict/Shown/shown"}
	if !slices.Equal(seen, want) {
		t.Errorf("paths %v, want %v", seen, want)
	}
	l.runs(t, "wrapped", "in Receive in Apply in move in collide Count in Predict in shown")
}

// Each world has its own list of the protocol's systems.
func TestRemoveLeavesOtherStagesAlone(t *testing.T) {
	ran := 0
	p := kitProtocol(rule("a", func(*ecs.World) { ran++ }), rule("b", func(*ecs.World) { ran += 10 }))
	one, two := ecs.NewWorld(p, ecs.Config{}), ecs.NewWorld(p, ecs.Config{})
	if err := ecs.NewSchedule(one.Netcode().SimulateStage()).Remove("a"); err != nil {
		t.Fatal(err)
	}
	simulate(one)
	equal(t, "changed world", ran, 10)
	simulate(two)
	equal(t, "other world", ran, 21)
}
