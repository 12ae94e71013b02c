package game

import (
	"cmp"
	"slices"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// PushSpeed is the maximum speed at which other players push a player, in units per second.
const PushSpeed = 70

// Crowd is a resource: copies of all players and power-ups in order of NetID. The system "look" makes them before the tick.
// Interactions read the copies and write the entities, so results do not depend on the order of players. A client knows
// other players only as they were after a complete tick, too.
type Crowd struct {
	players  []seenPlayer
	powerUps []seenPowerUp
}

// seenPlayer is a row of values: the visible state of a player.
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

// look copies the visible state. On a client, this is its own player as predicted and everything else as confirmed.
func look(w *ecs.World) {
	c := resource[Crowd](w)
	c.players, c.powerUps = c.players[:0], c.powerUps[:0]
	for _, p := range ecs.All[seenPlayer](w) {
		c.players = append(c.players, p)
	}
	for _, p := range ecs.All[seenPowerUp](w) {
		c.powerUps = append(c.powerUps, p)
	}
	// Sort, because storage order differs between peers, and sums of floats depend on it.
	slices.SortFunc(c.players, func(a, b seenPlayer) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(c.powerUps, func(a, b seenPowerUp) int { return cmp.Compare(a.ID, b.ID) })
}

// pushed is a player who is pushed by others.
type pushed struct {
	ID  *components.NetID
	Pos *components.Position
	_   ecs.With[Boost]
}

// push separates players who overlapped before the tick.
func push(w *ecs.World) {
	c, far := resource[Crowd](w), PushSpeed*w.Step()
	for _, e := range ecs.Each[pushed](w) {
		x, y := c.pressure(*e.ID)
		e.Pos.X += product(x, far)
		e.Pos.Y += product(y, far)
	}
}

// pressure returns the combined push of all other players on a player: away from each, in proportion to the overlap, with a
// length of at most 1. Two players alone get exactly opposite pushes.
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

// player returns the copy of a player, or nil.
func (c *Crowd) player(id components.NetID) *seenPlayer {
	i, ok := slices.BinarySearchFunc(c.players, id, func(p seenPlayer, id components.NetID) int { return cmp.Compare(p.ID, id) })
	if !ok {
		return nil
	}
	return &c.players[i]
}

// to returns the vector from one player to another.
func (p *seenPlayer) to(o *seenPlayer) (dx, dy float32) {
	if p.Ride.On != 0 && p.Ride.On == o.Ride.On {
		return o.Ride.X - p.Ride.X, o.Ride.Y - p.Ride.Y
	}
	return o.Pos.X - p.Pos.X, o.Pos.Y - p.Pos.Y
}
