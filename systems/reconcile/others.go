package reconcile

import (
	"math/bits"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
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

// others is how co-simulated entities stand.
type others struct {
	parts      *Parts
	proofs     *proofs
	compare    *compare
	counts     *Counts
	replicated []*ecs.Component // by their bits

	fresh bool // news of one have come since Reconcile looked
	lost  bool // one is simulated here no more, and its end was not foreseen
	wrong bool // one was mispredicted, or has to be taken over: there must be a replay
}

// told hears of a state of a co-simulated entity.
func (o *others) told(r *mirror.Replica, st *mirror.State) {
	x := o.proofs.records.Of(r)
	x.confirmed, x.unseen = st.Send, true
	o.fresh = true
	o.parts.Predict.Scope.CoSimulate()
}

// find compares what came of co-simulated entities with what was predicted. Where
// there must be a replay it returns the first input after which one was wrong; any counts as wrong
// where somebody else compares.
func (o *others) find(v verdict, any bool) (since uint32) {
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
			continue // it stands as told, or as predicted
		}
		from := max(input, settled)
		if !p.History.Has(from) {
			continue
		}
		if !adopt && !any {
			if o.agrees(r, input) {
				o.counts.CoConfirmed++
				x.confirmedInput = max(x.confirmedInput, input)
				o.decided(r, input)
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

// agrees compares the confirmed state of a co-simulated entity with what was predicted
// after an input, and tells what differs.
func (o *others) agrees(r *mirror.Replica, input uint32) bool {
	same := true
	o.eachConfirmed(r, func(st *mirror.State, comp *ecs.Component, words []int32) {
		predicted := o.parts.Predict.History.Value(input, r.Entity, comp)
		if predicted == nil {
			return
		}
		truth := o.compare.dequantized(comp, words)
		if field := o.compare.mismatch(comp, predicted, truth); field >= 0 && !o.compare.follows(r.Entity, input, comp) {
			same = false
			o.compare.mispredicted(Mismatch{Tick: st.Tick, Input: input, NetID: components.NetID(r.ID), CoSimulated: true}, comp, field, predicted, truth)
		}
	})
	return same
}

// eachConfirmed visits the predicted components of what was confirmed of an entity.
func (o *others) eachConfirmed(r *mirror.Replica, visit func(st *mirror.State, comp *ecs.Component, words []int32)) {
	st := o.parts.Mirror.Store.World[r.At.Group].At(o.proofs.records.Of(r).confirmed)
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

// takeOver makes co-simulated entities what is confirmed of them after an input, and
// what was wrong with the first of a replay. It reports whether there was anything.
func (o *others) takeOver(after uint32, first bool) (any bool) {
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

// differs compares what was predicted of a component of a co-simulated entity with what
// the server sent, within tolerance; field is -1 where they agree.
func (o *others) differs(r *mirror.Replica, comp *ecs.Component, truth unsafe.Pointer) (field int, predicted unsafe.Pointer) {
	if input, known := o.parts.Predict.Numbering.After(o.proofs.records.Of(r).confirmed); known {
		predicted = o.parts.Predict.History.Value(input, r.Entity, comp)
	}
	if predicted == nil {
		predicted = o.parts.World.Netcode().Pointer(r.Entity, comp)
	}
	return o.compare.mismatch(comp, predicted, truth), predicted
}

// leave makes what was told up to now right as it is.
func (o *others) leave() {
	for _, r := range o.parts.Predict.Scope.Others() {
		x := o.proofs.records.Of(r)
		if input, known := o.parts.Predict.Numbering.After(x.confirmed); x.wrong && known {
			o.decided(r, input)
		}
		x.wrong = false
	}
	o.wrong = false
}
