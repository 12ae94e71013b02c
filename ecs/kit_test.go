package ecs_test

import (
	"fmt"
	"iter"
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

// The rows of most tests.
type (
	placeRow   struct{ Place *place }
	placeValue struct{ Place place }
	ownedPlace struct {
		Owner components.Owner
		Place place
	}
	ownedRow struct {
		Owner *components.Owner
		Place *place
	}
)

// part is an addition of a test to a protocol.
type part func(p *ecs.Protocol)

// kitProtocol returns the protocol of most tests.
func kitProtocol(parts ...part) *ecs.Protocol {
	return bare("kit", append([]part{func(p *ecs.Protocol) {
		ecs.Replicate[place](p, ecs.Predicted|ecs.Interpolated)
		ecs.Replicate[speed](p, ecs.Predicted)
		ecs.Replicate[health](p, 0)
		ecs.Replicate[odd](p, ecs.Predicted)
		ecs.Replicate[flag](p, 0)
		ecs.Local[cooldown](p, ecs.Predicted)
		ecs.Local[hat](p, 0)
		ecs.Input[push](p)
	}}, parts...)...)
}

// bare returns a protocol with only the parts of a test.
func bare(name string, parts ...part) *ecs.Protocol {
	p := ecs.NewProtocol(name)
	for _, add := range parts {
		add(p)
	}
	return p
}

// rule returns a system of Simulate.
func rule(name string, f func(w *ecs.World)) part {
	return func(p *ecs.Protocol) { p.Simulate(name, f) }
}

func newServer(parts ...part) *ecs.World {
	return ecs.NewWorld(kitProtocol(parts...), ecs.Config{Seed: 1})
}

func newClient(parts ...part) *ecs.World {
	return ecs.NewWorld(kitProtocol(parts...), ecs.Config{Seed: 1, Client: true})
}

func simulate(w *ecs.World) { w.Netcode().SimulateStage().Run(w) }

// ticks simulates n ticks from the first on.
func ticks(w *ecs.World, first, n uint32) {
	for tick := first; tick < first+n; tick++ {
		w.Netcode().SetTick(tick)
		simulate(w)
	}
}

// walkOn is a rule that moves simulated entities.
func walkOn(w *ecs.World) {
	for _, r := range ecs.Each[placeRow](w) {
		r.Place.X++
	}
}

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

// at returns e's place, or a value that no test uses.
func at(w *ecs.World, e ecs.Entity) place {
	if p := ecs.Get[place](w, e); p != nil {
		return *p
	}
	return place{-99, -99}
}

// length returns how many rows a walk yields.
func length[K, V any](walk iter.Seq2[K, V]) (n int) {
	for range walk {
		n++
	}
	return n
}

// count returns how many entities Each and All yield for a place.
func count(w *ecs.World) (each, all int) {
	return length(ecs.Each[placeRow](w)), length(ecs.All[placeValue](w))
}

// maskOf returns the set of replicated components by their descriptions.
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

// spread spawns the i-th of entities over 32 archetypes.
func spread(w *ecs.World, i int32) ecs.Entity {
	e := w.Spawn(place{i, 0})
	if i&1 != 0 {
		ecs.Add(w, e, speed{i, 1})
	}
	if i&2 != 0 {
		ecs.Add(w, e, health{uint8(i)})
	}
	if i&4 != 0 {
		ecs.Add(w, e, odd{B: uint64(i)})
	}
	if i&8 != 0 {
		ecs.Add(w, e, flag{})
	}
	if i&16 != 0 {
		ecs.Add(w, e, hat{uint16(i)})
	}
	return e
}

func populate(w *ecs.World, n int32) (es []ecs.Entity) {
	for i := range n {
		e := spread(w, i)
		if i%3 == 0 {
			ecs.Add(w, e, cooldown{uint32(i)})
		}
		es = append(es, e)
	}
	return es
}

// image is all of an entity that a history may touch, and two that it may not.
type image struct {
	place  place
	speed  speed
	odd    odd
	cool   cooldown
	health health // replicated, not predicted
	hat    hat    // local, not predicted
}

func imageOf(w *ecs.World, e ecs.Entity) (m image) {
	take(w, e, &m.place)
	take(w, e, &m.speed)
	take(w, e, &m.odd)
	take(w, e, &m.cool)
	take(w, e, &m.health)
	take(w, e, &m.hat)
	return m
}

func take[T any](w *ecs.World, e ecs.Entity, into *T) {
	if p := ecs.Get[T](w, e); p != nil {
		*into = *p
	}
}

func change[T any](w *ecs.World, e ecs.Entity, f func(*T)) {
	if p := ecs.Get[T](w, e); p != nil {
		f(p)
	}
}
