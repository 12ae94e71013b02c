package overlay

import (
	"math"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// Point is a place in the world of the game, in its units. Games in the plane leave Z 0.
type Point struct{ X, Y, Z float64 }

// apart is the distance of two points.
func (p Point) apart(q Point) float64 {
	return math.Sqrt((p.X-q.X)*(p.X-q.X) + (p.Y-q.Y)*(p.Y-q.Y) + (p.Z-q.Z)*(p.Z-q.Z))
}

// toward is a point on the way to another.
func (p Point) toward(q Point, f float64) Point {
	return Point{p.X + (q.X-p.X)*f, p.Y + (q.Y-p.Y)*f, p.Z + (q.Z-p.Z)*f}
}

// Places says where things are. It is made by [PlacesOf].
type Places interface {
	// each gives marks all that a view draws.
	each(view *ecs.World, to *marks)
	at(w *ecs.World, e ecs.Entity) (Point, bool)
	confirmed(c *systems.Client, e ecs.Entity) (Point, bool)
	window(c *systems.Client, e ecs.Entity) (from, to Point, ok bool)
	screen(p Point) (x, y float64, ok bool)
}

// PlacesOf makes the places of a game from the component T that says where an entity is,
// and that its protocol replicates: in is the place in it, and screen where that is on the screen, in points of
// the canvas, as the game's own camera has it; false where it cannot be seen.
func PlacesOf[T any](in func(T) Point, screen func(Point) (x, y float64, ok bool)) Places {
	return places[T]{in, screen}
}

type places[T any] struct {
	in func(T) Point
	to func(Point) (x, y float64, ok bool)
}

// placed is what has a place.
type placed[T any] struct{ Place T }

func (p places[T]) each(view *ecs.World, to *marks) {
	for e, r := range ecs.All[placed[T]](view) {
		to.take(e, view.NetID(e), p.in(r.Place))
	}
}

func (p places[T]) at(w *ecs.World, e ecs.Entity) (Point, bool) {
	if v := ecs.Get[T](w, e); v != nil {
		return p.in(*v), true
	}
	return Point{}, false
}

func (p places[T]) confirmed(c *systems.Client, e ecs.Entity) (Point, bool) {
	v, ok := systems.Confirmed[T](c, e)
	if !ok {
		return Point{}, false
	}
	return p.in(v), true
}

func (p places[T]) window(c *systems.Client, e ecs.Entity) (from, to Point, ok bool) {
	a, b, ok := systems.Between[T](c, e)
	if !ok {
		return from, to, false
	}
	return p.in(a), p.in(b), true
}

func (p places[T]) screen(at Point) (x, y float64, ok bool) { return p.to(at) }

// mark is an entity of the view.
type mark struct {
	e        ecs.Entity
	id       components.NetID
	at       Point
	from, to Point // its window
	windowed bool
	waiting  bool // nothing later was there to move toward
}
