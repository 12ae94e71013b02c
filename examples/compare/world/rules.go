package world

import (
	"math"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/outcome"
)

// Size is the largest length of the world's sides, Radius the radius of a player, in units.
const (
	Size   = 640
	Radius = 10
)

// Speed is in units per second.
const Speed = 120

const (
	grip  = 0.25 // share of the difference to the wanted velocity by which a tick changes the velocity
	knock = 240  // units per second that a bump or a gust adds
	rest  = 20   // ticks between two shots
	down  = 60   // ticks that a player lies
)

// walker is a player, moved by its owner's input.
type walker struct {
	Pos  *components.Position
	Vel  *components.Velocity
	Life *Life
	In   *Input
}

func walks(side float32) func(w *ecs.World) {
	return func(w *ecs.World) {
		for _, e := range ecs.Each[walker](w) {
			dx, dy := float32(e.In.DX), float32(e.In.DY)
			if dx != 0 && dy != 0 {
				dx, dy = dx*math.Sqrt2/2, dy*math.Sqrt2/2
			}
			if e.Life.Down > 0 {
				dx, dy = 0, 0
			}
			e.Vel.X += product(product(dx, Speed)-e.Vel.X, grip)
			e.Vel.Y += product(product(dy, Speed)-e.Vel.Y, grip)
			e.Pos.X = min(max(e.Pos.X+product(e.Vel.X, w.Step()), 0), side)
			e.Pos.Y = min(max(e.Pos.Y+product(e.Vel.Y, w.Step()), 0), side)
		}
	}
}

// body is a row that reads a player's position and health.
type body struct {
	Pos  components.Position
	Life Life
}

// bump throws touching players apart. It sums in whole units, so that the order of players has no effect.
func bump(w *ecs.World) {
	type bumped struct {
		Pos *components.Position
		Vel *components.Velocity
	}
	for e, r := range ecs.Each[bumped](w) {
		var x, y int32
		for o, other := range ecs.All[body](w) {
			dx, dy := r.Pos.X-other.Pos.X, r.Pos.Y-other.Pos.Y
			if d := length(dx, dy); o != e && d > 0 && d < 2*Radius {
				x, y = x+int32(product(dx/d, knock)), y+int32(product(dy/d, knock))
			}
		}
		r.Vel.X, r.Vel.Y = bounded(r.Vel.X+float32(x)), bounded(r.Vel.Y+float32(y))
	}
}

// shoot takes aim and pulls triggers.
func shoot(w *ecs.World) {
	type shooter struct {
		Gun  *Gun
		Life *Life
		In   *Input
	}
	for _, e := range ecs.Each[shooter](w) {
		if e.Gun.Rest > 0 {
			e.Gun.Rest--
		}
		e.Gun.Aim = e.In.Aim
		if e.Gun.Fired = e.In.Fire && e.Gun.Rest == 0 && e.Life.Down == 0; e.Gun.Fired {
			e.Gun.Rest = rest
		}
	}
}

// wounds returns the rule for hits: the first player in the line of a shot loses points. All shots of a tick count, even if
// the shooter falls in the same tick.
func wounds(harm uint8) func(w *ecs.World) {
	type shot struct {
		Pos components.Position
		Gun Gun
	}
	return func(w *ecs.World) {
		fired := false
		for _, s := range ecs.All[shot](w) {
			fired = fired || s.Gun.Fired
		}
		if !fired {
			return
		}
		for e, victim := range ecs.EachInOrder[struct{ Life *Life }](w) {
			if victim.Life.Down > 0 {
				continue
			}
			for by, s := range ecs.All[shot](w) {
				if !s.Gun.Fired || by == e {
					continue
				}
				if hit, ok := target(w, by, s.Pos, s.Gun.Aim); !ok || hit != e {
					continue
				}
				if id := w.NetID(by); victim.Life.Points > harm {
					victim.Life.Points -= harm
				} else if victim.Life.Points > 0 || id < victim.Life.By {
					victim.Life.Points, victim.Life.By = 0, id
				}
			}
		}
	}
}

// target returns the first standing player in a line.
func target(w *ecs.World, by ecs.Entity, from components.Position, aim uint16) (hit ecs.Entity, ok bool) {
	sin, cos := math.Sincos(float64(aim) * (math.Pi / 180))
	dx, dy := float32(cos), float32(sin)
	var nearest float32
	for e, b := range ecs.All[body](w) {
		x, y := b.Pos.X-from.X, b.Pos.Y-from.Y
		along := product(x, dx) + product(y, dy)
		off := product(x, dy) - product(y, dx)
		if e == by || b.Life.Down > 0 || along <= 0 || max(off, -off) > Radius {
			continue
		}
		if !ok || along < nearest || along == nearest && w.NetID(e) < w.NetID(hit) {
			hit, nearest, ok = e, along, true
		}
	}
	return hit, ok
}

// fall lays players without points down, and lets them get up again after some ticks.
func fall(w *ecs.World) {
	for e, r := range ecs.EachInOrder[struct{ Life *Life }](w) {
		switch {
		case r.Life.Down == 1:
			r.Life.Down, r.Life.Points = 0, 100
		case r.Life.Down > 0:
			r.Life.Down--
		case r.Life.Points == 0:
			r.Life.Down = down
			outcome.Raise(w, e, Kill{By: r.Life.By, Victim: w.NetID(e)})
		}
	}
}

// gusts returns a rule that strikes every player once in every ticks.
func gusts(every uint32) func(w *ecs.World) {
	type struck struct {
		Vel   *components.Velocity
		Owner *components.Owner
	}
	return func(w *ecs.World) {
		for e, r := range ecs.Each[struck](w) {
			if (w.Tick()+r.Owner.Client)%every != 0 {
				continue
			}
			draw := w.Rand(e)
			sin, cos := math.Sincos(2 * math.Pi * draw.Float64())
			r.Vel.X, r.Vel.Y = bounded(r.Vel.X+product(float32(cos), knock)), bounded(r.Vel.Y+product(float32(sin), knock))
		}
	}
}

func bounded(v float32) float32 { return min(max(v, -512), 512) }

// product returns a × b, rounded. Without it, some processors would fuse the product with a following sum and round once.
func product(a, b float32) float32 { return float32(a * b) }

func length(dx, dy float32) float32 {
	return float32(math.Sqrt(float64(product(dx, dx) + product(dy, dy))))
}
