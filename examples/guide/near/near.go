package near

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

const (
	size  = 512 // units from the middle to an edge
	cell  = 32  // units; about the usual radius of a question
	cells = 2 * size / cell
	sight = 90 // units
)

// Place is the position of an animal.
type Place struct {
	X float32 `net:"-512..512 step 0.05 axis x"`
	Y float32 `net:"-512..512 step 0.05 axis y"`
}

// Sheep is an animal that a player steers.
type Sheep struct {
	Caught uint16 `net:"0..9999"`
}

// Wolf hunts.
type Wolf struct{}

// Move is the input of a player for one tick.
type Move struct {
	DX, DY int8 `net:"-1..1"`
}

// spot is an entity in a cell.
type spot struct {
	at Place
	id components.NetID
}

// Grid finds sheep by their place. It is a resource of the world, which no peer sends or restores, so a system fills it
// again in each tick before others ask it.
type Grid struct {
	spots [cells][cells][]spot
}

// cellOf returns the row or column of a coordinate.
func cellOf(v float32) int { return min(max(int(v+size)/cell, 0), cells-1) }

// fill is a system that puts all sheep into the grid. The slices keep their memory, so it soon allocates nothing.
func fill(w *ecs.World) {
	g := ecs.Resource[Grid](w)
	if g == nil { // the first tick of this world
		g = new(Grid)
		ecs.SetResource(w, g)
	}
	for x := range g.spots {
		for y := range g.spots[x] {
			g.spots[x][y] = g.spots[x][y][:0]
		}
	}
	for e, s := range ecs.All[struct {
		Place Place
		_     ecs.With[Sheep]
	}](w) {
		c := &g.spots[cellOf(s.Place.X)][cellOf(s.Place.Y)]
		*c = append(*c, spot{s.Place, w.NetID(e)})
	}
}

// nearest returns the nearest sheep within a radius. Of two at the same distance it returns the one with the lower NetID, so
// that the result does not depend on the order in which the grid was filled: that order differs between peers.
func (g *Grid) nearest(at Place, radius float32) (best spot, found bool) {
	most := radius * radius
	for x := cellOf(at.X - radius); x <= cellOf(at.X+radius); x++ {
		for y := cellOf(at.Y - radius); y <= cellOf(at.Y+radius); y++ {
			for _, s := range g.spots[x][y] {
				dx, dy := s.at.X-at.X, s.at.Y-at.Y
				if d := float32(dx*dx) + float32(dy*dy); d < most || d == most && found && s.id < best.id {
					best, most, found = s, d, true
				}
			}
		}
	}
	return best, found
}

// hunt moves each wolf towards the nearest sheep.
func hunt(w *ecs.World) {
	g := ecs.Resource[Grid](w)
	for _, wolf := range ecs.Each[struct {
		Place *Place
		_     ecs.With[Wolf]
	}](w) {
		prey, found := g.nearest(*wolf.Place, sight)
		if !found {
			continue
		}
		wolf.Place.X += min(max(prey.at.X-wolf.Place.X, -0.5), 0.5)
		wolf.Place.Y += min(max(prey.at.Y-wolf.Place.Y, -0.5), 0.5)
		if e, there := w.ByNetID(prey.id); there && prey.at == *wolf.Place {
			ecs.Get[Sheep](w, e).Caught++
		}
	}
}

// walk moves sheep by the inputs of their players.
func walk(w *ecs.World) {
	for _, s := range ecs.Each[struct {
		Place *Place
		In    *Move
	}](w) {
		s.Place.X = min(max(s.Place.X+float32(s.In.DX), -size), size)
		s.Place.Y = min(max(s.Place.Y+float32(s.In.DY), -size), size)
	}
}

// Protocol returns the definition of the game.
func Protocol() *ecs.Protocol {
	p := ecs.NewProtocol("near/1")
	ecs.Input[Move](p)
	ecs.Replicate[Place](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[Sheep](p, 0)
	ecs.Replicate[Wolf](p, 0)
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, Place{X: 20 * float32(client)}, Sheep{}, Move{})
	})
	p.Simulate("walk", walk)
	p.Authority("fill", fill)
	p.Authority("hunt", hunt)
	return p
}

// Populate spawns wolves.
func Populate(w *ecs.World) {
	for n := range 20 {
		w.Spawn(Place{float32(40 * (n%5 - 2)), float32(40 * (n/5 - 2))}, Wolf{})
	}
}
