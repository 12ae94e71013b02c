package ecs_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

func TestRestoreOfAnUnknownTick(t *testing.T) {
	w := newServer()
	h := ecs.NewWorldHistory(w, 4)
	e := w.Spawn(place{1, 1})
	for tick := range uint32(6) {
		h.Capture(tick)
	}
	for _, tick := range []uint32{1, 6, 1 << 31} {
		if err := h.Restore(tick); !errors.Is(err, ecs.ErrNoHistory) {
			t.Errorf("tick %d: %v", tick, err)
		}
		if _, err := h.At(tick); !errors.Is(err, ecs.ErrNoHistory) {
			t.Errorf("At %d: %v", tick, err)
		}
		if _, _, err := h.Differs(tick); !errors.Is(err, ecs.ErrNoHistory) {
			t.Errorf("Differs %d: %v", tick, err)
		}
	}
	equal(t, "untouched", at(w, e), place{1, 1})
	h.Forget()
	if h.Has(5) || h.Restore(5) == nil {
		t.Error("not forgotten")
	}
	refused(t, func() { ecs.NewWorldHistory(w, 0) }, "at least one")
}

func TestTheWorldHistoryIsForBetweenTicks(t *testing.T) {
	var h *ecs.WorldHistory
	w := newServer(rule("look back", func(w *ecs.World) { h.Restore(0) }))
	h = ecs.NewWorldHistory(w, 4)
	e := w.Spawn(place{1, 1})
	h.Capture(0)
	refused(t, func() { simulate(w) }, "inside Simulate")
	refused(t, func() {
		system(w, func(w *ecs.World) {
			w.Spawn(place{})
			h.Capture(1)
		})
	}, "changes wait")
	w.Despawn(e)
	system(w, func(w *ecs.World) { h.Restore(0) }) // as the netcode does
	equal(t, "restored in a system", at(w, e), place{1, 1})
	refused(t, func() {
		for range ecs.Each[placeRow](w) {
			w.Shuffle(1)
			h.Restore(0)
		}
	}, "during a walk")
}

// Predicted spawns, predicted despawns and holds of a client are captured and restored with the world.
func TestTheWorldHistoryOfAClient(t *testing.T) {
	w := newClient(rule("shoot", func(w *ecs.World) {
		for _, r := range ecs.Each[struct{ Owner *components.Owner }](w) {
			if w.Tick() == 5 && r.Owner.Client == 1 {
				ecs.Spawn(w, lot{Owner: *r.Owner, Place: place{5, 5}})
			}
		}
		if e, _ := w.ByNetID(2); w.Tick() == 5 {
			w.Despawn(e)
		}
	}))
	own, other := replica(w, 1, 1, place{1, 1}, true), replica(w, 2, 7, place{2, 2}, true)
	h := ecs.NewWorldHistory(w, 16)
	step := func(tick uint32) {
		w.Netcode().SetInputSequence(1, tick)
		ticks(w, tick, 1)
	}
	foretold := func(what, want string) {
		t.Helper()
		equal(t, what+": spawns and despawns", fmt.Sprint(w.PendingPredictions()), want)
	}
	step(4)
	h.Capture(4)
	step(5)
	foretold("first", "1 1")
	var shot ecs.Entity
	for e, v := range ecs.All[placeValue](w) {
		if v.Place.X == 5 {
			shot = e
		}
	}
	h.Capture(5)
	h.Restore(4)
	foretold("before", "0 0")
	equal(t, "own", at(w, own), place{1, 1})
	equal(t, "other", at(w, other), place{2, 2})
	h.Restore(5)
	foretold("again", "1 1")
	w.Netcode().BeginReplay(4)
	foretold("replay", "1 0")
	h.Capture(6) // with the spawn out of scope
	past, _ := h.At(6)
	w.Netcode().EndReplay()
	foretold("replayed", "1 0") // a later replay may repeat the spawn
	if _, there := ecs.GetAt[place](past, shot); there {
		t.Error("what was out of scope shows")
	}
	equal(t, "in scope", length(ecs.AllAt[placeValue](past)), 2)
	h.Restore(5)
	foretold("and again", "1 1")
	equal(t, "of the newest input", w.Netcode().Revive(2, 4), false)
	h.Restore(4)
	w.Netcode().SetInputSequence(1, 9)
	h.Restore(4)
	ticks(w, 5, 1)
	equal(t, "of the input then", w.Netcode().Revive(2, 4), true)
	w.Netcode().SkipOwner(1)
	h.Capture(7)
	w.Netcode().SkipNobody()
	h.Restore(7)
	equal(t, "rows of who is held", length(ecs.EachOf[placeRow](w, 1)), 0)
	h.Restore(6)
	equal(t, "rows of who is not held any more", length(ecs.EachOf[placeRow](w, 1)), 1)
	equal(t, "what was out of scope is so", w.Netcode().Suspended(shot), true)
}

