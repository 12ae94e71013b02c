package ecs_test

import (
	"testing"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

type deep struct {
	Slots [2]struct {
		Inner struct{ Next *int }
	}
}

type named struct{ Name string }
type listed struct{ List []int32 }
type mapped struct{ M map[int]int }
type called struct{ F func() }
type boxed struct{ V any }
type untagged struct{ X int32 }
type foreign struct{ X float32 }

func TestPointersAreRefusedAtAnyDepth(t *testing.T) {
	p := ecs.NewProtocol("p")
	for path, register := range map[string]func(){
		"Slots[].Inner.Next": func() { ecs.Replicate[deep](p, 0) },
		"Name":               func() { ecs.Local[named](p, 0) },
		"List":               func() { ecs.Input[listed](p) },
		"M":                  func() { ecs.Local[mapped](p, 0) },
		"field F":            func() { ecs.Local[called](p, 0) },
		"field V":            func() { ecs.Local[boxed](p, 0) },
	} {
		refused(t, register, path, "ecs: ")
	}
}

func TestMissingTagIsRefused(t *testing.T) {
	p := ecs.NewProtocol("p")
	refused(t, func() { ecs.Replicate[untagged](p, 0) }, "untagged.X", "net:")
	refused(t, func() { ecs.Input[untagged](p) }, "untagged.X", "net:")
	ecs.Local[untagged](p, 0) // what stays at home needs no tag, and nothing was left behind
	ecs.ReplicateFields[foreign](p, 0, schema.Fields{"X": "0..1 step 0.5"})
	equal(t, "words", ecs.ComponentOf[foreign](p).Words, 1)
}

func TestTwiceIsRefused(t *testing.T) {
	p := kitProtocol()
	refused(t, func() { ecs.Replicate[place](p, 0) }, "place", "already")
	refused(t, func() { ecs.Local[place](p, 0) }, "place", "already")
	refused(t, func() { ecs.Replicate[components.Owner](p, 0) }, "Owner", "already")
	refused(t, func() { ecs.Input[place](p) }, "input already", "push")
	run := func(*ecs.World) {}
	p.Simulate("a", run)
	refused(t, func() { p.Authority("a", run) }, `"a"`)
	refused(t, func() { p.Simulate("", run) }, "name")
	refused(t, func() { p.Simulate("b", nil) }, "function")
}

func TestLateIsRefused(t *testing.T) {
	p := kitProtocol()
	ecs.NewWorld(p, ecs.Config{})
	refused(t, func() { ecs.Local[untagged](p, 0) }, "before NewWorld")
	refused(t, func() { p.Simulate("late", func(*ecs.World) {}) }, "late")
	ecs.NewWorld(p, ecs.Config{}) // any number of worlds
}

func TestModesAreChecked(t *testing.T) {
	p := ecs.NewProtocol("p")
	refused(t, func() { ecs.Replicate[place](p, 1<<5) }, "mode")
	refused(t, func() { ecs.Local[hat](p, ecs.Interpolated) }, "Predicted")
	if ecs.ComponentOf[place](p) != nil || ecs.ComponentOf[hat](p) != nil {
		t.Error("a refused component is registered")
	}
}

func TestConfigIsChecked(t *testing.T) {
	p := kitProtocol()
	for _, rate := range []int{-1, 1001} {
		if (ecs.Config{TickRate: rate}).Validate() == nil {
			t.Errorf("rate %d passes", rate)
		}
	}
	refused(t, func() { ecs.NewWorld(p, ecs.Config{TickRate: -1}) }, "TickRate")
	w := ecs.NewWorld(p, ecs.Config{})
	equal(t, "default rate", w.TickRate(), ecs.DefaultTickRate)
	equal(t, "step", w.Step(), float32(1.0/60))
}
