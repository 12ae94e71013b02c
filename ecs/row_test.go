package ecs_test

import (
	"fmt"
	"iter"
	"maps"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

func TestFiltersAndEntityField(t *testing.T) {
	w := newServer()
	plain := w.Spawn(place{1, 0})
	flagged := w.Spawn(place{2, 0}, flag{})
	hatted := w.Spawn(place{3, 0}, flag{}, hat{4})
	after := w.Spawn(place{4, 0}, flag{}, speed{}) // must not keep the hat of the row before

	type with struct {
		Self  ecs.Entity
		_     ecs.With[flag]
		_     ecs.Without[hat]
		Place *place
	}
	n := 0
	for e, r := range ecs.Each[with](w) {
		n++
		if e != flagged && e != after || r.Self != e || r.Place != ecs.Get[place](w, e) {
			t.Errorf("Each: %v %+v", e, r)
		}
	}
	type withValues struct {
		ecs.With[flag]
		Place place
		Self  ecs.Entity
		Hat   hat `ecs:"optional"`
	}
	for e, r := range ecs.All[withValues](w) {
		n += 10
		r.Place.Y = 9 // a copy
		ecs.Get[place](w, e).X += 10
		if r.Self != e || e == plain || r.Place.X+10 != at(w, e).X || at(w, e).Y != 0 || r.Hat.Feathers != map[ecs.Entity]uint16{hatted: 4}[e] {
			t.Errorf("All: %v %+v", e, r)
		}
	}
	type without struct {
		_     ecs.Without[flag]
		Place *place
		Hat   *hat `ecs:"optional"`
	}
	for e, r := range ecs.Each[without](w) {
		n += 100
		if e != plain || r.Place.X != 1 || r.Hat != nil {
			t.Errorf("Without: %v %+v", e, r)
		}
	}
	equal(t, "visits", n, 2+30+100)
}

// A row may ask for nothing but a mark, and be one of every form.
func TestRowsWithoutPointers(t *testing.T) {
	w := newServer()
	w.Spawn(place{})
	e := w.Spawn(flag{})
	type marked struct {
		_ ecs.With[flag]
	}
	type markedSelf struct {
		Self ecs.Entity
		_    ecs.With[flag]
	}
	equal(t, "Each", fmt.Sprint(maps.Collect(ecs.Each[marked](w))), fmt.Sprint(map[ecs.Entity]marked{e: {}}))
	equal(t, "Each", fmt.Sprint(maps.Collect(ecs.Each[markedSelf](w))), fmt.Sprint(map[ecs.Entity]markedSelf{e: {Self: e}}))
	equal(t, "All", fmt.Sprint(maps.Collect(ecs.All[marked](w))), fmt.Sprint(map[ecs.Entity]marked{e: {}}))
}

func TestComponentsWithoutFields(t *testing.T) {
	w := newServer()
	for range 3 {
		w.Spawn(flag{}, place{})
	}
	w.Spawn(place{})
	flags := 0
	for e, r := range ecs.Each[struct {
		Place *place
		Flag  *flag `ecs:"optional"`
	}](w) {
		if r.Flag != nil {
			flags++
		}
		equal(t, "has a flag", r.Flag != nil, ecs.Has[flag](w, e))
	}
	equal(t, "flags", flags, 3)
	equal(t, "values", length(ecs.All[struct {
		Flag  flag
		Place place
	}](w)), 3)
}

// Rows have fields of many sizes, and more than the two that a walk sets first.
func TestLargeRows(t *testing.T) {
	w := newServer()
	for i := range 3 {
		w.Spawn(place{int32(i), 1}, speed{int32(i), 2}, health{uint8(i)}, odd{A: 1, B: uint64(i), C: 2}, hat{uint16(i)}, cooldown{uint32(i)})
	}
	type pointers struct {
		Place    *place
		Self     ecs.Entity
		Speed    *speed
		Health   *health
		Odd      *odd
		Hat      *hat
		Cooldown *cooldown
		None     *push `ecs:"optional"`
		ID       *components.NetID
	}
	type values struct {
		Place    place
		Speed    speed
		Health   health
		Odd      odd
		Hat      hat
		Cooldown cooldown
		None     push `ecs:"optional"`
		ID       components.NetID
	}
	want := func(i int) values {
		return values{place{int32(i), 1}, speed{int32(i), 2}, health{uint8(i)}, odd{1, uint64(i), 2}, hat{uint16(i)}, cooldown{uint32(i)}, push{}, components.NetID(i + 1)}
	}
	i := 0
	for e, r := range ecs.Each[pointers](w) {
		equal(t, "pointers", values{*r.Place, *r.Speed, *r.Health, *r.Odd, *r.Hat, *r.Cooldown, push{}, *r.ID}, want(i))
		if r.None != nil || r.Self != e {
			t.Errorf("%d: %+v", i, r)
		}
		i++
	}
	for _, r := range ecs.All[values](w) {
		i--
		equal(t, "values", r, want(2-i))
	}
	equal(t, "left", i, 0)
}

func drain[K, V any](walk iter.Seq2[K, V]) func() { return func() { length(walk) } }

func TestWrongRowsAreRefused(t *testing.T) {
	w := newServer()
	w.Spawn(place{})
	const advice = "Each and EachInOrder take pointers, All takes values, Rows takes"
	refused(t, drain(ecs.Each[placeValue](w)), "placeValue.Place", advice)
	refused(t, drain(ecs.EachInOrder[struct{ Place []place }](w)), ".Place", advice)
	refused(t, drain(ecs.All[placeRow](w)), "placeRow.Place", advice)
	refused(t, drain(ecs.Each[place](w)), "place.X", advice)
	refused(t, drain(ecs.Each[*place](w)), "a row is a struct")
	refused(t, drain(ecs.Each[struct{ P *int32 }](w)), "int32 is not a component")
	refused(t, drain(ecs.Each[struct {
		P *place `ecs:"optional"`
	}](w)), "has no component")
	type p = *place
	refused(t, drain(ecs.Each[struct{ A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q p }](w)), "more than 16", "ecs.Get")
}
