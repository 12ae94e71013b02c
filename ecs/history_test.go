package ecs_test

import (
	"testing"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
)

// scribble changes every value of the world.
func scribble(w *ecs.World, by int32) {
	for e := range ecs.Each[placeRow](w) {
		change(w, e, func(p *place) { p.X += by; p.Y -= by })
		change(w, e, func(p *speed) { p.X += by })
		change(w, e, func(p *odd) { p.A++; p.B += uint64(by); p.C-- })
		change(w, e, func(p *cooldown) { p.Left += uint32(by) })
		change(w, e, func(p *health) { p.Points += uint8(by) })
		change(w, e, func(p *hat) { p.Feathers += uint16(by) })
	}
}

// restored is what a restore makes of before, the captured image, and after,
// the image at the moment of the restore.
func restored(before, after image) image {
	before.health, before.hat = after.health, after.hat
	return before
}

// Between capture and restore entities come, die, are succeeded under the same
// number, change archetype and back, and storage is shuffled. Those that lived
// through it get their values; nobody else is touched.
func TestRestoreAcrossStructuralChanges(t *testing.T) {
	for seed := range uint64(20) {
		w := ecs.NewWorld(kitProtocol(), ecs.Config{Seed: seed})
		r := w.Rand(ecs.Entity{})
		es := populate(w, 80)
		h := ecs.NewHistory(w, 8)
		h.Capture(1)
		before := map[ecs.Entity]image{}
		for _, e := range es {
			before[e] = imageOf(w, e)
		}
		scribble(w, 3)
		for range 60 * min(seed/2, 1) {
			i := r.IntN(len(es))
			e := es[i]
			switch r.IntN(6) {
			case 0:
				w.Despawn(e)
				es[i] = spread(w, int32(i)) // the same number again
			case 1:
				es = append(es, spread(w, int32(200+i)))
			case 2:
				ecs.Add(w, e, flag{})
			case 3:
				had := ecs.Get[speed](w, e)
				ecs.Remove[speed](w, e)
				if had != nil {
					ecs.Add(w, e, speed{-1, -1}) // gone and come back
				}
			case 4:
				ecs.Remove[cooldown](w, e)
			case 5:
				ecs.Add(w, e, odd{B: 77})
			}
		}
		scribble(w, 4)
		if seed%2 == 0 {
			w.Shuffle(seed)
		}
		after := map[ecs.Entity]image{}
		hash := map[ecs.Entity]uint64{}
		for _, e := range es {
			after[e] = imageOf(w, e)
			hash[e] = w.Netcode().Mask(e)
		}
		h.Restore(1)
		for _, e := range es {
			want := after[e]
			if b, lived := before[e]; lived {
				want = restored(b, after[e])
				if !ecs.Has[speed](w, e) {
					want.speed = speed{}
				}
				if !ecs.Has[cooldown](w, e) {
					want.cool = cooldown{}
				}
				if ecs.Has[odd](w, e) && b.odd == (odd{}) {
					want.odd = after[e].odd // came since the capture
				}
			}
			equal(t, "image", imageOf(w, e), want)
			equal(t, "structure", w.Netcode().Mask(e), hash[e])
		}
	}
}

// A table that lost rows and has as many again is not the table it was.
func TestATableThatLostAndRegainedRows(t *testing.T) {
	w := newServer()
	a, b := w.Spawn(place{1, 1}), w.Spawn(place{2, 2})
	h := ecs.NewHistory(w, 4)
	h.Capture(1)
	w.Despawn(a)
	c := w.Spawn(place{3, 3})
	h.Restore(1)
	equal(t, "survivor", at(w, b), place{2, 2})
	equal(t, "successor", at(w, c), place{3, 3})
	w.Despawn(b)
	w.Despawn(c)
	h.Restore(1) // into an empty table
	h.Capture(2)
	d := w.Spawn(place{4, 4})
	h.Restore(2)
	equal(t, "born after an empty capture", at(w, d), place{4, 4})
}

