package game

import (
	"math"

	"github.com/tactusgo/tactus/ecs"
)

// row is a moving body; balls have an input.
type row struct {
	Body *Body
	In   *Input `ecs:"optional"`
}

// simulate is a tick: all bodies go from their components into the space, in the order of their NetIDs, and
// come back a step later.
func simulate(w *ecs.World, kept bool) {
	s := ecs.Resource[space](w)
	if s == nil {
		s = newSpace(kept)
		ecs.SetResource(w, s)
	}
	for _, r := range ecs.EachInOrder[row](w) {
		x := s.put(r.Body, r.In != nil)
		if r.In != nil {
			drive(x, r.Body, r.In)
		}
	}
	s.step(float64(w.Step()))
	i := 0
	for _, r := range ecs.EachInOrder[row](w) {
		s.take(s.inside[i], r.Body)
		i++
	}
	s.clear()
	for _, y := range ecs.Each[struct{ Yard *Yard }](w) {
		y.Yard.Contacts += s.contacts
	}
}

// score gives a point each second to the highest ball that stands on a crate or another ball.
func score(w *ecs.World) {
	if w.Tick()%uint32(w.TickRate()) != 0 {
		return
	}
	var best *Score
	top := float64(Height - Side - Radius) // balls on the ground are lower
	for _, r := range ecs.EachInOrder[struct {
		Body  *Body
		Score *Score
	}](w) {
		if r.Body.Stands && r.Body.Y < top {
			best, top = r.Score, r.Body.Y
		}
	}
	if best != nil && best.Points < math.MaxUint16 {
		best.Points++
	}
}

// drive applies the keys to a ball.
func drive(x *solid, b *Body, in *Input) {
	if d := float64(in.Roll); d != 0 && d*b.Spin < topSpin {
		x.SetTorque(d * torque)
	}
	if in.Jump && b.Stands {
		x.SetVelocity(b.VX, b.VY-jump)
	}
}
