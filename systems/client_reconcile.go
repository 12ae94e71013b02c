package systems

import (
	"unsafe"

	"github.com/tactusgo/tactus/internal/reuse"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/reconcile"

	"github.com/tactusgo/tactus/ecs"
)

// Mismatch reports one component field that a client predicted wrongly.
type Mismatch = reconcile.Mismatch

// A reconciler keeps what is predicted in line with the server. What it goes by:
//
//   - A prediction is of an input: own state, and the header of a snapshot for co-simulated
//     entities, say what the server's world was after it consumed input s, and are compared
//     with what was predicted after s. Only inputs that have been applied are compared with.
//   - Settled is the input of the newest own state that was looked at, or that the results
//     agreed with. What inputs up to it spawned, despawned and raised is decided, so that no
//     replay begins before it.
//   - The confirmed input of an entity is the newest after which it was found to be as
//     predicted, or was made so; that of the client is the oldest of these, at most what the
//     server has consumed. Outcomes of inputs up to it are final: see client_proof.go.
//   - takeServerState says that the next own state is to be taken over without comparing, because
//     there is nothing to compare it with: an entity, or a component of one, is newly simulated
//     here, is simulated here no more although that was not foreseen, or did not die as was
//     foreseen; or inputs were left out. Until that state has come no input is confirmed. A
//     co-simulated entity has its own, which goes for its next state.
//
// What follows when something was wrong after an input s, in this order:
//
//  1. Causes count it and ClientConfig.OnMismatch is called, while the world still stands as
//     predicted.
//  2. What is drawn is noted (keepPoses), so that the view does not jump.
//  3. The world goes back: BeginReplay, which takes back what inputs after s spawned; events and
//     outcomes of inputs after s are withdrawn (rewind); the history restores s; what the server
//     said after s replaces it.
//  4. Inputs after s up to the newest applied are simulated again. Each is captured anew;
//     confirmed state of co-simulated entities takes its place where a replay comes by its
//     input.
//  5. EndReplay; what is drawn becomes a visual error (takeErrors), which fades.
//
// Inputs that are gathered and not applied yet, as under policy.ServerRewind with a delay,
// have no part in it.
type reconciler struct {
	confirm         confirmer
	settled         uint32
	takeServerState bool
	staleSince      uint32    // tick of the first own state older than the history
	reporter        *reported // nil: own state always comes
	pair            []int32   // two values in words
	causes          reconcile.Counter
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
	v := c.reconciler.confirm.next(c.predictor.applied)
	since := c.coSimulatedWrong(v)
	c.reconcileOwn(w, v)
	switch {
	case c.reconciler.co.wrong:
		c.replayAfter(w, max(since, c.reconciler.settled), v.own)
	case c.reconciler.co.lost && c.predictor.history.Has(c.consumed()):
		c.replayAfter(w, c.consumed(), v.own)
	case c.reconciler.co.lost, c.reconciler.takeServerState && !c.predictsOwn(): // own state tells of nothing
		c.rewind(c.predictor.applied + 1)
	}
	c.reconciler.co.lost, c.reconciler.takeServerState = false, c.reconciler.takeServerState && c.predictsOwn()
}

// reconcileOwn does so for own entities. Where the results agreed that goes for all of them,
// so that what was predicted to spawn and is not among them does not exist.
func (c *Client) reconcileOwn(w *ecs.World, v verdict) {
	if !c.stages.predicting {
		return
	}
	r := &c.reconciler
	switch {
	case v.input > c.predictor.applied:
		// The server went on without us, as after a stall: continue from there.
		c.predictor.jump(v.input)
		c.stats.Jumps++
		r.takeServerState = true
	case v.agreed && v.input > r.settled:
		w.Netcode().SettleInput(v.input)
		w.Netcode().RejectSpawns(v.input)
		c.confirmed(v.input)
		c.proveAllOwn(v.input)
	}
	if !v.fresh {
		return
	}
	r.settled = max(r.settled, v.own.Input)
	c.settleSpawns(w, v.own)
	switch {
	case r.takeServerState:
	case !c.predictor.history.Has(v.own.Input):
		if !c.stale(w, v.own) {
			return
		}
	case c.same(w, v):
		r.confirm.took(v.own)
		c.confirmed(v.own.Input)
		c.proveOwn(v.own)
		return
	default:
		c.stats.Corrections++
	}
	r.confirm.took(v.own)
	r.settled, r.staleSince, r.takeServerState = v.own.Input, 0, false
	c.proveOwn(v.own)
	c.replayAfter(w, v.own.Input, v.own)
}

