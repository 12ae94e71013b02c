package main

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/bench/ratio"
)

const (
	captured = 1000 // entities
	ring     = 64   // captures
	replaced = 100  // entities replaced in each tick
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

// plain is the state as code for exactly these two components would store it.
type plain struct {
	motion [captured]motion
	vitals [captured]vitals
}

func creatures() *ecs.History {
	w := creatureWorld()
	h := ecs.NewHistory(w, ring)
	for key := range uint32(ring) {
		h.Capture(key)
	}
	return h
}

func creatureWorld() *ecs.World {
	p := ecs.NewProtocol("bench")
	ecs.Replicate[motion](p, ecs.Predicted)
	ecs.Replicate[vitals](p, ecs.Predicted)
	w := ecs.NewWorld(p, ecs.Config{})
	for i := range captured {
		ecs.Spawn(w, creature{motion{X: float32(i)}, vitals{Health: uint32(i)}})
	}
	return w
}

// newPast returns a history of whole worlds. In each tick, replaced entities were replaced by new ones.
func newPast(replaced int) *ecs.WorldHistory {
	w := creatureWorld()
	var es []ecs.Entity
	for e := range ecs.All[creature](w) {
		es = append(es, e)
	}
	h := ecs.NewWorldHistory(w, ring)
	for tick := range uint32(ring) {
		for i := range replaced {
			k := (int(tick)*replaced + i*7) % len(es)
			w.Despawn(es[k])
			es[k] = ecs.Spawn(w, creature{motion{X: float32(tick)}, vitals{Health: uint32(i)}})
		}
		h.Capture(tick)
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
	return compare(m[0], m[1], captured, "entity")
}

func restoreVsMemcpy(rounds int) (float64, string) {
	m := ratio.Placed(rounds, func() []func() {
		h, live, kept := creatures(), new(plain), make([]plain, ring)
		for i := range kept {
			kept[i].motion[0].X = 1 // gives each page its own memory
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
	return compare(m[0], m[1], captured, "entity")
}

func worldCaptureVsMemcpy(rounds int) (float64, string) {
	m := ratio.Placed(rounds, func() []func() {
		h, live, kept := newPast(0), new(plain), make([]plain, ring)
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
	return compare(m[0], m[1], captured, "entity")
}

func worldRestoreVsMemcpy(rounds int) (float64, string) { return restoreVsCopy(rounds, 0) }
func rebuildVsMemcpy(rounds int) (float64, string)      { return restoreVsCopy(rounds, replaced) }

// restoreVsCopy compares restoring one tick after the other with copying.
func restoreVsCopy(rounds, replaced int) (float64, string) {
	m := ratio.Placed(rounds, func() []func() {
		h, live, kept := newPast(replaced), new(plain), make([]plain, ring)
		for i := range kept {
			kept[i].motion[0].X = 1 // gives each page its own memory
		}
		ours, theirs := uint32(0), 0
		return []func(){
			func() {
				ours = (ours + 1) % ring
				if err := h.Restore(ours); err != nil {
					panic(err)
				}
			}, func() {
				theirs = (theirs + 1) % ring
				copy(live.motion[:], kept[theirs].motion[:])
				copy(live.vitals[:], kept[theirs].vitals[:])
			},
		}
	})
	return compare(m[0], m[1], captured, "entity")
}
