package systems

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// clientHost is what the mirror asks of prediction, scope, ownership and drawing when it
// places entities.
type clientHost Client

// Admits finds what this client foretold of an entity that a state tells of, and says
// whether it simulates it. An own entity that it spawns by an input that it has not come
// to has to wait.
func (h *clientHost) Admits(r *mirror.Replica, st *mirror.State, own bool, mask uint64) (simulated, ready bool) {
	c := (*Client)(h)
	if own && c.spawnsLater(r) {
		return false, false
	}
	c.match(r, st)
	return c.inScope(r, own, mask), true
}

// Shaped notes what there is no prediction to compare with, and withdraws what followed
// from entities that are simulated here no more.
func (h *clientHost) Shaped(r *mirror.Replica, x mirror.Change) {
	c := (*Client)(h)
	if x.State == nil { // unless its end was foreseen
		c.reconciler.takeServerState = c.reconciler.takeServerState || r.Predicted() && !c.world.Netcode().Suspended(r.Entity)
		c.lose(r)
		return
	}
	if x.Switched {
		c.interpolator.Reshaped(r)
	}
	if x.News {
		c.reconciler.takeServerState = c.reconciler.takeServerState || x.Own
		c.takeScope(r, x.Own)
	}
	if r.Predicted() && !x.Own {
		c.reconciler.takeServerState = true // what its inputs did there since is not so
	}
	if !x.Simulated {
		c.lose(r)
	}
	if x.Simulated && !x.Own {
		c.noteCoSimulated(r, x.State)
	}
}

// KeepsLocal asks whether what this client wrote stays.
func (h *clientHost) KeepsLocal(r *mirror.Replica, comp *ecs.Component, words []int32) bool {
	return h.owned.Keeps(r.ID, r.Entity, comp, words)
}

// Placed asks the game for the scope of an entity.
func (h *clientHost) Placed(r *mirror.Replica, own bool, mask uint64, simulated bool) (again bool) {
	c := (*Client)(h)
	return c.asks(r) && c.inScope(r, own, mask) != simulated
}

// Shows says whether the view has an entity.
func (h *clientHost) Shows(r *mirror.Replica) bool {
	return h.interpolator.Shows(r)
}
