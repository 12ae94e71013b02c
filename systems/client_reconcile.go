package systems

import (
	"unsafe"

	"github.com/tactusgo/tactus/internal/reuse"
	"github.com/tactusgo/tactus/systems/internal/mirror"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// Mismatch reports one component field that a client predicted wrongly.
type Mismatch struct {
	Tick             uint32 // server tick of the state that disagreed
	Input            uint32 // input sequence after which it was compared
	NetID            components.NetID
	Component, Field string
	Predicted, Truth string // the two values as text
	CoSimulated      bool   // it is not the client's own: see Scope
}

// reconciler is how far predictions are settled, and what was wrong with them.
type reconciler struct {
	takeServerState bool      // take over the next own state without comparing
	staleSince      uint32    // tick of the first own state older than the history
	reporter        *reporter // nil: own state always comes
	pair            []int32   // two values in words
	blame           blame
	co              coSimulated
	records         mirror.Records[reconciled]
}

// reconciled is what is known of how an entity was predicted.
type reconciled struct {
	confirmedInput uint32 // newest input after which the server had it as predicted here

	// where it is co-simulated:
	confirmed       uint32 // send of the newest state
	unseen          bool   // by Reconcile
	takeServerState bool   // take that over without comparing
	wrong           bool   // was predicted wrongly, to be replayed
}

// reconcile is the system Reconcile. The newest own state says what the
// server's world was after it consumed input s. Where that is what this client
// predicted after s, the prediction stands; where it is not, the client takes
// the server's state and simulates the inputs since s again. Co-simulated entities are
// compared likewise; one replay does for all.
func (c *Client) reconcile(w *ecs.World) {
	since := c.coSimulatedWrong()
	if c.reconciler.reporter != nil {
		c.reconcileReported(w)
	} else {
		c.reconcileOwn(w)
	}
	switch {
	case c.reconciler.co.wrong:
		c.replayAfter(w, max(since, c.settledInput()))
	case c.reconciler.co.lost && c.predictor.history.Has(c.consumed()):
		c.replayAfter(w, c.consumed())
	case c.reconciler.co.lost, c.reconciler.takeServerState && !c.predictsOwn(): // own state tells of nothing
		c.rewind(c.predictor.log.newest + 1)
	}
	c.reconciler.co.lost, c.reconciler.takeServerState = false, c.reconciler.takeServerState && c.predictsOwn()
}

// reconcileOwn does so for own entities, where own state came.
func (c *Client) reconcileOwn(w *ecs.World) {
	own := &c.own.state
	if !own.fresh {
		return
	}
	own.fresh = false
	if !c.stages.predicting {
		return
	}
	c.settleSpawns(w)
	switch {
	case own.input > c.predictor.log.newest:
		// The server went on without us, as after a stall: continue from there.
		c.predictor.log.jump(own.input)
		c.stats.Jumps++
	case c.reconciler.takeServerState:
	case !c.predictor.history.Has(own.input):
		c.stats.StaleStates++
		if c.reconciler.staleSince == 0 {
			c.reconciler.staleSince = own.tick
		}
		if own.tick-c.reconciler.staleSince < uint32(w.TickRate()) {
			return
		}
	default:
		c.reconciler.staleSince = 0
		if c.agrees(w) {
			c.stats.Confirmed++
			c.proveOwn()
			return
		}
		c.stats.Corrections++
	}
	c.reconciler.staleSince, c.reconciler.takeServerState = 0, false
	c.replay(w)
}

// agrees compares own state with what was predicted after the same input, and
// reports what differs.
func (c *Client) agrees(w *ecs.World) bool {
	same := true
	c.eachOwn(func(id uint32, comp *ecs.Component, _ []byte) {
		e, ok := w.ByNetID(netID(id))
		if !ok {
			return
		}
		truth := unsafe.Pointer(&c.scratch[0])
		predicted := c.predictor.history.Value(c.own.state.input, e, comp)
		if predicted == nil {
			return
		}
		field := c.mismatch(comp, predicted, truth)
		if field < 0 {
			return
		}
		same = false
		c.blames(c.own.state.tick, comp, predicted, truth, false)
		if c.config.OnMismatch != nil {
			c.config.OnMismatch(Mismatch{
				Tick:      c.own.state.tick,
				Input:     c.own.state.input,
				NetID:     netID(id),
				Component: comp.Name,
				Field:     comp.Schema.Fields[field].Path,
				Predicted: comp.Schema.Format(field, predicted),
				Truth:     comp.Schema.Format(field, truth),
			})
		}
	})
	return same
}

// mismatch is the first field of a component beyond its tolerance, or, where
// both sides quantize every step, the first that is not the same; -1 for none.
func (c *Client) mismatch(comp *ecs.Component, predicted, truth unsafe.Pointer) int {
	if !c.protocol.Quantized() {
		return comp.Schema.Compare(predicted, truth)
	}
	n := comp.Words
	c.reconciler.pair = reuse.Slice(c.reconciler.pair, 2*n)
	comp.Schema.Quantize(c.reconciler.pair[:n], n, predicted, 1)
	comp.Schema.Quantize(c.reconciler.pair[n:], n, truth, 1)
	for k := range n {
		if c.reconciler.pair[k] != c.reconciler.pair[n+k] {
			return fieldAt(comp, k)
		}
	}
	return -1
}

// replay takes over own state and simulates the inputs since.
func (c *Client) replay(w *ecs.World) {
	c.proveOwn()
	c.replayAfter(w, c.own.state.input)
}

// replayAfter takes over what is confirmed to be after an input, and simulates those
// since.
func (c *Client) replayAfter(w *ecs.World, s uint32) {
	c.reconciler.co.wrong = false
	from := max(s+1, c.predictor.log.first)
	c.keepPoses()
	w.Netcode().BeginReplay(from - 1)
	c.rewind(from)
	c.predictor.history.Restore(s)
	if s == c.own.state.input {
		c.eachOwn(func(id uint32, comp *ecs.Component, raw []byte) {
			if e, ok := w.ByNetID(netID(id)); ok && c.simulates(e) {
				if dst := w.Netcode().Pointer(e, comp); dst != nil {
					comp.Schema.ReadRaw(raw, dst)
				}
			}
		})
	}
	c.restoreCoSimulated(s, true)
	c.predictor.history.Capture(s)
	n := c.predictor.log.newest + 1 - min(from, c.predictor.log.newest+1) // it may have gone back behind its first
	c.stats.LongestReplay = max(c.stats.LongestReplay, uint64(n))
	for i := range n {
		c.simulate(w, from+i)
		c.stats.Resimulated++
		if c.restoreCoSimulated(from+i, false) {
			c.predictor.history.Capture(from + i)
		}
	}
	w.Netcode().EndReplay()
	c.takeErrors()
}
