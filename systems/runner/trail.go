package runner

import (
	"github.com/tactusgo/tactus/ecs"
)

// trail is where players stood after each tick, as far as that is known: where servers go back
// a tick is simulated before the inputs for it have come, and again then.
type trail struct {
	at      func(w *ecs.World, e ecs.Entity) (x, y float32, ok bool)
	most    uint32    // clients
	players [][]place // by client number, a ring by tick
}

// trailTicks is how many ticks a trail remembers.
const trailTicks = 1 << 10

// follow is an Authority system.
func (t *trail) follow(w *ecs.World) {
	for e, r := range ecs.All[ownerRow](w) {
		x, y, ok := t.at(w, e)
		if !ok || r.Owner.Client > t.most {
			continue
		}
		for len(t.players) <= int(r.Owner.Client) {
			t.players = append(t.players, make([]place, trailTicks))
		}
		t.players[r.Owner.Client][w.Tick()%trailTicks] = place{w.Tick(), x, y}
	}
}

// stood is where a player stood on the server after an input.
func (t *trail) stood(client, input uint32) (x, y float32, ok bool) {
	if int(client) >= len(t.players) {
		return 0, 0, false
	}
	p := t.players[client][input%trailTicks]
	return p.x, p.y, p.seq == input
}
