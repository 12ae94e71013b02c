package headless

import "github.com/tactusgo/tactus/ecs"

// trail is where players stood after each tick, as far as that is known: where servers go back
// a tick is simulated before the inputs for it have come, and again then.
type trail struct {
	players [][]place // by client number, a ring by tick
}

// trailTicks is how many ticks a trail remembers.
const trailTicks = 1 << 10

// follow is an Authority system.
func (m *Match) follow(w *ecs.World) {
	for e, r := range ecs.All[ownerRow](w) {
		x, y, ok := m.world.Place(w, e)
		if !ok || r.Owner.Client > uint32(m.o.Clients) {
			continue
		}
		for len(m.trail.players) <= int(r.Owner.Client) {
			m.trail.players = append(m.trail.players, make([]place, trailTicks))
		}
		m.trail.players[r.Owner.Client][w.Tick()%trailTicks] = place{w.Tick(), x, y}
	}
}

// stood is where a player stood on the server after an input.
func (m *Match) stood(client, input uint32, e ecs.Entity) (x, y float32, ok bool) {
	if m.trail == nil {
		return m.world.Place(m.server.World(), e)
	}
	if int(client) >= len(m.trail.players) {
		return 0, 0, false
	}
	p := m.trail.players[client][input%trailTicks]
	return p.x, p.y, p.seq == input
}
