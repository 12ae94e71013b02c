package yard

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Join spawns the player of a client: in rows of four, far enough apart that nobody touches anybody.
func Join(w *ecs.World, client uint32) {
	x, y := Start(client)
	w.Spawn(components.Owner{Client: client}, components.Position{X: x, Y: y}, components.Velocity{}, Gun{},
		Life{Points: 100}, Input{})
}

// Start is where the player of a client begins, in units.
func Start(client uint32) (x, y float32) {
	n := (client - 1) % 16
	return 80 + 160*float32(n%4), 80 + 160*float32(n/4)
}

// Player is a player, to look at.
type Player struct {
	Owner components.Owner
	Pos   components.Position
	Vel   components.Velocity
	Life  Life
}

// Find is the player of a client in a world or a view; false when it has none.
func Find(w *ecs.World, client uint32) (p Player, ok bool) {
	for _, r := range ecs.All[Player](w) {
		if r.Owner.Client == client {
			return r, true
		}
	}
	return p, false
}
