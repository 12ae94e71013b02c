package main

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/bench/ratio"
)

const (
	captured = 1000 // entities
	ring     = 64   // captures
)

// motion and vitals are 40 bytes together.
type motion struct {
	X, Y, VX, VY float32 `net:"-512..512 step 0.01"`
}

type vitals struct {
	Health, Mana, Armour, Level, Speed, Power uint32 `net:"raw"`
}

type creature struct {
	Motion motion
	Vitals vitals
}

// plain is what one would write for exactly these two components.
type plain struct {
	motion [captured]motion
	vitals [captured]vitals
}

func creatures() *ecs.History {
	p := ecs.NewProtocol("bench")
	ecs.Replicate[motion](p, ecs.Predicted)
	ecs.Replicate[vitals](p, ecs.Predicted)
	w := ecs.NewWorld(p, ecs.Config{})
	for i := range captured {
		ecs.Spawn(w, creature{motion{X: float32(i)}, vitals{Health: uint32(i)}})
	}
	h := ecs.NewHistory(w, ring)
	for key := range uint32(ring) {
		h.Capture(key)
	}
	return h
}

func captureVsMemcpy(rounds int) (float64, string) {
	m := ratio.Placed(rounds, func() []func() {
		h, live, kept := creatures(), new(plain), make([]plain, ring)
		ours, theirs := uint32(0), 0
		return []func(){
			func() {
				ours++
				h.Capture(ours)
			}, func() {
				theirs = (theirs + 1) % ring
				copy(kept[theirs].motion[:], live.motion[:])
				copy(kept[theirs].vitals[:], live.vitals[:])
			},
		}
	})
	return against(m[0], m[1], captured, "entity")
}

func restoreVsMemcpy(rounds int) (float64, string) {
	m := ratio.Placed(rounds, func() []func() {
		h, live, kept := creatures(), new(plain), make([]plain, ring)
		for i := range kept {
			kept[i].motion[0].X = 1 // a page that was never written is all one page
		}
		ours, theirs := uint32(0), 0
		return []func(){
			func() {
				ours = (ours + 1) % ring
				h.Restore(ours)
			}, func() {
				theirs = (theirs + 1) % ring
				copy(live.motion[:], kept[theirs].motion[:])
				copy(live.vitals[:], kept[theirs].vitals[:])
			},
		}
	})
	return against(m[0], m[1], captured, "entity")
}
