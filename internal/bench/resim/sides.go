package main

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

const (
	entities = 1000
	ticks    = 10
	ring     = 64  // captures
	edge     = 200 // the coordinate at which bodies turn back
)

type position struct {
	X, Y float32 `net:"-512..512 step 0.01"`
}

type velocity struct {
	X, Y float32 `net:"-512..512 step 0.01"`
}

type thrust struct {
	X, Y float32 `net:"-16..16 step 0.01"`
}

// step moves one body by one tick.
func step(p *position, v *velocity, t *thrust, dt float32) {
	v.X += t.X * dt
	v.Y += t.Y * dt
	p.X += v.X * dt
	p.Y += v.Y * dt
	if p.X > edge || p.X < -edge {
		v.X = -v.X
	}
	if p.Y > edge || p.Y < -edge {
		v.Y = -v.Y
	}
}

func body(i int) (position, velocity, thrust) {
	return position{X: float32(i%300) - 150, Y: float32(i%200) - 100}, velocity{float32(i%7) - 3, float32(i%5) - 2}, thrust{float32(i%3) - 1, 1}
}

// history is implemented by both histories of package ecs.
type history interface {
	Capture(tick uint32)
}

// side is a world with its history.
type side struct {
	w       *ecs.World
	h       history
	restore func()
}

func protocol() *ecs.Protocol {
	type row struct {
		Pos    *position
		Vel    *velocity
		Thrust *thrust
	}
	p := ecs.NewProtocol("resim")
	ecs.Replicate[position](p, ecs.Predicted)
	ecs.Replicate[velocity](p, ecs.Predicted)
	ecs.Replicate[thrust](p, ecs.Predicted)
	p.Simulate("step", func(w *ecs.World) {
		dt := w.Step()
		for _, r := range ecs.Each[row](w) {
			step(r.Pos, r.Vel, r.Thrust, dt)
		}
	})
	return p
}

// newClient returns the world of a client, which rolls back its predicted entities.
func newClient() *side {
	p := protocol()
	w := ecs.NewWorld(p, ecs.Config{Client: true})
	mask := uint64(0)
	for _, c := range p.Replicated() {
		mask |= 1 << c.Replicated()
	}
	for i := range entities {
		e := w.Netcode().Replica(components.NetID(1+i), mask, true)
		ecs.Get[components.Owner](w, e).Client = 1
		*ecs.Get[position](w, e), *ecs.Get[velocity](w, e), *ecs.Get[thrust](w, e) = body(i)
	}
	h := ecs.NewHistory(w, ring)
	h.Capture(0)
	return &side{w, h, func() { h.Restore(0) }}
}

// newWhole returns the same world on a peer that simulates and rolls back all entities.
func newWhole() *side {
	w := ecs.NewWorld(protocol(), ecs.Config{})
	for i := range entities {
		pos, vel, thrust := body(i)
		w.Spawn(pos, vel, thrust)
	}
	h := ecs.NewWorldHistory(w, ring)
	h.Capture(0)
	return &side{w, h, func() {
		if err := h.Restore(0); err != nil {
			panic(err)
		}
	}}
}

// resimulate restores the state after input 0 and simulates ten inputs again.
func (c *side) resimulate() {
	c.restore()
	for seq := uint32(1); seq <= ticks; seq++ {
		c.w.Netcode().SetTick(seq)
		c.w.Netcode().SetInputSequence(1, seq)
		c.w.Netcode().SimulateStage().Run(c.w)
		c.h.Capture(seq)
	}
}

// state has the same bodies in arrays.
type state struct {
	pos    [entities]position
	vel    [entities]velocity
	thrust [entities]thrust
}

type plain struct {
	live state
	ring []state
}

func newPlain() *plain {
	p := &plain{ring: make([]state, ring)}
	for i := range entities {
		p.live.pos[i], p.live.vel[i], p.live.thrust[i] = body(i)
	}
	p.ring[0] = p.live
	return p
}

// resimulate makes ten steps and ten copies of the state: one to restore the
// beginning, and one after each step except the last.
func (p *plain) resimulate() {
	p.live.pos, p.live.vel, p.live.thrust = p.ring[0].pos, p.ring[0].vel, p.ring[0].thrust
	const dt = float32(1.0 / ecs.DefaultTickRate)
	for seq := 1; seq <= ticks; seq++ {
		p.step(dt)
		if seq == ticks {
			return
		}
		copy(p.ring[seq].pos[:], p.live.pos[:])
		copy(p.ring[seq].vel[:], p.live.vel[:])
		copy(p.ring[seq].thrust[:], p.live.thrust[:])
	}
}

//go:noinline
func (p *plain) step(dt float32) {
	for i := range p.live.pos {
		step(&p.live.pos[i], &p.live.vel[i], &p.live.thrust[i], dt)
	}
}

// equals reports whether both sides have the same values.
func (c *side) equals(p *plain) bool {
	for i := range entities {
		e, ok := c.w.ByNetID(components.NetID(1 + i))
		if !ok || *ecs.Get[position](c.w, e) != p.live.pos[i] || *ecs.Get[velocity](c.w, e) != p.live.vel[i] {
			return false
		}
	}
	return true
}