func TestTheRingOverwrites(t *testing.T) {
	w := newServer()
	e := w.Spawn(place{})
	h := ecs.NewHistory(w, 4)
	equal(t, "length", h.Len(), 4)
	if h.Restore(0) || h.Has(0) {
		t.Error("an empty ring has key 0")
	}
	for key := range uint32(10) {
		ecs.Get[place](w, e).X = int32(key)
		h.Capture(key)
	}
	for key := range uint32(14) {
		equal(t, "has", h.Has(key), key >= 6 && key < 10)
		equal(t, "restores", h.Restore(key), key >= 6 && key < 10)
		if h.Has(key) {
			equal(t, "value", at(w, e).X, int32(key))
		}
	}
	h.Capture(7) // rewritten, as a replay does
	h.Restore(7)
	equal(t, "rewritten", at(w, e).X, 9)
	h.Forget()
	if h.Has(7) || h.Has(9) || h.Restore(9) {
		t.Error("not forgotten")
	}
	refused(t, func() { ecs.NewHistory(w, 0) }, "at least one")
}

func TestValue(t *testing.T) {
	w := newServer()
	p := w.Protocol()
	placeC, oddC := ecs.ComponentOf[place](p), ecs.ComponentOf[odd](p)
	var es []ecs.Entity
	for i := range int32(50) {
		es = append(es, w.Spawn(place{i, 0}, odd{B: uint64(i)}))
	}
	single := w.Spawn(place{99, 0})
	h := ecs.NewHistory(w, 4)
	h.Capture(1)
	check := func(what string) {
		t.Helper()
		for i, e := range es {
			if v := h.Value(1, e, placeC); v == nil || *(*place)(v) != (place{int32(i), 0}) {
				t.Fatalf("%s: place of %d is wrong", what, i)
			}
			if v := h.Value(1, e, oddC); v == nil || (*odd)(v).B != uint64(i) || uintptr(v)%unsafe.Alignof(uint64(0)) != 0 {
				t.Fatalf("%s: odd of %d is wrong", what, i)
			}
		}
		if v := h.Value(1, single, placeC); v == nil || (*place)(v).X != 99 {
			t.Fatalf("%s: the single one is wrong", what)
		}
	}
	check("as captured")
	scribble(w, 1)
	check("after other values")
	w.Shuffle(3)
	check("after a shuffle")
	w.Despawn(es[7])
	check("after a death")
	born := w.Spawn(place{}, odd{})
	for what, v := range map[string]unsafe.Pointer{
		"born since":        h.Value(1, born, placeC),
		"without component": h.Value(1, single, oddC),
		"not predicted":     h.Value(1, single, ecs.ComponentOf[health](p)),
		"no such key":       h.Value(2, single, placeC),
		"no entity":         h.Value(1, ecs.Entity{}, placeC),
		"no component":      h.Value(1, single, nil),
	} {
		if v != nil {
			t.Errorf("%s: there is a value", what)
		}
	}
}

// What a client predicts no more has confirmed values, which stay.
func TestOnAClientOnlyPredictedEntities(t *testing.T) {
	w := newClient()
	own, other := replica(w, 1, 1, place{1, 1}, true), replica(w, 2, 2, place{2, 2}, false)
	h := ecs.NewHistory(w, 4)
	h.Capture(1)
	if h.Value(1, other, ecs.ComponentOf[place](w.Protocol())) != nil {
		t.Error("a confirmed entity is in the capture")
	}
	*ecs.Get[place](w, own), *ecs.Get[place](w, other) = place{3, 3}, place{4, 4}
	h.Restore(1)
	equal(t, "own", at(w, own), place{1, 1})
	equal(t, "other", at(w, other), place{4, 4})
	w.Netcode().Replica(1, w.Netcode().Mask(own), false)
	*ecs.Get[place](w, own) = place{5, 5}
	h.Restore(1)
	equal(t, "no longer own", at(w, own), place{5, 5})
}

// A place of the ring that is used again holds the entities of its new capture.
func TestAPlaceUsedAgainNamesItsEntities(t *testing.T) {
	w := newServer()
	a, b := w.Spawn(place{1, 1}), w.Spawn(place{2, 2})
	h := ecs.NewHistory(w, 1)
	h.Capture(1)
	w.Despawn(a)
	c := w.Spawn(place{3, 3})
	h.Capture(2)
	w.Shuffle(1) // the restore goes by handle
	scribble(w, 9)
	h.Restore(2)
	equal(t, "b", at(w, b), place{2, 2})
	equal(t, "c", at(w, c), place{3, 3})
}
