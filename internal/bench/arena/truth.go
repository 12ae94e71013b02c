package main

import (
	"math"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// truth records the server's world: the positions of the latest ticks, how far NPCs walked, and how many events occurred.
type truth struct {
	ring      [truthTicks]map[components.NetID]point
	last      map[components.NetID]moving
	travelled float64
	changes   uint64
	ticks     uint64
}

// truthTicks is the number of recorded ticks.
const truthTicks = 256

type point struct{ x, y float32 }

// moving is the motion of an entity while it continues unchanged.
type moving struct {
	point
	vx, vy  float32
	heading uint16
	turn    uint16
	health  uint8
}

type truthRow struct {
	Pos    components.Position
	Vel    components.Velocity
	Head   components.Heading
	Health components.Health
}

// step records the world after a tick.
func (t *truth) step(w *ecs.World, tick uint32, counting bool) {
	at := t.ring[tick%truthTicks]
	if at == nil {
		at = make(map[components.NetID]point)
		t.ring[tick%truthTicks] = at
	}
	clear(at)
	if t.last == nil {
		t.last = make(map[components.NetID]moving)
	}
	for e, r := range ecs.All[truthRow](w) {
		id := w.NetID(e)
		now := moving{point{r.Pos.X, r.Pos.Y}, r.Vel.X, r.Vel.Y, r.Head.Angle, 0, r.Health.Points}
		at[id] = now.point
		if old, ok := t.last[id]; ok {
			now.turn = now.heading - old.heading
			if counting {
				if !ecs.Has[components.Owner](w, e) {
					t.travelled += math.Hypot(float64(now.x-old.x), float64(now.y-old.y))
				}
				if now.vx != old.vx || now.vy != old.vy || now.turn != old.turn || now.health != old.health {
					t.changes++
				}
			}
		}
		t.last[id] = now
	}
	if counting {
		t.ticks++
	}
}

// err returns the distance, per axis, between a client's position of an entity and the recorded one at the same tick.
func (t *truth) err(tick uint32, id components.NetID, x, y float32) float64 {
	p, ok := t.ring[tick%truthTicks][id]
	if !ok {
		return 0
	}
	return max(math.Abs(float64(x-p.x)), math.Abs(float64(y-p.y)))
}
