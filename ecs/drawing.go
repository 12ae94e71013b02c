package ecs

import (
	"fmt"
	"reflect"
	"time"
)

// Hermite makes views draw T, which is [Interpolated], on cubic Hermite curves in place
// of straight lines. The speeds at the ends are the rate fields of V, which may be T
// itself; T's are the axis fields. See [schema.Table.Hermite]. A curve depends on the two
// states that it leads between and on nothing else, so lag compensation reproduces it.
// Nothing else travels for it, and it is no part of [Protocol.Hash].
//
// It panics when T and V are not registered, or not so that everybody who is told of T
// is told of V, or have no such fields:
//
//	type Place struct{ X, Y float32 }
//	fields := schema.Fields{"X": "-512..512 step 0.01 axis x", "Y": "-512..512 step 0.01 axis y"}
func Hermite[T, V any](p *Protocol) {
	c := p.drawn(reflect.TypeFor[T](), "Hermite")
	v := ComponentOf[V](p)
	switch {
	case v == nil || v.Words == 0:
		panic(fmt.Sprintf("ecs: Hermite[%s]: %s is not replicated; call Replicate for it first", c.Name, reflect.TypeFor[V]()))
	case v.Mode&OwnerOnly != c.Mode&OwnerOnly:
		panic(fmt.Sprintf("ecs: Hermite[%s]: %s and %s must both be OwnerOnly, or neither", c.Name, c.Name, v.Name))
	case !c.Schema.Rates(v.Schema):
		panic(fmt.Sprintf(`ecs: Hermite[%s]: tag its places "axis x" and so on, and their speeds in %s "rate x" and so on`, c.Name, v.Name))
	}
	c.Speeds = v
}

// Extrapolate makes views carry T, which is [Interpolated], on for at most most beyond
// the newest state that was confirmed of an entity: at its speed where [Hermite] says
// which that is, else as it went from the state before to that one. What proves wrong
// goes away as the visual error of a correction does. It panics when T is not registered,
// or most is not above 0 and at most a second.
//
// Views are behind by enough that hardly a frame needs it, see systems.ClientStats.Stalls;
// it is for links that go silent, and for entities that the budget makes wait. Lag
// compensation knows of states only: who aims at what is carried on aims ahead of them.
func Extrapolate[T any](p *Protocol, most time.Duration) {
	c := p.drawn(reflect.TypeFor[T](), "Extrapolate")
	if most <= 0 || most > time.Second {
		panic(fmt.Sprintf("ecs: Extrapolate[%s]: %v is not above 0 and at most 1s", c.Name, most))
	}
	c.Beyond = most
}

// drawn is an interpolated component of which call says how to draw it.
func (p *Protocol) drawn(t reflect.Type, call string) *Component {
	c := p.byType[t]
	switch {
	case p.frozen.Load():
		panic(fmt.Sprintf("ecs: %s[%s] after the protocol %q was put to use", call, t, p.name))
	case c == nil || c.Mode&Interpolated == 0:
		panic(fmt.Sprintf("ecs: %s[%s]: call Replicate[%s] with Interpolated first", call, t, t))
	}
	return c
}
