package ecs

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// numbered is a type of its own for each n.
func numbered(n int) reflect.Type { return reflect.ArrayOf(n+1, reflect.TypeFor[uint8]()) }

func panicOf(f func()) (text string) {
	defer func() {
		if r := recover(); r != nil {
			text = fmt.Sprint(r)
		}
	}()
	f()
	return ""
}

func TestAProtocolHasLimits(t *testing.T) {
	p := NewProtocol("full")
	for n := 0; len(p.all) < maxComponents; n++ {
		p.add(numbered(n), 0, len(p.replicated) < maxReplicated)
	}
	w := NewWorld(p, Config{})
	p.frozen.Store(false)
	if got := panicOf(func() { p.add(numbered(1000), 0, false) }); !strings.Contains(got, "at most 240") {
		t.Errorf("one component too many: %q", got)
	}
	p = NewProtocol("replicated")
	for n := 0; len(p.replicated) < maxReplicated; n++ {
		p.add(numbered(n), 0, true)
	}
	if got := panicOf(func() { p.add(numbered(1000), 0, true) }); !strings.Contains(got, "at most 64 replicated") {
		t.Errorf("one replicated component too many: %q", got)
	}
	// The last component of a full protocol works.
	last := w.setup.protocol.all[maxComponents-1]
	e := w.Spawn(reflect.Zero(last.typ).Interface())
	w.Spawn(reflect.Zero(w.setup.protocol.all[70].typ).Interface())
	if w.Netcode().Pointer(e, last) == nil || !w.handles.at(e).table.mask.has(maxComponents-1) {
		t.Error("the last component is not there")
	}
}

// A handle's number comes back with another generation, and what a command says
// about the old one is void.
func TestGenerations(t *testing.T) {
	p := NewProtocol("p")
	Local[struct{ N int32 }](p, 0)
	w := NewWorld(p, Config{})
	a := w.Spawn(struct{ N int32 }{1})
	w.Despawn(a)
	b := w.Spawn(struct{ N int32 }{2})
	if a.id != b.id || a.gen == b.gen {
		t.Fatalf("%v then %v", a, b)
	}
	w.carryOut(&command{op: opDespawn, entity: a})
	if !w.Alive(b) || w.Alive(a) {
		t.Error("a command on a dead handle reached its successor")
	}
	if w.Alive(Entity{id: 1 << 30, gen: 1}) || w.Alive(Entity{}) {
		t.Error("a handle that was never given out is alive")
	}
}

// A commit of a stage leaves no trace in the slots that later stages read.
func TestNothingWaitsAfterAStage(t *testing.T) {
	p := NewProtocol("p")
	Local[struct{ N int32 }](p, 0)
	Local[struct{ M int32 }](p, 0)
	w := NewWorld(p, Config{})
	a := w.Spawn(struct{ N int32 }{1})
	inner := NewStage("inner", System{Name: "inner", Run: func(w *World) { Add(w, a, struct{ M int32 }{2}) }})
	NewStage("outer", System{Name: "outer", Run: func(w *World) {
		Remove[struct{ N int32 }](w, a)
		inner.Run(w)
		if w.handles.at(a).last != 1 {
			t.Errorf("after the inner stage command %d waits, want the outer stage's", w.handles.at(a).last)
		}
	}}).Run(w)
	if s := w.handles.at(a); s.last != 0 || s.pending != 0 || len(w.deferred.commands) != 0 {
		t.Errorf("slot %+v, %d commands", *s, len(w.deferred.commands))
	}
	if Has[struct{ N int32 }](w, a) || !Has[struct{ M int32 }](w, a) {
		t.Error("components are not what was asked for")
	}
}

// However a walk in order ends, its scratch is free again.
func TestEachInOrderReturnsItsScratch(t *testing.T) {
	type value struct{ N int32 }
	type r struct{ V *value }
	p := NewProtocol("p")
	Local[value](p, Predicted)
	w := NewWorld(p, Config{})
	for n := range int32(5) {
		w.Spawn(value{n})
	}
	for range EachInOrder[r](w) {
		if len(w.rows.places) != 5 {
			t.Errorf("%d places in use", len(w.rows.places))
		}
		for range EachInOrder[r](w) {
			break
		}
	}
	panicOf(func() {
		for range EachInOrder[r](w) {
			panic("boom")
		}
	})
	if len(w.rows.places) != 0 {
		t.Errorf("%d places left", len(w.rows.places))
	}
}
