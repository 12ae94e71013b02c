package ecs_test

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// What internal/bench/ecs does not measure.

func benchWorld(n int) *ecs.World {
	w := newServer()
	for i := range n {
		w.Spawn(place{X: int32(i)}, speed{1, 2})
	}
	return w
}

func perEntity(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/entity")
	b.ReportMetric(0, "ns/op")
}

func BenchmarkWalk(b *testing.B) {
	type pointers struct {
		Place *place
		Speed *speed
	}
	type values struct {
		Place place
		Speed speed
	}
	for name, do := range map[string]func(w *ecs.World){
		"EachInOrder": func(w *ecs.World) {
			for _, r := range ecs.EachInOrder[pointers](w) {
				r.Place.X += r.Speed.X
			}
		},
		"All": func(w *ecs.World) {
			var sum int32
			for _, r := range ecs.All[values](w) {
				sum += r.Place.X * r.Speed.X
			}
		},
		"Hash": func(w *ecs.World) { w.Hash() },
	} {
		b.Run(name, func(b *testing.B) {
			const n = 10_000
			w := benchWorld(n)
			for b.Loop() {
				do(w)
			}
			perEntity(b, n)
		})
	}
}

// BenchmarkOne is what calls cost that are for one entity, and a walk that finds none.
func BenchmarkOne(b *testing.B) {
	w := benchWorld(1000)
	e := w.Spawn(place{}, speed{})
	for name, do := range map[string]func(){
		"empty walk":        func() { length(ecs.Each[struct{ Hat *hat }](w)) },
		"Get":               func() { ecs.Get[place](w, e).X++ },
		"SpawnDespawn":      func() { w.Despawn(w.Spawn(place{}, speed{})) },
		"typedSpawnDespawn": func() { w.Despawn(ecs.Spawn(w, ownedPlace{})) },
		"AddRemove": func() {
			ecs.Add(w, e, components.Predicted{})
			ecs.Remove[components.Predicted](w, e)
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				do()
			}
		})
	}
}

// BenchmarkOwners is what owners cost, in long runs or in short.
func BenchmarkOwners(b *testing.B) {
	const n, owners = 10_000, 100
	for _, interleaved := range []bool{false, true} {
		w := newServer(rule("move", walkOn))
		for i := range n {
			o := i * owners / n
			if interleaved {
				o = i % owners
			}
			w.Spawn(place{}, push{}, components.Owner{Client: uint32(1 + o)})
		}
		held := push{1}
		for name, do := range map[string]func(){
			"EachOf": func() {
				for _, r := range ecs.EachOf[placeRow](w, 50) {
					r.Place.X++
				}
			},
			"SimulateOnly": func() { w.Netcode().SimulateOnly(50) },
			"OneHeld":      func() { w.Netcode().SkipOwner(50); simulate(w); w.Netcode().SkipNobody() },
			"All":          func() { simulate(w) },
			"AfterASpawn":  func() { w.Despawn(w.Spawn(place{}, push{}, components.Owner{Client: 3})); w.Netcode().SimulateOnly(50) },
			"GiveInputs": func() {
				w.Netcode().GiveInputs(func(owner uint32) unsafe.Pointer {
					if owner%2 == 1 {
						return unsafe.Pointer(&held)
					}
					return nil
				})
			},
		} {
			b.Run(fmt.Sprintf("interleaved=%v/%s", interleaved, name), func(b *testing.B) {
				for b.Loop() {
					do()
				}
			})
		}
	}
}
