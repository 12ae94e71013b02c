package systems

import (
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/reuse"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// A co-simulated entity is reconciled like an own one. Snapshots tell its state, as
// everybody gets it, and in their header which input of this client the server had
// consumed into that: so it is compared with what was predicted after the same input,
// and where a replay passes that input the confirmed state takes the place of the
// predicted one.
//
// What holds: no replay begins before the input of the newest own state, because what
// inputs up to there spawned, despawned and raised is settled. A state that came later,
// and is older than that, counts from there on.

// consumed is what the header of a snapshot said: the last input of this client in the
// state of a tick.
type consumed struct{ send, tick, input uint32 }

// consumptions are the headers of the snapshots that came, as many as there are states.
type consumptions struct {
	newest consumed
	ring   [mirror.MaxStates]consumed // by send
}

func (h *consumptions) put(x consumed) {
	h.ring[x.send%mirror.MaxStates] = x
	if x.send > h.newest.send {
		h.newest = x
	}
}

// at is the input of this client after which the state of a send stood.
func (h *consumptions) at(send uint32) (input uint32, ok bool) {
	x := &h.ring[send%mirror.MaxStates]
	return x.input, send != 0 && x.send == send
}

// coSimulated is what a client keeps of the co-simulated entities.
type coSimulated struct {
	any    bool // there has been one
	fresh  bool // news of one have come since Reconcile looked
	lost   bool // one is simulated here no more, and its end was not foreseen
	wrong  bool // one was mispredicted, or has to be taken over: there must be a replay
	inputs consumptions
	list   []*mirror.Replica // those in the world
}

// noteCoSimulated notes that an entity stands in the world as a state says, with what was
// predicted of it.
func (c *Client) noteCoSimulated(r *mirror.Replica, st *mirror.State) {
	x := c.reconciler.records.Of(r)
	x.confirmed, x.unseen = st.Send, true
	c.reconciler.co.any, c.reconciler.co.fresh = true, true
}

// listCoSimulated lists those entities that are co-simulated.
func (c *Client) listCoSimulated() {
	c.reconciler.co.list = c.reconciler.co.list[:0]
	if !c.reconciler.co.any {
		return
	}
	for _, r := range c.mirror.Entities.All() {
		if r.CoSimulated() && !r.Entity.IsZero() && r.Removed.Tick == 0 {
			c.reconciler.co.list = append(c.reconciler.co.list, r)
		}
	}
}

// proves returns the input after which a state shows an entity.
func (c *Client) proves(r *mirror.Replica, st *mirror.State) (input uint32, ok bool) {
	if r.CoSimulated() {
		return c.reconciler.co.inputs.at(st.Send)
	}
	tick, input := c.heard()
	return input, st.Tick >= tick
}

// coSimulatedWrong compares what came of co-simulated entities with what was predicted. Where
// there must be a replay it returns the first input after which one was wrong.
func (c *Client) coSimulatedWrong(v verdict) (since uint32) {
	c.reconciler.co.wrong = false
	if !c.reconciler.co.fresh {
		return 0
	}
	c.reconciler.co.fresh = false
	settled := c.reconciler.settled
	if v.fresh {
		settled = max(settled, v.own.Input)
	}
	for _, r := range c.reconciler.co.list {
		x := c.reconciler.records.Of(r)
		if !x.unseen || c.world.Netcode().Suspended(r.Entity) {
			continue
		}
		x.unseen = false
		input, known := c.reconciler.co.inputs.at(x.confirmed)
		adopt := x.takeServerState
		x.takeServerState = false
		if !known || input > c.predictor.applied {
			continue // it stands as told, or as predicted
		}
		from := max(input, settled)
		if !c.predictor.history.Has(from) {
			continue
		}
		if !adopt {
			if c.coSimulatedAgrees(r, input) {
				c.stats.CoConfirmed++
				x.confirmedInput = max(x.confirmedInput, input)
				continue
			}
			c.stats.CoCorrections++
		}
		x.wrong, x.confirmedInput = true, max(x.confirmedInput, input)
		if !c.reconciler.co.wrong || from < since {
			since, c.reconciler.co.wrong = from, true
		}
	}
	return since
}

// coSimulatedAgrees compares the confirmed state of a co-simulated entity with what was predicted
// after an input, and reports what differs.
func (c *Client) coSimulatedAgrees(r *mirror.Replica, input uint32) bool {
	same := true
	c.eachConfirmed(r, func(st *mirror.State, comp *ecs.Component, words []int32) {
		predicted := c.predictor.history.Value(input, r.Entity, comp)
		if predicted == nil {
			return
		}
		truth := c.scratchFor(comp)
		comp.Schema.Dequantize(truth, words, comp.Words, 1)
		if field := c.mismatch(comp, predicted, truth); field >= 0 {
			same = false
			c.mispredicted(Mismatch{Tick: st.Tick, Input: input, NetID: netID(r.ID), CoSimulated: true}, comp, field, predicted, truth)
		}
	})
	return same
}

// eachConfirmed visits the predicted components of what was confirmed of an entity.
func (c *Client) eachConfirmed(r *mirror.Replica, visit func(st *mirror.State, comp *ecs.Component, words []int32)) {
	st := c.mirror.Store.World[r.At.Group].At(c.reconciler.records.Of(r).confirmed)
	if st == nil || !st.Says(r.ID, r.At.Slot) {
		return
	}
	rec := st.Record(int(r.At.Slot))
	for m := st.Masks[r.At.Slot]; m != 0; m &= m - 1 {
		comp := c.shape.replicated[trailing(m)]
		if c.shape.predicted&(m&-m) != 0 {
			visit(st, comp, rec[:comp.Words])
		}
		rec = rec[comp.Words:]
	}
}

// restoreCoSimulated writes what is confirmed of co-simulated entities after an input into the
// world, and what was wrong with the first of a replay. It reports whether anything was.
func (c *Client) restoreCoSimulated(after uint32, first bool) (any bool) {
	for _, r := range c.reconciler.co.list {
		x := c.reconciler.records.Of(r)
		input, known := c.reconciler.co.inputs.at(x.confirmed)
		holds := known && (input == after || first && x.wrong && input < after)
		x.wrong = x.wrong && !first
		if !holds || !c.simulates(r.Entity) {
			continue
		}
		any = true
		c.eachConfirmed(r, func(_ *mirror.State, comp *ecs.Component, words []int32) {
			if dst := c.world.Netcode().Pointer(r.Entity, comp); dst != nil {
				comp.Schema.Dequantize(dst, words, comp.Words, 1)
			}
		})
	}
	return any
}

// coSimulatedDiffers compares what was predicted of a component of a co-simulated entity with what
// the server sent, within tolerance.
func (c *Client) coSimulatedDiffers(r *mirror.Replica, comp *ecs.Component, truth unsafe.Pointer) (field int, predicted unsafe.Pointer) {
	if input, known := c.reconciler.co.inputs.at(c.reconciler.records.Of(r).confirmed); known {
		predicted = c.predictor.history.Value(input, r.Entity, comp)
	}
	if predicted == nil {
		predicted = c.world.Netcode().Pointer(r.Entity, comp)
	}
	return c.mismatch(comp, predicted, truth), predicted
}

// scratchFor is room for one value of a component.
func (c *Client) scratchFor(comp *ecs.Component) unsafe.Pointer {
	need := int(comp.Schema.Size+7) / 8
	c.scratch = reuse.Slice(c.scratch, max(need, 1))
	return unsafe.Pointer(&c.scratch[0])
}
