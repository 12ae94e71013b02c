package game

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Reach is the distance from a player's middle at which a power-up is taken, in units.
const Reach = Width / 2

// Times of power-ups, in seconds.
const (
	BoostTime = 3 // a boost lasts
	RestTime  = 5 // from taking one until the same player may take another
	BackTime  = 8 // from being taken until it is back
)

// wearer is a player with a boost.
type wearer struct{ Boost *Boost }

// wear counts boosts down, in the player's own steps instead of ticks. In a tick in which the server holds a player back,
// nothing runs down, and the client's prediction stays right.
func wear(w *ecs.World) {
	for _, e := range ecs.Each[wearer](w) {
		if e.Boost.Left > 0 {
			e.Boost.Left--
		}
		if e.Boost.Rest > 0 {
			e.Boost.Rest--
		}
	}
}

// taker is a player who may take a power-up.
type taker struct {
	ID    *components.NetID
	Pos   *components.Position
	Boost *Boost
}

// take gives power-ups to the players who touch them. If several players touch one in the same tick, the first gets it, so
// all peers iterate by NetID. take writes only the player's own state, which a client may predict. The server changes the
// power-up in "grant". Until the client learns of this, the player's claim and pause prevent taking the same round again.
func take(w *ecs.World) {
	c, now := resource[Crowd](w), w.Tick()
	for _, e := range ecs.EachInOrder[taker](w) {
		if e.Boost.Rest > 0 {
			continue
		}
		for i := range c.powerUps {
			p := &c.powerUps[i]
			if p.Item.ReadyAt > now || length(p.Pos.X-e.Pos.X, p.Pos.Y-e.Pos.Y) > Reach || c.claimed(p) {
				continue
			}
			*e.Boost = Boost{
				Left: steps(w, BoostTime),
				Rest: steps(w, RestTime),
				Of:   p.ID, Round: p.Item.Round,
			}
			if me := c.player(*e.ID); me != nil {
				me.Boost = *e.Boost // for the players that this tick handles later
			}
			break
		}
	}
}

// steps converts seconds to steps.
func steps(w *ecs.World, seconds int) uint16 { return uint16(seconds * w.TickRate()) }

// claimed reports whether a player has claimed the current round of a power-up.
func (c *Crowd) claimed(p *seenPowerUp) bool {
	for i := range c.players {
		if b := &c.players[i].Boost; b.Of == p.ID && b.Round == p.Item.Round {
			return true
		}
	}
	return false
}

// claimant is a player with a claim, and the points for it.
type claimant struct {
	Owner *components.Owner
	Boost *Boost
	Score *Score
}

// grant is an Authority system that confirms claims. Each round is granted once, to one player, in whatever order claims
// arrive and however many steps a tick has.
func grant(w *ecs.World) {
	for _, e := range ecs.Each[claimant](w) {
		item, ok := w.ByNetID(e.Boost.Of)
		if !ok {
			continue
		}
		p := ecs.Get[PowerUp](w, item)
		if p == nil || p.Round != e.Boost.Round {
			continue
		}
		p.Round++
		p.ReadyAt = w.Tick() + uint32(steps(w, BackTime))
		p.By = e.Owner.Client
		e.Score.Points++
	}
}
