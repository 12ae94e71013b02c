package game

import "github.com/tactusgo/tactus/ecs"

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

// drive applies the keys to a ball.
func drive(x *solid, b *Body, in *Input) {
	if d := float64(in.Roll); d != 0 && d*b.Spin < topSpin {
		x.SetTorque(d * torque)
	}
	if in.Jump && b.Stands {
		x.SetVelocity(b.VX, b.VY-jump)
	}
}
