package systems

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// clientHost is what the mirror asks of prediction, scope, ownership and drawing when it
// places entities.
type clientHost Client

// Admits finds what this client foretold of an entity that a state tells of, and says
// whether it simulates it. An own entity that it spawns by an input that it has not come
// to has to wait.
func (h *clientHost) Admits(r *mirror.Replica, st *mirror.State, own bool, mask uint64) (simulated, ready bool) {
	c := (*Client)(h)
	if own && c.predictor.Spawns().Later(r) {
		return false, false
	}
	if c.predictor.Spawns().Match(r, st) {
		c.reconciler.Revived(r)
	}
	return c.predictor.Scope.Has(r, own, mask), true
}

// Shaped tells drawing and reconciliation.
func (h *clientHost) Shaped(r *mirror.Replica, x mirror.Change) {
	if x.State != nil && x.Switched {
		h.interpolator.Reshaped(r)
	}
	h.reconciler.Shaped(r, x)
}

// KeepsLocal asks whether what this client wrote stays.
func (h *clientHost) KeepsLocal(r *mirror.Replica, comp *ecs.Component, words []int32) bool {
	return h.owned.Keeps(r.ID, r.Entity, comp, words)
}

// Placed asks the game for the scope of an entity.
func (h *clientHost) Placed(r *mirror.Replica, own bool, mask uint64, simulated bool) (again bool) {
	c := (*Client)(h)
	return c.predictor.Scope.Ask(r) && c.predictor.Scope.Has(r, own, mask) != simulated
}

// Shows says whether the view has an entity.
func (h *clientHost) Shows(r *mirror.Replica) bool {
	return h.interpolator.Shows(r)
}

// fill puts into a message of inputs what the server has to hear besides.
func (c *Client) fill(m *wire.Input) {
	m.Epoch = c.mirror.Epoch()
	m.Shift = c.steps.steering.Done()
	c.reconciler.Report(m)
}

// beginPartial lets the world stand, while a frame is drawn, where it will be when what has
// passed of the time to the next tick is simulated with the input of this moment: a partial
// tick, as Netcode for Entities calls it. It is the tick that comes, in a smaller step. The
// world is given back as it was, so that nothing but the view tells of it, and a visual
// error, which is measured between whole ticks, has no part of it. It returns how much of the
// tick that is, 0 where nothing of it is drawn.
func (c *Client) beginPartial() (share float64) {
	if c.config.Partial.fill == nil || !c.stages.predicting {
		return 0
	}
	tick, input, share := c.model.numbering.Coming()
	if share <= 0 {
		return 0
	}
	c.world.Netcode().BeginPartial(tick, c.link.id, input, share)
	c.model.numbering.Foresee(input)
	c.world.Netcode().SimulateStage().Run(c.world)
	return share
}
