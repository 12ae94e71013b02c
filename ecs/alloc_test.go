package ecs_test

import (
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// A tick allocates nothing once storage and scratch have their size. The race
// detector allocates on its own account, hence the build tag's constant.
func TestNothingIsAllocated(t *testing.T) {
	if raceEnabled {
		t.Skip("allocations differ under the race detector")
	}
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
	p := kitProtocol()
	p.Simulate("move", func(w *ecs.World) {
		for _, r := range ecs.Each[two](w) {
			r.Place.X++
		}
	})
	p.Simulate("again", func(w *ecs.World) {
		for e, r := range ecs.Each[four](w) {
			rand := w.Rand(e)
			r.Place.Y += int32(rand.IntN(3))
		}
	})
	w := ecs.NewWorld(p, ecs.Config{})
	es := populate(w, 200)
	for i := range uint32(20) {
		w.Spawn(place{}, components.Owner{Client: i % 4})
	}
	h := ecs.NewHistory(w, 8)
	key, sum := uint32(0), int32(0)
	placeC := ecs.ComponentOf[place](p)
	for name, f := range map[string]func(){
		"Each": func() {
			for _, r := range ecs.Each[two](w) {
				r.Place.X++
			}
		},
		"Each with many fields": func() {
			for e, r := range ecs.Each[four](w) {
				r.Place.X++
				if e != r.Self {
					panic("wrong entity")
				}
			}
		},
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
		"Chunks": func() {
			for c := range ecs.Chunks[placeChunk](w) {
				c.Place[0].X++
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
			for t := range w.Tables {
				sum += (*place)(t.Column(placeC)).X
			}
		},
		"Hash":         func() { sum += int32(w.Hash()) },
		"Simulate":     func() { w.SimulateStage().Run(w) },
		"SimulateOnly": func() { w.Hold(2); w.SimulateOnly(1); w.ReleaseHolds() },
		"Get":          func() { ecs.Get[place](w, es[3]).X++; sum += int32(w.NetID(es[3])) },
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
		for range 2 * h.Len() {
			f()
		}
		if n := testing.AllocsPerRun(20, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	_ = sum
}

// Nor does the history when entities come and go, as long as there is room.
func TestHistoryAllocatesNothingWhenEntitiesComeAndGo(t *testing.T) {
	if raceEnabled {
		t.Skip("allocations differ under the race detector")
	}
	w := newServer()
	es := populate(w, 100)
	h := ecs.NewHistory(w, 8)
	key := uint32(0)
	capture := func() {
		h.Capture(key)
		h.Restore(key - 1)
		key++
	}
	for range 3 {
		for i, e := range es {
			w.Despawn(e)
			capture()
			es[i] = spread(w, int32(i))
			capture()
		}
	}
	allocs := 0.0
	for i, e := range es {
		w.Despawn(e)
		allocs += testing.AllocsPerRun(1, capture)
		es[i] = spread(w, int32(i))
		allocs += testing.AllocsPerRun(1, capture)
	}
	equal(t, "allocations", allocs, 0)
}
