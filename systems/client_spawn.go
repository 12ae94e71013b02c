package systems

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// match finds what this client foretold of an entity that a snapshot tells of. A
// spawn that it predicted becomes the entity, under the same handle; a despawn
// that it predicted is undone when the snapshot is not older than the input which
// it followed from, because then the server did not despawn.
func (c *Client) match(r *mirror.Replica, st *mirror.State) {
	if !c.stages.predicting {
		return
	}
	if r.Entity.IsZero() {
		if key, ok := c.mirror.Own.SpawnKey(c.protocol, r.ID); ok && key.Owner == c.link.id {
			r.Entity, _ = c.world.Netcode().Confirm(key, netID(r.ID))
		}
	}
	if input, ok := c.proves(r, st); ok && c.world.Netcode().Revive(netID(r.ID), input) {
		if c.reconciler.records.Of(r).takeServerState = r.CoSimulated(); !r.CoSimulated() {
			c.reconciler.takeServerState = true
		}
	}
}

// spawnsLater reports whether an own entity that is new here is one that this client spawns by
// an input that it has not come to.
func (c *Client) spawnsLater(r *mirror.Replica) bool {
	if !r.Entity.IsZero() || !c.model.stamped {
		return false
	}
	key, ok := c.mirror.Own.SpawnKey(c.protocol, r.ID)
	return ok && key.Owner == c.link.id && key.Input > c.model.numbering.Applied()
}

// settleSpawns tells the world what own state proves of predicted
// spawns. Own state names all of the client's entities, so when it knows each of
// them there is none that a spawn could become. Where own state took several
// packets and one was lost that is a mistake, which confirmation undoes.
func (c *Client) settleSpawns(w *ecs.World, own mirror.OwnState) {
	w.Netcode().SettleInput(own.Input)
	unknown := !c.mirror.Own.Whole(own.Send)
	c.mirror.Own.Each(own.Send, func(v mirror.OwnValue) {
		_, known := w.ByNetID(netID(v.ID))
		unknown = unknown || !known
	})
	if !unknown {
		w.Netcode().RejectSpawns(own.Input)
	}
}
