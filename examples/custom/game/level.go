package game

import "github.com/tactusgo/tactus/ecs"

// Size of the yard, in units.
const (
	SizeX = 1200
	SizeY = 800
)

// Level is a resource: the fixed objects of the yard, equal on all peers and never sent. The only way through the wall
// across the middle is a doorway.
type Level struct {
	Walls     []Box
	Door      Door
	Platforms []Platform
}

// Box is an upright rectangle.
type Box struct{ X0, Y0, X1, Y1 float32 }

// Point is a place in the yard.
type Point struct{ X, Y float32 }

// Door alternates between open and closed. While it is closed, it fills its box.
type Door struct {
	Box
	Open, Shut uint32 // ticks
}

// Closed reports whether the door is closed in the state after tick ticks.
func (d *Door) Closed(tick uint32) bool { return tick%(d.Open+d.Shut) >= d.Open }

// Platform moves back and forth between two places and waits at both.
type Platform struct {
	From, To     Point // of its middle
	W, H         float32
	Travel, Wait uint32 // ticks
}

// At returns the middle of the platform in the state after tick ticks.
func (p *Platform) At(tick uint32) Point {
	t, k := tick%(2*(p.Travel+p.Wait)), uint32(0)
	switch {
	case t < p.Wait:
	case t < p.Wait+p.Travel:
		k = t - p.Wait
	case t < 2*p.Wait+p.Travel:
		k = p.Travel
	default:
		k = 2*(p.Travel+p.Wait) - t
	}
	share := float32(k) / float32(p.Travel)
	return Point{p.From.X + product(p.To.X-p.From.X, share), p.From.Y + product(p.To.Y-p.From.Y, share)}
}

// Carries reports whether a player at a place stands on the platform.
func (p *Platform) Carries(tick uint32, x, y float32) bool {
	m := p.At(tick)
	return abs(x-m.X) <= p.W/2 && abs(y-m.Y) <= p.H/2
}

// The positions of the wall and its doorway.
const (
	wallX    = SizeX / 2
	wallHalf = 12
	doorY    = SizeY / 2
	doorHalf = 60
)

// NewLevel returns the yard for a tick rate.
func NewLevel(tickRate int) *Level {
	seconds := func(n int) uint32 { return uint32(n * tickRate) }
	return &Level{
		Walls: []Box{
			{wallX - wallHalf, 0, wallX + wallHalf, doorY - doorHalf},
			{wallX - wallHalf, doorY + doorHalf, wallX + wallHalf, SizeY},
		},
		Door: Door{
			Box:  Box{wallX - wallHalf, doorY - doorHalf, wallX + wallHalf, doorY + doorHalf},
			Open: seconds(4), Shut: seconds(2),
		},
		Platforms: []Platform{
			{From: Point{220, 150}, To: Point{220, 650}, W: 160, H: 160, Travel: seconds(6), Wait: seconds(2)},
			{From: Point{760, 620}, To: Point{1080, 620}, W: 160, H: 160, Travel: seconds(4), Wait: seconds(2)},
		},
	}
}

// level returns the world's Level and creates it on first use, because a client creates its world without a callback of the
// game.
func level(w *ecs.World) *Level {
	l := ecs.Resource[Level](w)
	if l == nil {
		l = NewLevel(w.TickRate())
		ecs.SetResource(w, l)
	}
	return l
}

// resource returns the world's resource T. At first it is zero.
func resource[T any](w *ecs.World) *T {
	v := ecs.Resource[T](w)
	if v == nil {
		v = new(T)
		ecs.SetResource(w, v)
	}
	return v
}
