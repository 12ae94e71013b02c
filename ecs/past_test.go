package ecs_test

import (
	"testing"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

func TestPast(t *testing.T) {
	w := newServer()
	placeC, flagC := ecs.ComponentOf[place](w.Protocol()), ecs.ComponentOf[flag](w.Protocol())
	a, b := w.Spawn(place{1, 1}, flag{}), w.Spawn(place{2, 2}, speed{3, 4})
	local := w.Spawn(hat{5})
	h := ecs.NewWorldHistory(w, 4)
	h.Capture(7)
	w.Despawn(b)
	w.Despawn(local)
	ecs.Get[place](w, a).X = 100
	c := w.Spawn(place{9, 9}, cooldown{1}, odd{}) // in a table that is new
	p, err := h.At(7)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []ecs.Entity{a, b} {
		if v := p.Pointer(e, placeC); v == nil || (*place)(v).X > 2 {
			t.Errorf("%v: place %v", e, v)
		}
	}
	if p.Pointer(a, flagC) == nil || p.Pointer(b, flagC) != nil || p.Pointer(c, placeC) != nil && c != b || p.Pointer(ecs.Entity{}, placeC) != nil {
		t.Error("what had which component is wrong")
	}
	if v, ok := ecs.GetAt[hat](p, local); !ok || v.Feathers != 5 {
		t.Errorf("hat %v %t", v, ok)
	}
	equal(t, "NetID of the dead", p.NetID(b), 2)
	equal(t, "NetID of none", p.NetID(ecs.Entity{}), 0)
	equal(t, "NetID of a local one", p.NetID(local), 0)
	for _, id := range []components.NetID{0, 3, 99} {
		if e, ok := p.ByNetID(id); ok {
			t.Errorf("NetID %d was %v", id, e)
		}
	}
	rows, sum := 0, int32(0)
	for tab := range p.Tables {
		col := unsafe.Slice((*place)(tab.Column(placeC)), len(tab.NetIDs))
		for i := range tab.NetIDs {
			sum += col[i].X
		}
		rows += len(tab.Entities)
		if tab.Column(flagC) != nil || tab.Mask == 0 {
			t.Error("a column without fields")
		}
	}
	equal(t, "rows", rows, 2)
	equal(t, "sum", sum, 3)
	for range ecs.AllAt[struct{ Odd odd }](p) {
		t.Error("a row of a table that came later")
	}
	for range ecs.AllAt[placeValue](p) {
		break
	}
	for range p.Tables {
		break
	}
	h.Capture(11)
	const advice = "left the history"
	refused(t, func() { p.Tick() }, advice)
	refused(t, func() { ecs.GetAt[place](p, a) }, advice)
	p, _ = h.At(11)
	h.Forget()
	refused(t, func() { p.ByNetID(1) }, advice)
	refused(t, func() { ecs.Past{}.Tick() }, advice)
	refused(t, func() {
		h.Capture(12)
		p, _ = h.At(12)
		for range ecs.AllAt[placeValue](p) {
			h.Capture(16)
		}
	}, advice)
}
