package reconcile

import (
	"math/bits"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// A co-simulated entity is reconciled like an own one. Snapshots contain its public state. Their header names the
// input of this client that the server had consumed by then. The state is compared with the prediction after that
// input. If a replay passes that input, the confirmed state replaces the predicted one.
//
// No replay starts before the input of the newest owner state, because the spawns, despawns and events of earlier
// inputs are settled. A state that arrives later and is older than that input counts from there on.

// others reconciles co-simulated entities.
type others struct {
	parts      *Parts
	proofs     *proofs
	compare    *compare
	counts     *Counts
	replicated []*ecs.Component // by bit

	fresh bool // states have arrived since the last Run
	lost  bool // an entity is no longer simulated here, and its end was not predicted
	wrong bool // an entity was mispredicted or must be adopted: a replay is needed
}

// receive records a state of a co-simulated entity.
func (o *others) receive(r *mirror.Replica, st *mirror.State) {
	x := o.proofs.records.Of(r)
	x.confirmed, x.unseen = st.Send, true
	o.fresh = true
	o.parts.Predict.Scope.CoSimulate()
}

// find compares the new states of co-simulated entities with the predictions. If a replay is needed, it returns the
// first input after which an entity was wrong. If all is set, every state counts as wrong, because the game
// compares.
func (o *others) find(v verdict, all bool) (since uint32) {
	p := o.parts.Predict
	o.wrong = false
	if !o.fresh {
		return 0
	}
	o.fresh = false
	settled := o.proofs.settled
	if v.fresh {
		settled = max(settled, v.own.Input)
	}
	for _, r := range p.Scope.Others() {
		x := o.proofs.records.Of(r)
		if !x.unseen || o.parts.World.Netcode().Suspended(r.Entity) {
			continue
		}
		x.unseen = false
		input, known := p.Numbering.After(x.confirmed)
		adopt := x.takeServerState
		x.takeServerState = false
		if !known || input > p.Applied() {
			continue // the entity is as received, or as predicted
		}
		from := max(input, settled)
		if !p.History.Has(from) {
			continue
		}
		if !adopt && !all {
			if o.agrees(r, input) {
				o.counts.CoConfirmed++
				x.confirmedInput = max(x.confirmedInput, input)
				o.adoptServerFields(r, input)
				continue
			}
			o.counts.CoCorrections++
		}
		x.wrong, x.confirmedInput = true, max(x.confirmedInput, input)
		if !o.wrong || from < since {
			since, o.wrong = from, true
		}
	}
	return since
}

// agrees compares the confirmed state of a co-simulated entity with the prediction after an input, and reports the
// differences.
func (o *others) agrees(r *mirror.Replica, input uint32) bool {
	same := true
	o.eachConfirmed(r, func(st *mirror.State, comp *ecs.Component, words []int32) {
		predicted := o.parts.Predict.History.Value(input, r.Entity, comp)
		if predicted == nil {
			return
		}
		truth := o.compare.dequantized(comp, words)
		if field := o.compare.differs(r.Entity, input, comp, predicted, truth); field >= 0 {
			same = false
			o.compare.mispredicted(Mismatch{Tick: st.Tick, Input: input, NetID: components.NetID(r.ID), CoSimulated: true}, comp, field, predicted, truth)
		}
	})
	return same
}

// eachConfirmed calls visit for each predicted component of the newest public state of an entity.
func (o *others) eachConfirmed(r *mirror.Replica, visit func(st *mirror.State, comp *ecs.Component, words []int32)) {
	st := o.parts.Mirror.Store.World.Groups[r.At.Group].At(o.proofs.records.Of(r).confirmed)
	if st == nil || !st.Says(r.ID, r.At.Slot) {
		return
	}
	rec := st.Record(int(r.At.Slot))
	for m := st.Masks[r.At.Slot]; m != 0; m &= m - 1 {
		comp := o.replicated[bits.TrailingZeros64(m)]
		if o.proofs.predicted&(m&-m) != 0 {
			visit(st, comp, rec[:comp.Words])
		}
		rec = rec[comp.Words:]
	}
}

// adopt writes the confirmed states after an input into co-simulated entities, and with first also the older states
// of wrong entities, at the start of a replay. It reports whether there were any.
func (o *others) adopt(after uint32, first bool) (any bool) {
	for _, r := range o.parts.Predict.Scope.Others() {
		x := o.proofs.records.Of(r)
		input, known := o.parts.Predict.Numbering.After(x.confirmed)
		holds := known && (input == after || first && x.wrong && input < after)
		x.wrong = x.wrong && !first
		if !holds || !simulates(o.parts.World, r.Entity) {
			continue
		}
		any = true
		o.eachConfirmed(r, func(_ *mirror.State, comp *ecs.Component, words []int32) {
			if dst := o.parts.World.Netcode().Pointer(r.Entity, comp); dst != nil {
				comp.Schema.Dequantize(dst, words, comp.Words, 1)
			}
		})
	}
	return any
}

// differs compares the prediction of a component of a co-simulated entity with the server's value, within
// tolerance. field is -1 if they agree.
func (o *others) differs(r *mirror.Replica, comp *ecs.Component, truth unsafe.Pointer) (field int, predicted unsafe.Pointer) {
	input, known := o.parts.Predict.Numbering.After(o.proofs.records.Of(r).confirmed)
	if known {
		predicted = o.parts.Predict.History.Value(input, r.Entity, comp)
	}
	if predicted == nil {
		predicted = o.parts.World.Netcode().Pointer(r.Entity, comp)
	}
	return o.compare.differs(r.Entity, input, comp, predicted, truth), predicted
}

// acceptAll accepts all states received so far without a replay.
func (o *others) acceptAll() {
	for _, r := range o.parts.Predict.Scope.Others() {
		x := o.proofs.records.Of(r)
		if input, known := o.parts.Predict.Numbering.After(x.confirmed); x.wrong && known {
			o.adoptServerFields(r, input)
		}
		x.wrong = false
	}
	o.wrong = false
}
