package game

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Populate spawns npcs server-controlled entities, numbered after the players.
func Populate(w *ecs.World, players, npcs int) { Variant{}.Populate(w, players, npcs) }

// Populate spawns npcs server-controlled entities, numbered after the players, in the variant's world.
func (v Variant) Populate(w *ecs.World, players, npcs int) {
	for i := range npcs {
		phase := i * period * w.TickRate() / npcs
		x, y := v.side().start(w, players+i)
		w.Spawn(components.Position{X: x, Y: y}, components.Velocity{}, components.Heading{}, components.Health{Points: 100},
			Wander{Index: int32(i), Phase: int32(phase)}, Vitals{Number: int32(players + i)})
	}
}

// join spawns the player of a client.
func (size side) join(w *ecs.World, client uint32) {
	x, y := size.start(w, int(client)-1)
	w.Spawn(components.Owner{Client: client}, components.Position{X: x, Y: y}, components.Velocity{}, components.Heading{},
		components.Health{Points: 100}, Vitals{Number: int32(client) - 1}, Input{})
}

// start returns the random start position of the entity with a number.
func (size side) start(w *ecs.World, number int) (x, y float32) {
	draw := ecs.NewRand(w.Seed(), uint64(number))
	return draw.Float32() * float32(size), draw.Float32() * float32(size)
}

// Push moves an entity by dx and dy at once, and stops it at the walls.
func Push(w *ecs.World, e ecs.Entity, dx, dy float32) {
	if p := ecs.Get[components.Position](w, e); p != nil {
		p.X, p.Y = side(Size).clamp(p.X+dx), side(Size).clamp(p.Y+dy)
	}
}

// Place returns the position of an entity, and false if it has none.
func Place(w *ecs.World, e ecs.Entity) (x, y float32, ok bool) {
	p := ecs.Get[components.Position](w, e)
	if p == nil {
		return 0, 0, false
	}
	return p.X, p.Y, true
}