// The allocation of handles and NetIDs is part of the state, even where no table
// changed.
func TestRestoreBringsBackWhatIsGivenOutNext(t *testing.T) {
	w := newServer()
	a := w.Spawn(place{1, 1})
	h := ecs.NewWorldHistory(w, 8)
	h.Capture(0)
	system(w, func(w *ecs.World) { w.Despawn(w.Spawn(place{})) }) // never stored
	h.Capture(1)
	second := w.Spawn(place{2, 2})
	h.Restore(0)
	first := w.Spawn(place{2, 2})
	equal(t, "NetID", w.NetID(first), 2)
	h.Restore(1)
	equal(t, "handle", w.Spawn(place{2, 2}), second)
	equal(t, "NetID after a name was used up", w.NetID(second), 3)
	if first == second {
		t.Error("the number of a handle was given out twice")
	}
	h.Restore(1)
	h.Restore(0) // no table differs
	equal(t, "handle of the first time", w.Spawn(place{}), first)
	h.Restore(0)
	w.Despawn(a)
	h.Restore(0)
	if b := w.Spawn(place{}); b == a || !w.Alive(a) {
		t.Errorf("%v took the place of %v", b, a)
	}
}

// One handle may get one NetID or another, and one NetID this handle or that.
func TestRestoreBetweenTimesThatNameEntitiesOtherwise(t *testing.T) {
	w := newServer()
	h := ecs.NewWorldHistory(w, 8)
	h.Capture(0)
	a := w.Spawn(place{1, 1})
	b := w.Spawn(place{2, 2})
	h.Capture(1)
	h.Restore(0)
	equal(t, "first", w.Spawn(hat{}), a)
	equal(t, "second", w.Spawn(hat{}), b)
	ecs.Add(w, b, place{2, 2}) // the first name
	ecs.Add(w, a, place{1, 1})
	ecs.Remove[hat](w, a) // to the same row as before
	ecs.Remove[hat](w, b)
	h.Capture(2)
	check := func(what string, idA, idB components.NetID) {
		t.Helper()
		equal(t, what, w.NetID(a), idA)
		equal(t, what, w.NetID(b), idB)
		for _, e := range []ecs.Entity{a, b} {
			if found, _ := w.ByNetID(w.NetID(e)); found != e {
				t.Errorf("%s: %v is found as %v", what, e, found)
			}
			equal(t, what, *ecs.Get[components.NetID](w, e), w.NetID(e))
		}
	}
	check("as played", 2, 1)
	d, differs, _ := h.Differs(1)
	equal(t, "differs", differs, true)
	equal(t, "difference", d, ecs.Difference{NetID: 1, Entity: a, A: "present", B: "absent"})
	h.Restore(1)
	check("once", 1, 2)
	w.Shuffle(1)
	h.Restore(2)
	check("and the other way", 2, 1)
	h.Restore(1)
	check("and back", 1, 2)
}