// confirmed notes that predictions up to an input are right.
func (c *Client) confirmed(input uint32) {
	c.reconciler.staleSince = 0
	c.reconciler.settled = max(c.reconciler.settled, input)
	c.stats.Confirmed++
}

// stale counts an own state that is older than the history, and reports whether
// there were no others for so long that it has to do.
func (c *Client) stale(w *ecs.World, own mirror.OwnState) bool {
	c.stats.StaleStates++
	if c.reconciler.staleSince == 0 {
		c.reconciler.staleSince = own.Tick
	}
	return own.Tick-c.reconciler.staleSince >= uint32(w.TickRate())
}

// same reports whether own state is what was predicted, and tells what differs.
func (c *Client) same(w *ecs.World, v verdict) bool {
	if v.exact && c.exact(w, v.own) {
		return true
	}
	return c.agrees(w, v.own) && !v.exact
}

// agrees compares own state with what was predicted after the same input, and
// tells what differs.
func (c *Client) agrees(w *ecs.World, own mirror.OwnState) bool {
	same := true
	c.mirror.Own.Each(own.Send, func(v mirror.OwnValue) {
		id, comp, truth := v.ID, v.Component, v.Value
		e, ok := w.ByNetID(netID(id))
		if !ok {
			return
		}
		predicted := c.predictor.history.Value(own.Input, e, comp)
		if predicted == nil {
			return
		}
		if field := c.mismatch(comp, predicted, truth); field >= 0 {
			same = false
			c.mispredicted(Mismatch{Tick: own.Tick, Input: own.Input, NetID: netID(id)}, comp, field, predicted, truth)
		}
	})
	return same
}

// mispredicted counts what caused a correction, and tells the game. x says when and where.
func (c *Client) mispredicted(x Mismatch, comp *ecs.Component, field int, predicted, truth unsafe.Pointer) {
	var words []int32
	if c.protocol.Quantized() {
		words = c.reconciler.pair[:2*comp.Words] // by mismatch, which has just found it
	}
	c.reconciler.causes.Note(x.Tick, comp, predicted, truth, words, x.CoSimulated)
	if c.config.OnMismatch != nil {
		x.Component, x.Field = comp.Name, comp.Schema.Fields[field].Path
		x.Predicted, x.Truth = comp.Schema.Format(field, predicted), comp.Schema.Format(field, truth)
		c.config.OnMismatch(x)
	}
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

// replayAfter takes over what is confirmed to be after an input, and simulates those
// since.
func (c *Client) replayAfter(w *ecs.World, s uint32, own mirror.OwnState) {
	c.reconciler.co.wrong = false
	from := max(s+1, c.predictor.log.First)
	c.interpolator.Begin()
	w.Netcode().BeginReplay(from - 1)
	c.rewind(from)
	c.predictor.history.Restore(s)
	if s == own.Input {
		c.mirror.Own.Each(own.Send, func(v mirror.OwnValue) {
			if e, ok := w.ByNetID(netID(v.ID)); ok && c.simulates(e) {
				if dst := w.Netcode().Pointer(e, v.Component); dst != nil {
					v.Component.Schema.ReadRaw(v.Raw, dst)
				}
			}
		})
	}
	c.restoreCoSimulated(s, true)
	c.predictor.history.Capture(s)
	last := c.predictor.applied
	n := last + 1 - min(from, last+1) // it may have gone back behind its first
	c.stats.LongestReplay = max(c.stats.LongestReplay, uint64(n))
	for i := range n {
		c.simulate(w, from+i)
		c.stats.Resimulated++
		if c.restoreCoSimulated(from+i, false) {
			c.predictor.history.Capture(from + i)
		}
	}
	w.Netcode().EndReplay()
	c.interpolator.End()
}
