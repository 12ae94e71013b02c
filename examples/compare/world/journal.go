package world

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Journal records the position of every player after every tick of one world. A tick that is simulated again replaces the
// earlier record.
type Journal struct {
	ticks [][]place // by tick, then client
}

type place struct {
	components.Position
	valid bool
}

// note is a rule of the world that records a tick.
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

// Place returns the position of a client's player after a tick. It returns false if there was none.
func (j *Journal) Place(tick uint32, client uint32) (components.Position, bool) {
	if int(tick) >= len(j.ticks) || int(client) >= len(j.ticks[tick]) {
		return components.Position{}, false
	}
	p := j.ticks[tick][client]
	return p.Position, p.valid
}
