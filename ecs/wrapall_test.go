package ecs_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/ecs"
)

func TestWrapAllReachesEverySystem(t *testing.T) {
	var ran []string
	system := func(name string, runs *ecs.Stage) ecs.System {
		return ecs.System{Name: name, Runs: runs, Run: func(w *ecs.World) {
			ran = append(ran, name)
			if runs != nil {
				runs.Run(w)
			}
		}}
	}
	inner := ecs.NewStage("Inner", system("c", nil))
	nested := ecs.NewStage("Nested", system("b", inner))
	first := ecs.NewStage("First", system("a", nil)).Nest(nested)
	second := ecs.NewStage("Second", system("d", nil))
	s := ecs.NewSchedule(first, second)
	var seen, around []string
	s.WrapAll(func(path []string, run func(*ecs.World)) func(*ecs.World) {
		name := strings.Join(path, "/")
		seen = append(seen, name)
		if name == "Second/d" {
			return nil
		}
		return func(w *ecs.World) {
			around = append(around, path[len(path)-1])
			run(w)
		}
	})
	want := []string{"First/a", "First/Nested/b", "First/Nested/b/Inner/c", "Second/d"}
	if !slices.Equal(seen, want) {
		t.Errorf("paths %v, want %v", seen, want)
	}
	w := ecs.NewWorld(ecs.NewProtocol("wrap/1"), ecs.Config{})
	first.Run(w)
	second.Run(w)
	if want := []string{"a", "b", "c", "d"}; !slices.Equal(ran, want) {
		t.Errorf("ran %v, want %v", ran, want)
	}
	if want := []string{"a", "b", "c"}; !slices.Equal(around, want) {
		t.Errorf("wrapped around %v, want %v", around, want)
	}
}
