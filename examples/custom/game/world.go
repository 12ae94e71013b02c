package game

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/names"
)

// Streams of random numbers for starting places.
const (
	streamPlayers  = 0
	streamPowerUps = 1 << 32
)

// Populate spawns power-ups across the yard.
func Populate(w *ecs.World, powerUps int) {
	for i := range powerUps {
		x, y := start(w, streamPowerUps|uint64(i))
		w.Spawn(components.Position{X: x, Y: y}, PowerUp{})
	}
}

// join spawns the player of a client.
func join(w *ecs.World, client uint32, _ *struct{}) {
	x, y := start(w, streamPlayers|uint64(client))
	w.Spawn(components.Owner{Client: client}, components.Position{X: x, Y: y}, components.Velocity{},
		Ride{}, Boost{}, Score{}, names.Named{}, Input{})
}

// start returns a place in one of the two halves of the yard, away from the walls. It has whole coordinates, which are sent
// exactly: with a rounded place, a client could take a power-up a tick too early.
func start(w *ecs.World, stream uint64) (x, y float32) {
	draw := ecs.NewRand(w.Seed(), stream)
	const room = wallX - wallHalf - 2*Width
	x, y = float32(Width+draw.IntN(room)), float32(Width+draw.IntN(SizeY-2*Width))
	if draw.IntN(2) == 1 {
		x = SizeX - x
	}
	return x, y
}

// Place returns the position of an entity.
func Place(w *ecs.World, e ecs.Entity) (x, y float32, ok bool) {
	p := ecs.Get[components.Position](w, e)
	if p == nil {
		return 0, 0, false
	}
	return p.X, p.Y, true
}

// Push moves a player at once, within the yard. Walls apply in the next tick.
func Push(w *ecs.World, e ecs.Entity, dx, dy float32) {
	if p := ecs.Get[components.Position](w, e); p != nil {
		p.X = min(max(p.X+dx, Width/2), SizeX-Width/2)
		p.Y = min(max(p.Y+dy, Width/2), SizeY-Width/2)
	}
}
