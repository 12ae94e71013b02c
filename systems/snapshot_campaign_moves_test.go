package systems

import (
	"math"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// disturb is a tick of the world: entities move, come, go and change their shape.
func (s *seascape) disturb() {
	s.prune()
	for i := range s.live {
		if x := &s.live[i]; x.moves != still {
			s.move(x)
		}
	}
	for n := int(s.changes * float64(len(s.live)) * 2 * s.r.Float64()); n > 0; n-- {
		s.change(s.live[s.r.IntN(len(s.live))].e)
	}
	if len(s.live) < s.most && s.r.Float64() < s.churn {
		s.spawn()
	}
	if len(s.live) > s.most/2 && s.r.Float64() < s.churn {
		s.despawn(s.r.IntN(len(s.live)))
	}
	if len(s.live) > 0 && s.r.Float64() < s.reshape {
		s.toggle(s.live[s.r.IntN(len(s.live))].e)
	}
	if s.churn > 0 && s.r.IntN(500) == 0 { // nobody is left, or hardly anybody
		for n := s.r.IntN(3); len(s.live) > n; {
			s.despawn(len(s.live) - 1)
		}
	}
	if s.churn > 0 && s.r.IntN(300) == 0 {
		for len(s.live) < s.most {
			s.spawn()
		}
	}
}

// prune notes who is gone with the client that owned it.
func (s *seascape) prune() {
	for i := len(s.live) - 1; i >= 0; i-- {
		if !s.w.Alive(s.live[i].e) {
			s.dead = append(s.dead, s.live[i].id)
			s.live[i] = s.live[len(s.live)-1]
			s.live = s.live[:len(s.live)-1]
		}
	}
}

// bounce is a coordinate a step on; it turns back at the border.
func bounce(x, far float32, v *float32) float32 {
	if x += *v; x > far || x < -far {
		*v = -*v
		x += 2 * *v
	}
	return x
}

// move takes an entity a step on.
func (s *seascape) move(x *thing) {
	switch {
	case x.moves == steady && s.r.IntN(80) == 0:
		x.vx, x.vy = s.r.Float32()-0.5, s.r.Float32()-0.5
	case x.moves == turning:
		sin, cos := math.Sincos(float64(x.turn))
		x.vx, x.vy = x.vx*float32(cos)-x.vy*float32(sin), x.vx*float32(sin)+x.vy*float32(cos)
	}
	jump := x.moves == erratic && s.r.IntN(10) == 0 || s.r.IntN(2000) == 0
	if h := ecs.Get[hull](s.w, x.e); h != nil {
		if h.X, h.Y = bounce(h.X, 500, &x.vx), bounce(h.Y, 500, &x.vy); jump {
			h.X, h.Y = float32(s.r.IntN(1000)-500), float32(s.r.IntN(1000)-500)
		}
		h.Course = float32(math.Atan2(float64(x.vy), float64(x.vx)))
	}
	if c := ecs.Get[crate](s.w, x.e); c != nil {
		c.X, c.Y, c.Z = bounce(c.X, 250, &x.vx), bounce(c.Y, 250, &x.vy), bounce(c.Z, 250, &x.vz)
		c.Rise = x.vz * 60
		sin, cos := math.Sincos(float64(x.turn))
		q := c.Turn
		c.Turn = [4]float32{
			q[0]*float32(cos) + q[1]*float32(sin), q[1]*float32(cos) - q[0]*float32(sin),
			q[2]*float32(cos) + q[3]*float32(sin), q[3]*float32(cos) - q[2]*float32(sin),
		}
		if jump {
			c.X, c.Turn = float32(s.r.IntN(500)-250), [4]float32{1, 0, 0, s.r.Float32()}
		}
	}
	if p := ecs.Get[place](s.w, x.e); p != nil && jump {
		p.X, p.Y = float32(s.r.IntN(900)-450), float32(s.r.IntN(900)-450)
	}
}

// change gives an entity's components other values.
func (s *seascape) change(e ecs.Entity) {
	if x := ecs.Get[seal](s.w, e); x != nil {
		a := x.A + uint16(s.r.IntN(40)-10)
		*x = sealed(a)
		if y := ecs.Get[echo](s.w, e); y != nil {
			y.A = a
		}
	}
	if m := ecs.Get[manifest](s.w, e); m != nil {
		*m = s.manifest()
	}
	if h := ecs.Get[hull](s.w, e); h != nil && s.r.IntN(10) == 0 {
		h.Aboard = s.other()
	}
	if p := ecs.Get[chest](s.w, e); p != nil {
		*p = chestOf(p.For, s.r.Uint32())
	}
	if a := ecs.Get[aim](s.w, e); a != nil {
		a.At = uint16(s.r.Uint32())
	}
	if p := ecs.Get[shots](s.w, e); p != nil {
		p.Count = uint16(s.r.IntN(100))
	}
}

// toggle gives an entity a component, or takes it away, or hands it on.
func (s *seascape) toggle(e ecs.Entity) {
	a := uint16(s.r.Uint32())
	who := s.owner()
	switch s.r.IntN(14) {
	case 0:
		toggle(s.w, e, place{X: float32(s.r.IntN(400))})
	case 1:
		toggle(s.w, e, shots{a % 99})
	case 2:
		toggle(s.w, e, tint{uint8(a % 200)})
	case 3:
		toggle(s.w, e, push{})
	case 4:
		toggle(s.w, e, s.hull())
	case 5:
		toggle(s.w, e, s.crate())
	case 6:
		toggle(s.w, e, s.manifest())
	case 7:
		toggle(s.w, e, lit{})
	case 8:
		if x := ecs.Get[seal](s.w, e); x != nil {
			toggle(s.w, e, echo{x.A})
		}
	case 9:
		if ecs.Has[components.Owner](s.w, e) {
			toggle(s.w, e, chestOf(ecs.Get[components.Owner](s.w, e).Client, uint32(a)))
		}
	case 10:
		if ecs.Has[components.Owner](s.w, e) {
			toggle(s.w, e, aim{ecs.Get[components.Owner](s.w, e).Client, a})
		}
	case 11, 12:
		s.hand(e, who)
	default:
		if s.disown(e); s.r.IntN(2) == 0 {
			s.hand(e, who)
		}
	}
}

// toggle takes a component from an entity, or gives it.
func toggle[T any](w *ecs.World, e ecs.Entity, v T) {
	if ecs.Has[T](w, e) {
		ecs.Remove[T](w, e)
	} else {
		ecs.Add(w, e, v)
	}
}
