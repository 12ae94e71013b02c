package game

import (
	"math"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Width is the diameter of a player, in units.
const Width = 40

// Speeds in units per second.
const (
	WalkSpeed  = 120
	BoostSpeed = 160
)

// walker is a player, moved by its owner's input.
type walker struct {
	Pos   *components.Position
	Vel   *components.Velocity
	Boost *Boost
	In    *Input
}

// walk moves players by their inputs. Other systems then handle obstacles.
func walk(w *ecs.World) {
	for _, e := range ecs.Each[walker](w) {
		speed := float32(WalkSpeed)
		if e.Boost.Left > 0 {
			speed = BoostSpeed
		}
		if e.In.DX != 0 && e.In.DY != 0 {
			speed *= math.Sqrt2 / 2
		}
		e.Vel.X, e.Vel.Y = float32(e.In.DX)*speed, float32(e.In.DY)*speed
		e.Pos.X += product(e.Vel.X, w.Step())
		e.Pos.Y += product(e.Vel.Y, w.Step())
	}
}

// stopped is a player that walls stop.
type stopped struct {
	Pos *components.Position
	_   ecs.With[components.Owner]
}

// stop moves players out of walls, the closed door and the outside of the yard. It runs last, so nothing can push a player
// through a wall.
func stop(w *ecs.World) {
	l := level(w)
	closed := l.Door.Closed(w.Tick() + 1)
	for _, e := range ecs.Each[stopped](w) {
		for i := range l.Walls {
			l.Walls[i].eject(e.Pos)
		}
		if closed {
			l.Door.eject(e.Pos)
		}
		e.Pos.X = min(max(e.Pos.X, Width/2), SizeX-Width/2)
		e.Pos.Y = min(max(e.Pos.Y, Width/2), SizeY-Width/2)
	}
}

// eject moves a player out of the box by the shortest way.
func (b *Box) eject(p *components.Position) {
	const r = Width / 2
	x, y := min(max(p.X, b.X0), b.X1), min(max(p.Y, b.Y0), b.Y1)
	dx, dy := p.X-x, p.Y-y
	switch d := length(dx, dy); {
	case d >= r:
	case d > 0:
		p.X, p.Y = x+product(dx, r/d), y+product(dy, r/d)
	default: // the middle is inside: a door closed on the player
		left, right, up, down := p.X-b.X0, b.X1-p.X, p.Y-b.Y0, b.Y1-p.Y
		switch min(left, right, up, down) {
		case left:
			p.X = b.X0 - r
		case right:
			p.X = b.X1 + r
		case up:
			p.Y = b.Y0 - r
		default:
			p.Y = b.Y1 + r
		}
	}
}

// product returns a × b, rounded. Some processors would otherwise round a product and a following sum only once, and peers
// would differ in the last bit.
func product(a, b float32) float32 { return float32(a * b) }

// length returns the length of a vector.
func length(dx, dy float32) float32 {
	return float32(math.Sqrt(float64(product(dx, dx) + product(dy, dy))))
}

func abs(v float32) float32 { return max(v, -v) }
