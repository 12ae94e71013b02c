package game

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// Bot fills an input with the direction to the nearest star.
func Bot(c *systems.Client, in *Move) {
	w := c.World()
	me, ok := c.Own(w)
	if !ok {
		return // the server has not sent the player's entity yet
	}
	at := *ecs.Get[Place](w, me)
	var goal Place
	var newest components.NetID
	nearest := float32(Width + Height)
	for e, s := range ecs.All[seenStar](w) {
		far := max(at.X-s.Place.X, s.Place.X-at.X) + max(at.Y-s.Place.Y, s.Place.Y-at.Y)
		if id := w.NetID(e); far < nearest || far == nearest && id > newest {
			goal, nearest, newest = s.Place, far, id
		}
	}
	if nearest < Width+Height {
		in.DX, in.DY = toward(at.X, goal.X), toward(at.Y, goal.Y)
	}
}

// toward returns the direction from one coordinate to another: -1, 0 or 1.
func toward(from, to float32) int8 {
	const enough = reach / 2
	switch {
	case to-from > enough:
		return 1
	case from-to > enough:
		return -1
	}
	return 0
}
