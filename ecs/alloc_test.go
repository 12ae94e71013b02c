package ecs_test

import (
	"testing"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/race"
)

// without checks that f allocates nothing after some runs. The race detector allocates itself, so it skips the check.
func without(t *testing.T, what string, warm int, f func()) {
	t.Helper()
	if race.Enabled {
		t.Skip("allocations differ under the race detector")
	}
	for range warm {
		f()
	}
	if n := testing.AllocsPerRun(50, f); n != 0 {
		t.Errorf("%s: %v allocations", what, n)
	}
}

// A tick allocates nothing.
func TestAllocationsOfATick(t *testing.T) {
	type two struct {
		Place *place
		Speed *speed `ecs:"optional"`
	}
	type four struct {
		Self  ecs.Entity
		Place *place
		Speed *speed    `ecs:"optional"`
		Cool  *cooldown `ecs:"optional"`
		Odd   *odd      `ecs:"optional"`
	}
	w := newServer(rule("move", walkOn), rule("again", func(w *ecs.World) {
		for e, r := range ecs.Each[four](w) {
			rand := w.Rand(e)
			r.Place.Y += int32(rand.IntN(3))
		}
	}))
	es := populate(w, 200)
	for i := range uint32(20) {
		w.Spawn(place{}, push{}, components.Owner{Client: i % 4})
	}
	h := ecs.NewHistory(w, 8)
	key, sum := uint32(0), int32(0)
	placeC := ecs.ComponentOf[place](w.Protocol())
	given := [4]unsafe.Pointer{2: unsafe.Pointer(&push{1})}
	var bullets [16]ecs.Entity
	volley := func(w *ecs.World) {
		for i, b := range bullets {
			w.Despawn(b)
			bullets[i] = ecs.Spawn(w, ownedPlace{Place: place{int32(i), 0}})
			if i%4 == 0 {
				ecs.Add(w, bullets[i], hat{1})
				ecs.Add(w, es[i], cooldown{1})
				ecs.Remove[cooldown](w, es[i+1])
			}
			if i%4 == 1 {
				ecs.Remove[cooldown](w, es[i-1])
				ecs.Add(w, es[i], cooldown{2})
			}
		}
		sum += ecs.Get[place](w, bullets[3]).X
	}
	nested := ecs.NewStage("outer", ecs.System{Name: "first", Run: volley}).Nest(ecs.NewStage("inner", ecs.System{Name: "second", Run: volley}))
	volleys := ecs.NewStage("test", ecs.System{Name: "volley", Run: volley})
	for name, f := range map[string]func(){
		"nested": func() {
			for range ecs.Each[two](w) {
				for _, v := range ecs.All[placeValue](w) {
					sum += v.Place.X
				}
			}
		},
		"All": func() {
			for _, v := range ecs.All[placeValue](w) {
				sum += v.Place.X
			}
		},
		"EachInOrder": func() {
			for _, r := range ecs.EachInOrder[two](w) {
				for _, q := range ecs.EachInOrder[two](w) {
					r.Place.X += q.Place.Y
					break
				}
			}
		},
		"Tables": func() {
			for t := range w.Netcode().Tables {
				sum += (*place)(t.Column(placeC)).X
			}
		},
		"Hash":         func() { sum += int32(w.Hash()) },
		"Simulate":     func() { simulate(w) },
		"GiveInputs":   func() { w.Netcode().GiveInputs(func(owner uint32) unsafe.Pointer { return given[owner] }) },
		"SimulateOnly": func() { w.Netcode().SkipOwner(2); w.Netcode().SimulateOnly(1); w.Netcode().SkipNobody() },
		"Get":          func() { ecs.Get[place](w, es[3]).X++; sum += int32(w.NetID(es[3])) },
		"EachOf after a spawn": func() {
			w.Despawn(ecs.Spawn(w, ownedPlace{}))
			for _, r := range ecs.EachOf[two](w, 2) {
				r.Place.X++
			}
		},
		"Spawn and Despawn":                func() { volley(w) },
		"Spawn and Despawn in a system":    func() { volleys.Run(w) },
		"Spawn of values":                  func() { w.Despawn(w.Spawn(place{1, 2}, components.Owner{Client: 1})) },
		"Spawn in a system inside a stage": func() { nested.Run(w) },
		"Add of what is there": func() {
			ecs.Add(w, es[3], place{})
		},
		"history": func() {
			h.Capture(key)
			h.Restore(key)
			h.Value(key, es[5], placeC)
			key++
		},
	} {
		without(t, name, 2*h.Len(), f)
	}
	_ = sum
}

