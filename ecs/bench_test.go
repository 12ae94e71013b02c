package ecs_test

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// BenchmarkOwners measures the cost of owners in long and in short runs. internal/bench/ecs measures the rest.
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

// BenchmarkFilling is a tick in which the entities of nearly all owners take no step, since the server's buffers for
// them are filling, by owner.
func BenchmarkFilling(b *testing.B) {
	for _, owners := range []uint32{100, 1000, 4000} {
		b.Run(fmt.Sprintf("owners=%d", owners), func(b *testing.B) {
			w := newServer(rule("move", walkOn))
			for o := range owners {
				w.Spawn(place{}, push{}, components.Owner{Client: 1 + o})
			}
			for b.Loop() {
				for o := range owners - 1 {
					w.Netcode().SkipOwner(1 + o)
				}
				simulate(w)
				w.Netcode().SkipNobody()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(owners), "ns/owner")
		})
	}
}
