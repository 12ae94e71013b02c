package world

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// join spawns the player of a client. Players stand in slanted rows of four: far enough apart not to touch, and no player
// exactly east of another player.
func (r Rules) join(w *ecs.World, client uint32, _ *struct{}) {
	n, part := (client-1)%16, r.withDefaults().Side/8
	x, y := part*float32(1+2*(n%4)), part*(float32(1+2*(n/4))+0.3*float32(n%4))
	w.Spawn(components.Owner{Client: client}, components.Position{X: x, Y: y}, components.Velocity{}, Gun{},
		Life{Points: 100}, Input{})
}

// Player is a row that reads a player.
type Player struct {
	Owner components.Owner
	Pos   components.Position
	Vel   components.Velocity
	Gun   Gun
	Life  Life
}

// Find returns the player of a client in a world or a view. It returns false if there is none.
func Find(w *ecs.World, client uint32) (p Player, ok bool) {
	for _, r := range ecs.All[Player](w) {
		if r.Owner.Client == client {
			return r, true
		}
	}
	return p, false
}
