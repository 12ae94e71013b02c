package world

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Journal keeps where every player stood after every tick of one world. A tick that is simulated again is written
// again: what stands there in the end is what happened.
type Journal struct {
	ticks [][]place // by tick, then client
}

type place struct {
	components.Position
	there bool
}

// note is a rule of the world.
func (j *Journal) note(w *ecs.World) {
	t := int(w.Tick())
	for len(j.ticks) <= t {
		j.ticks = append(j.ticks, nil)
	}
	row := j.ticks[t]
	clear(row)
	for _, p := range ecs.All[Player](w) {
		for len(row) <= int(p.Owner.Client) {
			row = append(row, place{})
		}
		row[p.Owner.Client] = place{p.Pos, true}
	}
	j.ticks[t] = row
}

// Place is where a client's player stood after a tick; false when there was none.
func (j *Journal) Place(tick uint32, client uint32) (components.Position, bool) {
	if int(tick) >= len(j.ticks) || int(client) >= len(j.ticks[tick]) {
		return components.Position{}, false
	}
	p := j.ticks[tick][client]
	return p.Position, p.there
}
