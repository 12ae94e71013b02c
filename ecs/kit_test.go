package ecs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// The components of most tests.
type (
	place struct {
		X, Y int32 `net:"raw"`
	}
	speed struct {
		X, Y int32 `net:"raw"`
	}
	health struct {
		Points uint8 `net:"0..255"`
	}
	odd struct { // has padding
		A uint8  `net:"raw"`
		B uint64 `net:"raw"`
		C uint8  `net:"raw"`
	}
	hat      struct{ Feathers uint16 }
	cooldown struct{ Left uint32 }
	flag     struct{}
	push     struct {
		DX int8 `net:"-1..1"`
	}
)

func kitProtocol() *ecs.Protocol {
	p := ecs.NewProtocol("kit")
	ecs.Replicate[place](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[speed](p, ecs.Predicted)
	ecs.Replicate[health](p, 0)
	ecs.Replicate[odd](p, ecs.Predicted)
	ecs.Replicate[flag](p, 0)
	ecs.Local[cooldown](p, ecs.Predicted)
	ecs.Local[hat](p, 0)
	ecs.Input[push](p)
	return p
}

func newServer() *ecs.World { return ecs.NewWorld(kitProtocol(), ecs.Config{Seed: 1}) }
func newClient() *ecs.World { return ecs.NewWorld(kitProtocol(), ecs.Config{Seed: 1, Client: true}) }

// system runs f as the only system of a stage, so that changes are deferred.
func system(w *ecs.World, f func(w *ecs.World)) {
	ecs.NewStage("test", ecs.System{Name: "test", Run: f}).Run(w)
}

// refused checks that f panics with all of the wanted words.
func refused(t *testing.T, f func(), want ...string) {
	t.Helper()
	defer func() {
		t.Helper()
		r := recover()
		if r == nil {
			t.Errorf("no panic, want one with %q", want)
			return
		}
		for _, word := range want {
			if !strings.Contains(fmt.Sprint(r), word) {
				t.Errorf("panic %q lacks %q", fmt.Sprint(r), word)
			}
		}
	}()
	f()
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// at is e's place, or a value that no test uses.
func at(w *ecs.World, e ecs.Entity) place {
	if p := ecs.Get[place](w, e); p != nil {
		return *p
	}
	return place{-99, -99}
}

type placeRow struct{ Place *place }

type placeValue struct{ Place place }

// count is how many entities Each and All yield for a place.
func count(w *ecs.World) (each, all int) {
	for range ecs.Each[placeRow](w) {
		each++
	}
	for range ecs.All[placeValue](w) {
		all++
	}
	return each, all
}

// maskOf is the set of replicated components by their descriptions.
func maskOf(cs ...*ecs.Component) uint64 {
	var m uint64
	for _, c := range cs {
		m |= 1 << c.Replicated()
	}
	return m
}

// replica makes an entity with Owner and place in a client's world.
func replica(w *ecs.World, id components.NetID, owner uint32, at place, predicted bool) ecs.Entity {
	p := w.Protocol()
	e := w.Netcode().Replica(id, maskOf(p.Replicated()[0], ecs.ComponentOf[place](p)), predicted)
	ecs.Get[components.Owner](w, e).Client = owner
	*ecs.Get[place](w, e) = at
	return e
}
