package game

import (
	"cmp"
	"slices"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// PushSpeed is how fast others can push a player at most, in units per second.
const PushSpeed = 70

// Crowd is a resource: copies of all players and power-ups, in order of NetID,
// as the system "look" found them before the tick. Interactions read the copies
// and write the entities, so that nobody's step depends on whose came first. A
// state after a complete tick is also all that a client ever has of others.
type Crowd struct {
	players  []seenPlayer
	powerUps []seenPowerUp
}

// seenPlayer is a row of values: what others can see of a player.
type seenPlayer struct {
	ID    components.NetID
	Pos   components.Position
	Ride  Ride
	Boost Boost
}

// seenPowerUp is a row of values.
type seenPowerUp struct {
	ID   components.NetID
	Pos  components.Position
	Item PowerUp
}

// look copies what is visible. On a client that is its own player as predicted
// and all else as last confirmed.
func look(w *ecs.World) {
	c := resource[Crowd](w)
	c.players, c.powerUps = c.players[:0], c.powerUps[:0]
	for _, p := range ecs.All[seenPlayer](w) {
		c.players = append(c.players, p)
	}
	for _, p := range ecs.All[seenPowerUp](w) {
		c.powerUps = append(c.powerUps, p)
	}
	// Storage order differs between peers, and sums of floats with it.
	slices.SortFunc(c.players, func(a, b seenPlayer) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(c.powerUps, func(a, b seenPowerUp) int { return cmp.Compare(a.ID, b.ID) })
}

// pushed is a player whom others push.
type pushed struct {
	ID  *components.NetID
	Pos *components.Position
	_   ecs.With[Boost]
}

// push moves players who overlapped before the tick apart.
func push(w *ecs.World) {
	c, far := resource[Crowd](w), PushSpeed*w.Step()
	for _, e := range ecs.Each[pushed](w) {
		x, y := c.pressure(*e.ID)
		e.Pos.X += product(x, far)
		e.Pos.Y += product(y, far)
	}
}

// pressure is how all others together press on a player: away from each by the
// share of the width that they overlap, and never longer than 1. Of two players
// alone each gets exactly the opposite of the other's.
func (c *Crowd) pressure(id components.NetID) (x, y float32) {
	me := c.player(id)
	if me == nil {
		return 0, 0
	}
	for i := range c.players {
		o := &c.players[i]
		dx, dy := o.to(me)
		if o == me || abs(dx) >= Width || abs(dy) >= Width {
			continue
		}
		d := length(dx, dy)
		switch {
		case d >= Width:
			continue
		case d > 0:
			dx, dy = dx/d, dy/d
		case id < o.ID:
			dx = -1 // in one place: they part along X, in order
		default:
			dx = 1
		}
		share := (Width - d) / Width
		x += product(dx, share)
		y += product(dy, share)
	}
	if all := length(x, y); all > 1 {
		x, y = x/all, y/all
	}
	return x, y
}

// player finds a player's copy, or nil.
func (c *Crowd) player(id components.NetID) *seenPlayer {
	i, ok := slices.BinarySearchFunc(c.players, id, func(p seenPlayer, id components.NetID) int { return cmp.Compare(p.ID, id) })
	if !ok {
		return nil
	}
	return &c.players[i]
}

// to is the way from one player to another.
func (p *seenPlayer) to(o *seenPlayer) (dx, dy float32) {
	if p.Ride.On != 0 && p.Ride.On == o.Ride.On {
		return o.Ride.X - p.Ride.X, o.Ride.Y - p.Ride.Y
	}
	return o.Pos.X - p.Pos.X, o.Pos.Y - p.Pos.Y
}
