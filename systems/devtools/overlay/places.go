package overlay

import (
	"math"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// Point is a position in the world of the game, in the game's units. 2D games leave Z 0.
type Point struct{ X, Y, Z float64 }

// apart returns the distance of two points.
func (p Point) apart(q Point) float64 {
	return math.Sqrt((p.X-q.X)*(p.X-q.X) + (p.Y-q.Y)*(p.Y-q.Y) + (p.Z-q.Z)*(p.Z-q.Z))
}

// toward returns the point at the fraction f of the way to q.
func (p Point) toward(q Point, f float64) Point {
	return Point{p.X + (q.X-p.X)*f, p.Y + (q.Y-p.Y)*f, p.Z + (q.Z-p.Z)*f}
}

// Places provides the positions of entities. [PlacesOf] creates it.
type Places interface {
	// each adds all entities of a view to marks.
	each(view *ecs.World, to *marks)
	at(w *ecs.World, e ecs.Entity) (Point, bool)
	confirmed(c *systems.Client, e ecs.Entity) (Point, bool)
	window(c *systems.Client, e ecs.Entity) (from, to Point, ok bool)
	screen(p Point) (x, y float64, ok bool)
}

// PlacesOf returns the places of a game from the replicated component T, which holds the position of an entity. in
// returns the position in it. screen returns the position on the screen, in points of the canvas, from the game's
// camera, and false if it is not visible.
func PlacesOf[T any](in func(T) Point, screen func(Point) (x, y float64, ok bool)) Places {
	return places[T]{in, screen}
}

type places[T any] struct {
	in func(T) Point
	to func(Point) (x, y float64, ok bool)
}

// placed is the row of entities with a position.
type placed[T any] struct{ Place T }

func (p places[T]) each(view *ecs.World, to *marks) {
	for e, r := range ecs.All[placed[T]](view) {
		to.add(e, view.NetID(e), p.in(r.Place))
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
	from, to Point // the two confirmed states
	windowed bool
	waiting  bool // no later state has arrived
}
