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

// Between capture and restore, entities are spawned and despawned, numbers are reused, components are added and removed again,
// and storage is shuffled, for many rounds with a small ring. Restore sets the values of the entities that lived throughout,
// and Value returns them. It changes no other entity. The first rounds have no such changes.
func TestRestoreAcrossStructuralChanges(t *testing.T) {
	w := newServer()
	r := w.Rand(ecs.Entity{})
	es := populate(w, 80)
	h := ecs.NewHistory(w, 2)
	placeC, oddC := ecs.ComponentOf[place](w.Protocol()), ecs.ComponentOf[odd](w.Protocol())
	for round := range uint32(24) {
		h.Capture(round)
		before := map[ecs.Entity]image{}
		for _, e := range es {
			before[e] = imageOf(w, e)
		}
		scribble(w, 3)
		for range 60 * min(round/2, 1) {
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
		if round%2 == 0 {
			w.Shuffle(uint64(round))
		}
		after, masks := map[ecs.Entity]image{}, map[ecs.Entity]uint64{}
		for _, e := range es {
			after[e], masks[e] = imageOf(w, e), w.Netcode().Mask(e)
		}
		for e, b := range before { // the dead, too
			v, o := (*place)(h.Value(round, e, placeC)), (*odd)(h.Value(round, e, oddC))
			if v == nil || *v != b.place || o != nil && *o != b.odd || o == nil && b.odd != (odd{}) {
				t.Fatalf("round %d: %v was %+v, captured are %v and %v", round, e, b, v, o)
			}
		}
		h.Restore(round)
		for _, e := range es {
			want := after[e]
			if b, lived := before[e]; lived {
				want = b
				want.health, want.hat = after[e].health, after[e].hat
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
			equal(t, "structure", w.Netcode().Mask(e), masks[e])
		}
	}
}

// A table may be empty at the capture or at the restore.
func TestRestoreOfEmptyTables(t *testing.T) {
	w := newServer()
	a := w.Spawn(place{1, 1})
	h := ecs.NewHistory(w, 4)
	h.Capture(1)
	w.Despawn(a)
	h.Restore(1)
	h.Capture(2)
	b := w.Spawn(place{4, 4})
	h.Restore(2)
	equal(t, "born after an empty capture", at(w, b), place{4, 4})
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

func TestValueOfWhatIsNotCaptured(t *testing.T) {
	w := newServer()
	p := w.Protocol()
	placeC := ecs.ComponentOf[place](p)
	e := w.Spawn(place{99, 0}, health{1})
	h := ecs.NewHistory(w, 4)
	h.Capture(1)
	born := w.Spawn(place{})
	for what, v := range map[string]unsafe.Pointer{
		"born since":        h.Value(1, born, placeC),
		"without component": h.Value(1, e, ecs.ComponentOf[odd](p)),
		"not predicted":     h.Value(1, e, ecs.ComponentOf[health](p)),
		"no such key":       h.Value(2, e, placeC),
		"no entity":         h.Value(1, ecs.Entity{}, placeC),
		"no component":      h.Value(1, e, nil),
	} {
		equal(t, what+": there is a value", v != nil, false)
	}
}

// A history on a client captures and restores predicted entities only. All others keep their confirmed values.
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
