package ecs_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// earn is an honest rule: it draws from the world.
func earn(w *ecs.World) {
	for e, r := range ecs.Each[placeRow](w) {
		draw := w.Rand(e)
		r.Place.X += int32(draw.IntN(5))
	}
}

// auction makes the first entity pay most, so its result depends on the order of rows.
func auction(inOrder bool) func(w *ecs.World) {
	return func(w *ecs.World) {
		rows := ecs.Each[placeRow](w)
		if inOrder {
			rows = ecs.EachInOrder[placeRow](w)
		}
		price := int32(7)
		for _, r := range rows {
			r.Place.X += price
			price = price*5%1009 + 1
		}
	}
}

// auctioned returns a world of two archetypes after some ticks, with storage
// shuffled between them.
func auctioned(inOrder, shuffled bool) *ecs.World {
	w := newServer(rule("auction", auction(inOrder)))
	for i := range 30 {
		if e := w.Spawn(place{}); i%3 == 0 {
			ecs.Add(w, e, hat{})
		}
	}
	for tick := range uint32(20) {
		if shuffled {
			w.Shuffle(uint64(tick))
		}
		ticks(w, tick, 1)
	}
	return w
}

// A walk in the order of NetIDs has the same result in any storage order. A walk in storage order has another result after
// shuffling.
func TestDecision2_ResultsDoNotDependOnStorage(t *testing.T) {
	plain, shuffled := auctioned(true, false), auctioned(true, true)
	if a, b := plain.Hash(), shuffled.Hash(); a != b {
		t.Errorf("in order of NetID: hash %x, shuffled %x", a, b)
	}
	if a, b := auctioned(false, false).Hash(), auctioned(false, true).Hash(); a == b {
		t.Error("in storage order: a shuffled world has the same hash, so nothing was shuffled")
	}
	last, rows := components.NetID(0), 0
	for e := range ecs.EachInOrder[placeRow](shuffled) {
		if id := shuffled.NetID(e); id <= last {
			t.Fatalf("entity %d after entity %d", id, last)
		} else {
			last = id
		}
		rows++
	}
	equal(t, "rows", rows, 30)
}

// Forced rollback names the system whose result depends on more than the world, or on
// the order of storage, with the field, and no honest one.
func TestDecision2_ForcedRollbackNamesOffenders(t *testing.T) {
	generator, calls := rand.New(rand.NewPCG(1, 2)), int32(0)
	for name, planted := range map[string]struct {
		field string // in which it shows; empty: it is honest
		run   func(w *ecs.World)
	}{
		"in order":  {"", auction(true)},
		"unordered": {"X", auction(false)},
		"unpredicted": {"", func(w *ecs.World) {
			for _, r := range ecs.Each[struct {
				Place *place
				Hat   *hat
			}](w) {
				r.Hat.Feathers += uint16(r.Place.X)
			}
		}},
		"sequential generator": {"Y", func(w *ecs.World) {
			for _, r := range ecs.Each[placeRow](w) {
				r.Place.Y = int32(generator.IntN(1000))
			}
		}},
		"state outside": {"Y", func(w *ecs.World) {
			calls++
			for _, r := range ecs.Each[placeRow](w) {
				r.Place.Y = calls
			}
		}},
	} {
		w := newServer(rule("earn", earn), rule(name, planted.run), rule("breed", func(w *ecs.World) {
			if w.Tick()%10 == 0 {
				w.Spawn(place{X: int32(w.Tick())}, hat{})
			}
		}))
		for range 20 {
			w.Spawn(place{}, hat{})
		}
		var found []ecs.Divergence
		w.ForceRollback(func(d ecs.Divergence) { found = append(found, d) })
		ticks(w, 0, 30)
		if len(found) == 0 || planted.field == "" {
			equal(t, name+": found", len(found) > 0, planted.field != "")
			continue
		}
		d := found[0]
		if d.System != name || d.Component != "place" || d.Field != planted.field || d.NetID == 0 || d.First == d.Again || !strings.Contains(d.String(), name) {
			t.Errorf("found %+v, want system %q and field place.%s", d, name, planted.field)
		}
	}
}

// The result of a forced rollback is that of a plain run: only the storage order
// differs. Handles come out the same when a tick is simulated again, so a component may
// hold one.
func TestForcedRollbackChangesNoResult(t *testing.T) {
	type gun struct{ Last, Before ecs.Entity }
	run := func(forced bool) uint64 {
		w := newServer(func(p *ecs.Protocol) { ecs.Local[gun](p, ecs.Predicted) }, rule("earn", earn),
			rule("breed", func(w *ecs.World) {
				for e := range ecs.Each[struct {
					Place *place
					_     ecs.Without[gun]
				}](w) {
					if draw := w.Rand(e); draw.IntN(50) == 0 {
						w.Despawn(e)
					}
				}
				if w.Tick()%3 == 0 {
					w.Spawn(place{Y: int32(w.Tick())})
				}
			}),
			rule("shoot", func(w *ecs.World) {
				for _, r := range ecs.EachInOrder[struct{ Gun *gun }](w) {
					w.Despawn(r.Gun.Before)
					w.Despawn(ecs.Spawn(w, placeValue{}))
					r.Gun.Before, r.Gun.Last = r.Gun.Last, ecs.Spawn(w, placeValue{})
				}
			}))
		for range 4 {
			w.Spawn(place{}, gun{})
		}
		if forced {
			w.ForceRollback(func(d ecs.Divergence) { t.Errorf("%v", d) })
		}
		ticks(w, 0, 101)
		w.ForceRollback(nil)
		ticks(w, 101, 1)
		equal(t, "next NetID", w.NetID(w.Spawn(place{})), 4+34+102*4*2+1)
		return w.Hash()
	}
	equal(t, "hash", run(true), run(false))
}

// A trace is called after each system of Simulate, and not for other stages.
func TestTrace(t *testing.T) {
	w := newServer(rule("one", walkOn), rule("two", walkOn))
	e := w.Spawn(place{})
	told := ""
	w.Trace(func(system string) { told += system + string(rune('0'+at(w, e).X)) + " " })
	simulate(w)
	system(w, func(*ecs.World) {})
	w.ForceRollback(func(d ecs.Divergence) { t.Errorf("%v", d) })
	simulate(w) // the second result stands
	w.ForceRollback(nil)
	w.Trace(nil)
	simulate(w)
	equal(t, "trace", told, "one1 two2 one3 two4 ")
}
