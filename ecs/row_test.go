package ecs_test

import (
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

func TestFiltersAndEntityField(t *testing.T) {
	w := newServer()
	plain := w.Spawn(place{1, 0})
	flagged := w.Spawn(place{2, 0}, flag{})
	hatted := w.Spawn(place{3, 0}, flag{}, hat{4})

	type with struct {
		Self  ecs.Entity
		_     ecs.With[flag]
		_     ecs.Without[hat]
		Place *place
	}
	n := 0
	for e, r := range ecs.Each[with](w) {
		n++
		if e != flagged || r.Self != flagged || r.Place.X != 2 {
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
		if r.Self != e || e == plain || r.Place.X != at(w, e).X || r.Hat.Feathers != map[ecs.Entity]uint16{hatted: 4}[e] {
			t.Errorf("All: %v %+v", e, r)
		}
	}
	type without struct {
		Selves []ecs.Entity
		_      ecs.Without[flag]
		Place  []place
		Hat    []hat `ecs:"optional"`
	}
	for c := range ecs.Chunks[without](w) {
		n += 100
		if len(c.Selves) != 1 || c.Selves[0] != plain || len(c.Place) != 1 || c.Place[0].X != 1 || c.Hat != nil {
			t.Errorf("Chunks: %+v", c)
		}
	}
	equal(t, "visits", n, 1+20+100)
}

// A row may ask for nothing but a mark.
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
	n := 0
	guard := [4]uint64{1, 2, 3, 4}
	for got := range ecs.Each[marked](w) {
		n++
		equal(t, "entity", got, e)
	}
	for got, r := range ecs.Each[markedSelf](w) {
		n++
		equal(t, "entity", got, e)
		equal(t, "field", r.Self, e)
	}
	for got := range ecs.All[marked](w) {
		n++
		equal(t, "entity", got, e)
	}
	for range ecs.Chunks[marked](w) {
		n++
	}
	equal(t, "visits", n, 4)
	equal(t, "guard", guard, [4]uint64{1, 2, 3, 4})
}

func TestComponentsWithoutFields(t *testing.T) {
	w := newServer()
	for range 3 {
		w.Spawn(flag{}, place{})
	}
	w.Spawn(place{})
	type row struct {
		Place *place
		Flag  *flag `ecs:"optional"`
	}
	flags := 0
	for e, r := range ecs.Each[row](w) {
		if r.Flag != nil {
			flags++
		}
		if (r.Flag != nil) != ecs.Has[flag](w, e) {
			t.Errorf("%v: %v", e, r.Flag)
		}
	}
	equal(t, "flags", flags, 3)
	type chunk struct {
		Flag []flag
	}
	type value struct {
		Flag  flag
		Place place
	}
	for c := range ecs.Chunks[chunk](w) {
		equal(t, "length", len(c.Flag), 3)
	}
	n := 0
	for range ecs.All[value](w) {
		n++
	}
	equal(t, "values", n, 3)
}

// Fields of many sizes, and more of them than the two that a walk sets first.
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
	i := 0
	for e, r := range ecs.Each[pointers](w) {
		if *r.Place != (place{int32(i), 1}) || *r.Speed != (speed{int32(i), 2}) || r.Health.Points != uint8(i) ||
			*r.Odd != (odd{1, uint64(i), 2}) || r.Hat.Feathers != uint16(i) || r.Cooldown.Left != uint32(i) || r.None != nil ||
			*r.ID != components.NetID(i+1) || r.Self != e {
			t.Errorf("%d: %+v", i, r)
		}
		i++
	}
	for _, r := range ecs.All[values](w) {
		i--
		k := 2 - i
		want := values{place{int32(k), 1}, speed{int32(k), 2}, health{uint8(k)}, odd{1, uint64(k), 2}, hat{uint16(k)}, cooldown{uint32(k)}, push{}, components.NetID(k + 1)}
		equal(t, "values", r, want)
	}
	equal(t, "left", i, 0)
}

func TestWrongRowsAreRefused(t *testing.T) {
	w := newServer()
	w.Spawn(place{})
	advice := "Each and EachInOrder take pointers, All takes values, Chunks takes slices"
	drain := func() {}
	refused(t, func() {
		for range ecs.Each[placeValue](w) {
			drain()
		}
	}, "placeValue.Place", advice)
	refused(t, func() {
		for range ecs.EachInOrder[placeChunk](w) {
			drain()
		}
	}, "placeChunk.Place", advice)
	refused(t, func() {
		for range ecs.All[placeRow](w) {
			drain()
		}
	}, "placeRow.Place", advice)
	refused(t, func() {
		for range ecs.Chunks[placeRow](w) {
			drain()
		}
	}, "placeRow.Place", advice)
	refused(t, func() {
		for range ecs.Each[place](w) {
			drain()
		}
	}, "place.X", advice)
	refused(t, func() {
		for range ecs.Each[*place](w) {
			drain()
		}
	}, "a row is a struct")
	refused(t, func() {
		for range ecs.Each[struct{ P *int32 }](w) {
			drain()
		}
	}, "int32 is not a component")
	refused(t, func() {
		for range ecs.Each[struct {
			P *place `ecs:"optional"`
		}](w) {
			drain()
		}
	}, "asks for no component")
	type p = *place
	refused(t, func() {
		for range ecs.Each[struct{ A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q p }](w) {
			drain()
		}
	}, "more than 16", "ecs.Get")
}

// One struct without component fields may be a row of every form.
func TestOneStructInTwoForms(t *testing.T) {
	w := newServer()
	w.Spawn(flag{})
	type row struct{ _ ecs.With[flag] }
	n := 0
	for range ecs.All[row](w) {
		n++
	}
	for range ecs.Each[row](w) {
		n++
	}
	equal(t, "visits", n, 2)
}

func TestValuesAreCopies(t *testing.T) {
	w := newServer()
	e := w.Spawn(place{1, 1})
	for _, v := range ecs.All[placeValue](w) {
		v.Place.X = 9
		ecs.Get[place](w, e).Y = 7
		equal(t, "the copy", v.Place, place{9, 1})
	}
	equal(t, "the component", at(w, e), place{1, 7})
}

// A row that keeps its pointers for one round only must not see the next.
func TestOptionalComponentsDoNotLinger(t *testing.T) {
	w := newServer()
	w.Spawn(place{}, hat{5})
	w.Spawn(place{})
	type value struct {
		Place place
		Hat   hat `ecs:"optional"`
	}
	var feathers []uint16
	for _, v := range ecs.All[value](w) {
		feathers = append(feathers, v.Hat.Feathers)
	}
	if len(feathers) != 2 || feathers[0] != 5 || feathers[1] != 0 {
		t.Errorf("feathers %v", feathers)
	}
}