// Histories of a world allocate nothing either, while the world goes back and forth and entities spawn, despawn and change
// components, nor do lookups in them.
func TestAllocationsOfTheWorldHistory(t *testing.T) {
	w := newServer()
	es := populate(w, 100)
	for i := range uint32(8) {
		w.Netcode().SetInputSequence(i+1, 1)
	}
	h, values := ecs.NewWorldHistory(w, 8), ecs.NewHistory(w, 8)
	placeC := ecs.ComponentOf[place](w.Protocol())
	tick, sum := uint32(0), int32(0)
	var then [8][100]ecs.Entity
	step := func() {
		h.Capture(tick)
		values.Capture(tick)
		values.Restore(tick - 1)
		copy(then[tick%8][:], es)
		w.Netcode().SetTick(tick)
		w.Netcode().SetInputSequence(tick%8+1, tick)
		r := ecs.NewRand(uint64(tick), 0)
		for range 3 {
			i := r.IntN(len(es))
			switch e := es[i]; {
			case !w.Alive(e):
				es[i] = ecs.Spawn(w, placeValue{place{int32(i), 1}})
			case r.IntN(3) == 0:
				w.Despawn(e)
			case ecs.Has[hat](w, e):
				ecs.Remove[hat](w, e)
			default:
				ecs.Add(w, e, hat{1})
			}
		}
		tick++
	}
	round := func() {
		for range 5 {
			step()
		}
		p, err := h.At(tick - 4)
		if err != nil {
			panic(err)
		}
		for _, v := range ecs.AllAt[placeValue](p) {
			sum += v.Place.X
		}
		for _, e := range es {
			if v, ok := ecs.GetAt[place](p, e); ok && p.Pointer(e, placeC) != nil {
				sum += v.X + int32(p.NetID(e))
			}
		}
		for tab := range p.Tables {
			sum += (*place)(tab.Column(placeC)).X
		}
		p.ByNetID(7)
		tick -= 4
		if err := h.Restore(tick); err != nil {
			panic(err)
		}
		copy(es, then[tick%8][:])
	}
	without(t, "round", 400, round)
	_ = sum
}

func TestAllocationsOfAttachments(t *testing.T) {
	w := newServer()
	a := ecs.NewAttachments[place](func(ecs.Entity, *int) {})
	without(t, "round", 1, func() {
		var all [20]ecs.Entity
		for i := range all {
			all[i] = ecs.Spawn(w, placeValue{})
			a.Attach(w, all[i], i)
		}
		for i := range all {
			w.Despawn(all[(i*7)%len(all)])
			a.Sweep(w)
		}
	})
	equal(t, "attachments left", a.Len(), 0)
}

// Rounds of firing, replays, confirmation and partial ticks allocate nothing.
func TestAllocationsOfPredictions(t *testing.T) {
	f := newFiring(t, true)
	id := components.NetID(100)
	without(t, "round", 100, func() {
		clear(f.orders)
		f.orders[f.newest+1] = trigger{Volley: 4}
		f.play(1)
		f.replay(f.newest - 1)
		f.w.Netcode().Confirm(ecs.SpawnKey{Owner: shooter, Input: f.newest, Nth: 1}, id, true)
		f.look(0.5, 0)
		f.play(6)
		f.w.Netcode().Discard(id)
		f.replay(f.newest - 3)
		for range 7 {
			f.w.Netcode().SettleInput(f.newest)
		}
		id++
	})
}
