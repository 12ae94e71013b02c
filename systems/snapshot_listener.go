package systems

import (
	"errors"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/clock"
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
	c.reconciler.takeServerState = c.mirror.Place() || c.reconciler.takeServerState
	c.listCoSimulated()
	if _, loaded := c.mirror.Loaded(); loaded && c.config.Events != nil {
		c.config.Events.Deliver(c.mirror.Newest.Tick)
	}
}

// sequence numbers inputs from one tick to the next, whichever tick of the server consumes
// them.
type sequence struct{ c *Client }

// TickOf is the confirmed tick plus the inputs since (rule A8). With co-simulated entities,
// which follow the tick, it is that of the newest snapshot, whatever that told of.
func (n sequence) TickOf(seq uint32) uint32 {
	c := n.c
	tick, input := c.heard()
	if x := &c.reconciler.co.inputs.newest; c.reconciler.co.any {
		tick, input = x.tick, x.input
	}
	if tick == 0 {
		return c.mirror.Newest.Tick
	}
	return uint32(int64(tick) + int64(seq) - int64(input) - 1)
}

// InputOf is the input that the header of a snapshot says.
func (n sequence) InputOf(low uint16, _ uint32) uint32 {
	_, input := n.c.heard()
	return codec.Lift(low, max(input, n.c.predictor.log.Newest))
}

// Applied is the input gathered last, which is predicted at once.
func (n sequence) Applied() uint32 { return n.c.predictor.log.Newest }

// Coming is the tick of the input that will be gathered next.
func (n sequence) Coming() (tick, input uint32, share float64) {
	input = n.c.predictor.log.Newest + 1
	return n.TickOf(input), input, n.c.steps.loop.Passed(n.c.steps.now)
}

// Foresee gives what the game says now.
func (n sequence) Foresee(input uint32) { n.c.give(n.c.inputs.At(n.c.world, input)) }

// steered runs a little fast or slow, as the server asks.
type steered struct{ *clock.Steering }

// BeforeReceive is none: all ticks are predicted on what was received.
func (steered) BeforeReceive(int) int { return 0 }

// More is false: whoever is behind runs a little fast.
func (steered) More(int) bool { return false }
