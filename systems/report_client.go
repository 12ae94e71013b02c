package systems

import (
	"bytes"
	"fmt"
	"unsafe"

	"github.com/tactusgo/tactus/internal/reuse"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// reporter is what a client keeps that reports its results.
type reporter struct {
	results *resultCoder

	// what the newest snapshot said, whether it had own state or not
	tick, input uint32
	agreed      bool // the result after that input agrees with the server
	fresh       bool // newer than what Reconcile has seen

	settled uint32 // input up to which predictions are right
	any     bool   // a correction was carried out
	applied uint8  // its number
}

// hear takes in what a snapshot says besides state.
func (c *Client) hear(h *wire.SnapshotHeader) {
	a, tick := c.reconciler.reporter, c.decode.incoming.tick
	if a == nil || tick <= a.tick {
		return
	}
	a.tick, a.input = tick, codec.Lift(h.Input, max(a.input, c.predictor.log.newest))
	a.agreed, a.fresh = h.Agreed, true
}

// heard is the newest server tick that is known of, and the last input that was
// consumed into it.
func (c *Client) heard() (tick, input uint32) {
	if c.reconciler.reporter != nil {
		return c.reconciler.reporter.tick, c.reconciler.reporter.input
	}
	return c.own.state.tick, c.own.state.input
}

// keptPrivate is what an entity keeps of what only its owner sees although own state
// does not tell of it: what is predicted, while there is nothing to correct.
func (c *Client) keptPrivate(r *mirror.Replica) uint64 {
	if c.reconciler.reporter == nil || c.own.state.open || r == nil {
		return 0
	}
	return r.Private & c.shape.predicted
}

// settledInput is the last input whose prediction the server has confirmed.
func (c *Client) settledInput() uint32 {
	if c.reconciler.reporter != nil {
		return c.reconciler.reporter.settled
	}
	return c.own.state.input
}

// writeReport puts into a message what the newest input led to. A client that has to
// take over own state without comparing asks for it.
func (c *Client) writeReport(m *wire.Input) {
	a := c.reconciler.reporter
	if a == nil {
		return
	}
	m.Report.Asks, m.Report.Echo = c.reconciler.takeServerState || !a.any, a.applied
	if m.Report.Asks {
		return
	}
	a.results.list(c.world, c.link.id)
	if m.Report.Asks = !a.results.write(c.world, &m.Report); !m.Report.Asks {
		c.stats.ReportBits += uint64(1 + wire.EchoBits + m.Report.Bits)
	}
}

// reconcileReported is [Client.reconcile] where own state comes as a correction. A
// snapshot without one says whether the server had the same after the input that
// it names. That goes for all own entities, so that what was predicted to spawn and
// is not among them does not exist.
func (c *Client) reconcileReported(w *ecs.World) {
	a, own := c.reconciler.reporter, &c.own.state
	if a.fresh && c.stages.predicting {
		switch {
		case a.input > c.predictor.log.newest:
			// The server went on without us, as after a stall: continue from there.
			c.predictor.log.jump(a.input)
			c.stats.Jumps++
			c.reconciler.takeServerState = true
		case a.agreed && a.input > a.settled:
			w.Netcode().SettleInput(a.input)
			w.Netcode().RejectSpawns(a.input)
			c.confirmReported(a.input)
			c.proveAllOwn(a.input)
		}
	}
	a.fresh = false
	if !own.fresh || !c.stages.predicting {
		return
	}
	if own.fresh = false; !own.open {
		return // it was for secrets
	}
	c.settleSpawns(w)
	news := !a.any || own.number != a.applied
	switch {
	case c.reconciler.takeServerState:
	case !c.predictor.history.Has(own.input):
		if !c.stale(w) {
			return
		}
	case news && c.exact(w), !news && c.agrees(w):
		a.any, a.applied = true, own.number
		c.confirmReported(own.input)
		c.proveOwn()
		return
	default:
		if c.stats.Corrections++; news {
			c.agrees(w) // to report what differs
		}
	}
	a.any, a.applied, a.settled = true, own.number, own.input
	c.reconciler.staleSince, c.reconciler.takeServerState = 0, false
	c.replay(w)
}

// confirmReported notes that predictions up to an input are right.
func (c *Client) confirmReported(input uint32) {
	c.reconciler.staleSince = 0
	c.reconciler.reporter.settled = max(c.reconciler.reporter.settled, input)
	c.stats.Confirmed++
}

// stale counts an own state that is older than the history, and reports whether
// there were no others for so long that it has to do.
func (c *Client) stale(w *ecs.World) bool {
	c.stats.StaleStates++
	if c.reconciler.staleSince == 0 {
		c.reconciler.staleSince = c.own.state.tick
	}
	return c.own.state.tick-c.reconciler.staleSince >= uint32(w.TickRate())
}

// exact reports whether own state is what was predicted, bit by bit: then there is
// nothing to restore. A result is coarser than that, so where it differed, while
// the prediction is within tolerance, own state has to be taken over all the same.
func (c *Client) exact(w *ecs.World) bool {
	same := true
	c.eachOwn(func(id uint32, comp *ecs.Component, raw []byte) {
		e, ok := w.ByNetID(netID(id))
		if !ok || c.shape.predicted>>comp.Replicated()&1 == 0 {
			return
		}
		predicted := c.predictor.history.Value(c.own.state.input, e, comp)
		if predicted == nil {
			same = false
			return
		}
		c.reconciler.reporter.results.raw = comp.Schema.AppendRaw(c.reconciler.reporter.results.raw[:0], predicted)
		same = same && bytes.Equal(c.reconciler.reporter.results.raw, raw)
	})
	return same
}

// reportedDiffers compares what was predicted after the newest input that is known
// to be consumed with what was captured of it, in words.
func (c *Client) reportedDiffers(e ecs.Entity, comp *ecs.Component, words []int32) error {
	if c.reconciler.reporter.tick != c.mirror.newestTick {
		return fmt.Errorf("%s: the newest snapshot is of tick %d, not %d", comp.Name, c.mirror.newestTick, c.reconciler.reporter.tick)
	}
	predicted := c.predictor.history.Value(c.reconciler.reporter.input, e, comp)
	if predicted == nil {
		predicted = c.world.Netcode().Pointer(e, comp)
	}
	truth := c.scratchFor(comp)
	comp.Schema.Dequantize(truth, words, comp.Words, 1)
	field := comp.Schema.Compare(predicted, truth)
	if field < 0 {
		return nil
	}
	// A half step is lost by quantizing; as the server sees it both have lost it.
	a := c.reconciler.reporter.results
	a.words, a.a = reuse.Slice(a.words, comp.Words), reuse.Slice(a.a, int(comp.Schema.Size+7)/8)
	comp.Schema.Quantize(a.words, comp.Words, predicted, 1)
	comp.Schema.Dequantize(unsafe.Pointer(&a.a[0]), a.words, comp.Words, 1)
	if comp.Schema.Compare(unsafe.Pointer(&a.a[0]), truth) < 0 {
		return nil
	}
	return fmt.Errorf("%s.%s after input %d: %s on the client, %s on the server", comp.Name, comp.Schema.Fields[field].Path,
		c.reconciler.reporter.input, comp.Schema.Format(field, predicted), comp.Schema.Format(field, truth))
}
