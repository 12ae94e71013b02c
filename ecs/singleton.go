package ecs

import (
	"fmt"
	"reflect"

	"github.com/tactusgo/tactus/components"
)

// Singleton registers T as a replicated component of which there is exactly one
// in the world: a score, a timer, the phase of a match. The server's world has
// it from the start, zero at first, on an entity of its own. Systems on the
// server write it as any component, with [Each]; both sides read it with
// [Single].
func Singleton[T any](p *Protocol, mode Mode) {
	if mode&(Predicted|OwnerOnly|ClientOwned) != 0 {
		panic(fmt.Sprintf("ecs: Singleton[%s]: it has no owner, so it cannot be Predicted, OwnerOnly or ClientOwned", reflect.TypeFor[T]()))
	}
	Replicate[T](p, mode)
	p.singletons = append(p.singletons, p.byType[reflect.TypeFor[T]()])
}

// Single is a copy of the singleton T: on a client as confirmed last, and zero
// until the server's first snapshot has come. It panics when T was not
// registered with [Singleton].
func Single[T any](w *World) T {
	c := w.need(reflect.TypeFor[T]())
	for i, s := range w.setup.protocol.singletons {
		if s != c {
			continue
		}
		if p := Get[T](w, w.single(i)); p != nil {
			return *p
		}
		var zero T
		return zero
	}
	panic(fmt.Sprintf("ecs: Single[%s]: register it with ecs.Singleton", c.Name))
}

// single is the entity of the i-th singleton. They are spawned before all other
// entities, so their NetIDs are known.
func (w *World) single(i int) Entity {
	e, _ := w.ByNetID(components.NetID(1 + i))
	return e
}

// spawnSingletons makes what the protocol's singletons live on, in a new world
// that hands out NetIDs.
func (w *World) spawnSingletons() {
	for _, c := range w.setup.protocol.singletons {
		w.Spawn(reflect.Zero(c.typ).Interface())
	}
}
