package main

import (
	"fmt"

	arche "github.com/mlange-42/arche/ecs"
	"github.com/mlange-42/arche/generic"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/bench/ratio"
)

const entities = 10_000

type position struct {
	X, Y float32 `net:"-512..512 step 0.01"`
}

type velocity struct {
	X, Y float32 `net:"-512..512 step 0.01"`
}

// Components without fields. Each subset is an archetype.
type (
	mark1 struct{}
	mark2 struct{}
	mark4 struct{}
	mark8 struct{}
)

// body is a row to spawn.
type body struct {
	Pos position
	Vel velocity
}

// integrate is the kernel for slices and for columns. Both use one function, because
// the position of a loop in the program affects its speed.
//
//go:noinline
func integrate(pos []position, vel []velocity) {
	vel = vel[:len(pos)]
	for i := range pos {
		pos[i].X += vel[i].X
		pos[i].Y += vel[i].Y
	}
}

//go:noinline
func integrateEach(w *ecs.World) {
	type row struct {
		Pos *position
		Vel *velocity
	}
	for _, r := range ecs.Each[row](w) {
		r.Pos.X += r.Vel.X
		r.Pos.Y += r.Vel.Y
	}
}

//go:noinline
func integrateArche(w *arche.World, filter *generic.Filter2[position, velocity]) {
	q := filter.Query(w)
	for q.Next() {
		pos, vel := q.Get()
		pos.X += vel.X
		pos.Y += vel.Y
	}
}

// slices returns the loop over plain slices.
func slices() func() {
	pos, vel := make([]position, entities), make([]velocity, entities)
	for i := range vel {
		vel[i] = velocity{1, 2}
	}
	return func() { integrate(pos, vel) }
}

// world returns a world with n entities in a number of archetypes, a power of two up to 16.
func world(n, archetypes int) *ecs.World {
	p := ecs.NewProtocol("bench")
	ecs.Replicate[position](p, ecs.Predicted)
	ecs.Replicate[velocity](p, ecs.Predicted)
	ecs.Local[mark1](p, 0)
	ecs.Local[mark2](p, 0)
	ecs.Local[mark4](p, 0)
	ecs.Local[mark8](p, 0)
	w := ecs.NewWorld(p, ecs.Config{})
	for i := range n {
		e := ecs.Spawn(w, body{position{X: float32(i)}, velocity{1, 2}})
		k := i % archetypes
		if k&1 != 0 {
			ecs.Add(w, e, mark1{})
		}
		if k&2 != 0 {
			ecs.Add(w, e, mark2{})
		}
		if k&4 != 0 {
			ecs.Add(w, e, mark4{})
		}
		if k&8 != 0 {
			ecs.Add(w, e, mark8{})
		}
	}
	return w
}

func eachVsSlices(rounds int) (float64, string) { return walkVsSlices(rounds, integrateEach) }

func walkVsSlices(rounds int, walk func(*ecs.World)) (float64, string) {
	one, many := world(entities, 1), world(entities, 16)
	m := ratio.Medians(rounds, func() { walk(one) }, slices(), func() { walk(many) })
	archetypes := 1
	if m[2] > m[0] {
		m[0], archetypes = m[2], 16
	}
	value, absolute := compare(m[0], m[1], entities, "entity")
	return value, fmt.Sprintf("%s, %d archetypes", absolute, archetypes)
}

func archeVsSlices(rounds int) (float64, string) {
	w := arche.NewWorld(entities)
	bodies := generic.NewMap2[position, velocity](&w)
	bodies.NewBatch(entities)
	filter := generic.NewFilter2[position, velocity]()
	m := ratio.Medians(rounds, func() { integrateArche(&w, filter) }, slices())
	return compare(m[0], m[1], entities, "entity")
}
