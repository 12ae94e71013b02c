package systems

import (
	"errors"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/clock"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// snapshotListener takes in snapshots.
type snapshotListener struct{ c *Client }

// Receive takes in a snapshot. That a baseline is missing is nobody's fault.
func (l snapshotListener) Receive(pk netsys.Packet) error {
	err := l.c.takeSnapshot(pk.At, pk.Data)
	if errors.Is(err, codec.ErrBaseline) {
		return nil
	}
	return err
}

// Message takes in none: states travel in datagrams.
func (l snapshotListener) Message(int, []byte) (bool, error) { return false, nil }

// Acked notes up to which input the server has all.
func (l snapshotListener) Acked(seq uint16) { l.c.inputs.sender.Acked(seq) }

// Confirm brings the newest confirmed state into the world, and events up to its tick to
// their handlers.
func (l snapshotListener) Confirm() {
	c := l.c
	c.interpolator.Clock().Settle(c.steps.now)
	if c.mirror.Place() {
		c.reconciler.Untold()
	}
	c.predictor.Scope.List()
	if _, loaded := c.mirror.Loaded(); loaded && c.config.Events != nil {
		c.config.Events.Deliver(c.mirror.Newest.Tick)
	}
}

// sequence numbers inputs from one tick to the next, whichever tick of the server consumes
// them.
type sequence struct{ c *Client }

// Applied is the input gathered last, which is predicted at once.
func (n sequence) Applied() uint32 { return n.c.predictor.Due() }

// Coming is the tick of the input that will be gathered next.
func (n sequence) Coming() (tick, input uint32, share float64) {
	input = n.c.predictor.Applied() + 1
	return n.c.predictor.Numbering.TickOf(input), input, n.c.steps.loop.Passed(n.c.steps.now)
}

// Foresee gives what the game says now.
func (n sequence) Foresee(input uint32) { n.c.predictor.Give(n.c.inputs.At(input)) }

// steered runs a little fast or slow, as the server asks.
type steered struct{ *clock.Steering }

// BeforeReceive is none: all ticks are predicted on what was received.
func (steered) BeforeReceive(int) int { return 0 }

// More is false: whoever is behind runs a little fast.
func (steered) More(int) bool { return false }

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
func (h *clientHost) Shows(r *mirror.Replica) bool { return h.interpolator.Shows(r) }
