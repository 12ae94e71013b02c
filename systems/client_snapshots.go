package systems

import (
	"errors"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/clock"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// snapshotListener receives snapshots.
type snapshotListener struct {
	c   *Client
	has func(components.NetID, uint32) bool // see [mirror.Mirror.Has]
}

// Receive processes a snapshot. A missing baseline is not an error.
func (l snapshotListener) Receive(pk netsys.Packet) error {
	err := l.c.receiveSnapshot(pk.At, pk.Data)
	if errors.Is(err, codec.ErrBaseline) {
		return nil
	}
	return err
}

// Message accepts no message: states arrive in datagrams.
func (l snapshotListener) Message(int, []byte) (bool, error) { return false, nil }

// Acked records which inputs the server has.
func (l snapshotListener) Acked(seq uint16) { l.c.inputs.sender.Acked(seq) }

// Confirm places the newest confirmed states into the world, and delivers events up to its tick.
func (l snapshotListener) Confirm() {
	c := l.c
	c.interpolator.Clock().ProcessArrivals(c.steps.now)
	if c.mirror.Place() {
		c.reconciler.MarkUnpredicted()
	}
	c.predictor.Scope.List()
	if _, loaded := c.mirror.Loaded(); loaded && c.config.Events != nil {
		c.config.Events.Deliver(c.mirror.Newest.Tick, l.has)
	}
}

// sequence numbers inputs consecutively, whichever server tick consumes them.
type sequence struct{ c *Client }

// Applied returns the newest gathered input, which is predicted at once.
func (n sequence) Applied() uint32 { return n.c.predictor.Due() }

// Gathering returns the input's number in the log.
func (n sequence) Gathering() uint32 { return n.c.inputs.Number() }

// Coming returns the tick of the next input.
func (n sequence) Coming() (tick, input uint32, share float64) {
	input = n.c.predictor.Applied() + 1
	return n.c.predictor.Numbering.TickOf(input), input, n.c.steps.loop.Passed(n.c.steps.now)
}

// Foresee sets the current input of the game.
func (n sequence) Foresee(input uint32) { n.c.predictor.Give(n.c.inputs.At(input)) }

// steered runs slightly fast or slow as the server requests.
type steered struct{ *clock.Steering }

// BeforeReceive returns 0: all ticks are predicted after receiving.
func (steered) BeforeReceive(int) int { return 0 }

// More returns false: a client that is behind runs slightly fast.
func (steered) More(int) bool { return false }

// clientHost connects the mirror with prediction, scope and drawing when it places entities.
type clientHost Client

// Admits matches an entity with predicted spawns and despawns, and reports whether the client simulates it. An own
// entity that a future input spawns has to wait.
func (h *clientHost) Admits(r *mirror.Replica, st *mirror.State, own bool, mask uint64) (simulated, ready bool) {
	c := (*Client)(h)
	if own && c.predictor.Spawns().IsFuture(r) {
		return false, false
	}
	simulated = c.predictor.Scope.Has(r, own, mask)
	revived, stale := c.predictor.Spawns().Match(r, st, own, simulated)
	if revived {
		c.reconciler.Revived(r)
	}
	return simulated, !stale
}

// Shaped notifies drawing and reconciliation.
func (h *clientHost) Shaped(r *mirror.Replica, x mirror.Change) {
	if x.State != nil {
		h.interpolator.Reshaped(r, x.Switched)
	}
	h.reconciler.Shaped(r, x)
}

// Replaced removes the entity from the view.
func (h *clientHost) Replaced(r *mirror.Replica) { h.interpolator.Hide(r) }

// Placed asks the game for the scope of an entity.
func (h *clientHost) Placed(r *mirror.Replica, own bool, mask uint64, simulated bool) (again bool) {
	c := (*Client)(h)
	return c.predictor.Scope.Ask(r) && c.predictor.Scope.Has(r, own, mask) != simulated
}

// Shows reports whether the view has an entity.
func (h *clientHost) Shows(r *mirror.Replica) bool { return h.interpolator.Shows(r) }
