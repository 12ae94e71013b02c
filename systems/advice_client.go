package systems

import (
	"bytes"
	"fmt"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
)

// adviser is what a client keeps that reports its results.
type adviser struct {
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
func (c *Client) hear(h *snapshotHeader) {
	a, tick := c.advice, c.incoming.tick
	if a == nil || tick <= a.tick {
		return
	}
	a.tick, a.input = tick, codec.Lift(h.input, max(a.input, c.log.newest))
	a.agreed, a.fresh = h.agreed, true
}

// heard is the newest server tick that is known of, and the last input that was
// consumed into it.
func (c *Client) heard() (tick, input uint32) {
	if c.advice != nil {
		return c.advice.tick, c.advice.input
	}
	return c.own.tick, c.own.input
}

// keptPrivate is what an entity keeps of what only its owner sees although own state
// does not tell of it: what is predicted, while there is nothing to correct.
func (c *Client) keptPrivate(r *replica) uint64 {
	if c.advice == nil || c.own.open || r == nil {
		return 0
	}
	return r.private & c.predicted
}

// settledInput is the last input whose prediction the server has confirmed.
func (c *Client) settledInput() uint32 {
	if c.advice != nil {
		return c.advice.settled
	}
	return c.own.input
}

// advise puts into a message what the newest input led to. A client that has to
// take over own state without comparing asks for it.
func (c *Client) advise(m *inputMessage) {
	a := c.advice
	if a == nil {
		return
	}
	m.advice.asks, m.advice.echo = c.adopt || !a.any, a.applied
	if m.advice.asks {
		return
	}
	a.results.list(c.world, c.id)
	if m.advice.asks = !a.results.write(c.world, &m.advice); !m.advice.asks {
		c.stats.AdviceBits += uint64(1 + echoBits + m.advice.bits)
	}
}

// reconcileAdvised is [Client.reconcile] where own state comes as a correction. A
// snapshot without one says whether the server had the same after the input that
// it names. That goes for all own entities, so that what was predicted to spawn and
// is not among them does not exist.
func (c *Client) reconcileAdvised(w *ecs.World) {
	a, own := c.advice, &c.own
	if a.fresh && c.predicting {
		switch {
		case a.input > c.log.newest:
			// The server went on without us, as after a stall: continue from there.
			c.log.jump(a.input)
			c.stats.Jumps++
			c.adopt = true
		case a.agreed && a.input > a.settled:
			w.SettleInput(a.input)
			w.Deny(a.input)
			c.confirmAdvised(a.input)
			c.proveAllOwn(a.input)
		}
	}
	a.fresh = false
	if !own.fresh || !c.predicting {
		return
	}
	if own.fresh = false; !own.open {
		return // it was for secrets
	}
	c.settleSpawns(w)
	news := !a.any || own.number != a.applied
	switch {
	case c.adopt:
	case !c.history.Has(own.input):
		if !c.stale(w) {
			return
		}
	case news && c.exact(w), !news && c.agrees(w):
		a.any, a.applied = true, own.number
		c.confirmAdvised(own.input)
		c.proveOwn()
		return
	default:
		if c.stats.Corrections++; news {
			c.agrees(w) // to report what differs
		}
	}
	a.any, a.applied, a.settled = true, own.number, own.input
	c.staleSince, c.adopt = 0, false
	c.replay(w)
}

// confirmAdvised notes that predictions up to an input are right.
func (c *Client) confirmAdvised(input uint32) {
	c.staleSince = 0
	c.advice.settled = max(c.advice.settled, input)
	c.stats.Confirmed++
}

// stale counts an own state that is older than the history, and reports whether
// there were no others for so long that it has to do.
func (c *Client) stale(w *ecs.World) bool {
	c.stats.StaleStates++
	if c.staleSince == 0 {
		c.staleSince = c.own.tick
	}
	return c.own.tick-c.staleSince >= uint32(w.TickRate())
}

// exact reports whether own state is what was predicted, bit by bit: then there is
// nothing to restore. A result is coarser than that, so where it differed, while
// the prediction is within tolerance, own state has to be taken over all the same.
func (c *Client) exact(w *ecs.World) bool {
	same := true
	c.eachOwn(func(id uint32, comp *ecs.Component, raw []byte) {
		e, ok := w.ByNetID(netID(id))
		if !ok || c.predicted>>comp.Replicated()&1 == 0 {
			return
		}
		predicted := c.history.Value(c.own.input, e, comp)
		if predicted == nil {
			same = false
			return
		}
		c.advice.results.raw = comp.Schema.AppendRaw(c.advice.results.raw[:0], predicted)
		same = same && bytes.Equal(c.advice.results.raw, raw)
	})
	return same
}

// advisedDiffers compares what was predicted after the newest input that is known
// to be consumed with what was captured of it, in words.
func (c *Client) advisedDiffers(e ecs.Entity, comp *ecs.Component, words []int32) error {
	if c.advice.tick != c.newestTick {
		return fmt.Errorf("%s: the newest snapshot is of tick %d, not %d", comp.Name, c.newestTick, c.advice.tick)
	}
	predicted := c.history.Value(c.advice.input, e, comp)
	if predicted == nil {
		predicted = c.world.Pointer(e, comp)
	}
	truth := c.scratchFor(comp)
	comp.Schema.Dequantize(truth, words, comp.Words, 1)
	field := comp.Schema.Compare(predicted, truth)
	if field < 0 {
		return nil
	}
	// A half step is lost by quantizing; as the server sees it both have lost it.
	a := c.advice.results
	a.words, a.a = resize(a.words, comp.Words), resize(a.a, int(comp.Schema.Size+7)/8)
	comp.Schema.Quantize(a.words, comp.Words, predicted, 1)
	comp.Schema.Dequantize(unsafe.Pointer(&a.a[0]), a.words, comp.Words, 1)
	if comp.Schema.Compare(unsafe.Pointer(&a.a[0]), truth) < 0 {
		return nil
	}
	return fmt.Errorf("%s.%s after input %d: %s on the client, %s on the server", comp.Name, comp.Schema.Fields[field].Path,
		c.advice.input, comp.Schema.Format(field, predicted), comp.Schema.Format(field, truth))
}
