package ecs

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

type piece struct {
	Kind uint8 `net:"raw"`
}

// pieces returns a world of n entities.
func pieces(n int) (w *World, es []Entity) {
	p := NewProtocol("pieces")
	Replicate[piece](p, Predicted)
	w = NewWorld(p, Config{})
	for i := range n {
		es = append(es, w.Spawn(piece{uint8(i)}))
	}
	return w, es
}

// numbered returns a type of its own for each n.
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
	n := 0
	for ; len(p.replicated) < maxReplicated; n++ {
		p.add(numbered(n), 0, nil, true)
	}
	if got := panicOf(func() { p.add(numbered(1000), 0, nil, true) }); !strings.Contains(got, "at most 64 replicated") {
		t.Errorf("one replicated component too many: %q", got)
	}
	for ; len(p.all) < maxComponents; n++ {
		p.add(numbered(n), 0, nil, false)
	}
	if got := panicOf(func() { p.add(numbered(1000), 0, nil, false) }); !strings.Contains(got, "at most 240") {
		t.Errorf("one component too many: %q", got)
	}
	// The last component of a full protocol works.
	w, last := NewWorld(p, Config{}), p.all[maxComponents-1]
	e := w.Spawn(reflect.Zero(last.typ).Interface())
	w.Spawn(reflect.Zero(p.all[70].typ).Interface())
	if w.Netcode().Pointer(e, last) == nil || !w.handles.at(e).table.mask.has(maxComponents-1) {
		t.Error("the last component is not there")
	}
}

// However a walk in order ends, its scratch is free again.
func TestEachInOrderReturnsItsScratch(t *testing.T) {
	type row struct{ Piece *piece }
	w, _ := pieces(5)
	for range EachInOrder[row](w) {
		if len(w.rows.places) != 5 {
			t.Errorf("%d places in use", len(w.rows.places))
		}
		for range EachInOrder[row](w) {
			break
		}
	}
	panicOf(func() {
		for range EachInOrder[row](w) {
			panic("boom")
		}
	})
	if len(w.rows.places) != 0 {
		t.Errorf("%d places left", len(w.rows.places))
	}
}

// Restore also restores the storage order, so that a further restore, or a capture into the same place, only copies columns.
func TestARestoreBringsBackTheArrangement(t *testing.T) {
	w, es := pieces(20)
	h := NewWorldHistory(w, 4)
	h.Capture(1)
	w.Despawn(es[3])
	w.Spawn(piece{50})
	w.Shuffle(1)
	h.Capture(2)
	for _, tick := range []uint32{1, 2, 1} {
		if !h.differs(h.place(tick)) {
			t.Errorf("tick %d: nothing to do", tick)
		}
		if err := h.Restore(tick); err != nil {
			t.Fatal(err)
		}
		if h.differs(h.place(tick)) || h.states[tick].handles.settled != w.handles.settled {
			t.Errorf("tick %d: arranged otherwise", tick)
		}
	}
}
