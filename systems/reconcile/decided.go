package reconcile

import (
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// Fields tagged server are decided by the server. A prediction that is wrong only in them is not a misprediction:
// the server's values replace the predicted ones after that input and later, and nothing is simulated again. Owner
// state contains these fields, and so do snapshots of co-simulated entities. Results that clients report leave them
// out. If clients report results, owner state arrives only as a correction, and the client takes these fields from
// public snapshots.

// hasServerFields reports whether a predicted component has fields that the server decides.
func hasServerFields(replicated []*ecs.Component, predicted uint64) bool {
	for i, comp := range replicated {
		if predicted>>i&1 != 0 && len(comp.Schema.Server) > 0 {
			return true
		}
	}
	return false
}

// adoptServerFields replaces the server-decided fields of a component by truth, the server's values after an input:
// in all predictions from that input on, and in the world.
func (c *compare) adoptServerFields(e ecs.Entity, comp *ecs.Component, after uint32, truth unsafe.Pointer) {
	p := c.parts.Predict
	predicted := p.History.Value(after, e, comp)
	if predicted == nil || !simulates(c.parts.World, e) {
		return
	}
	c.mismatch(comp, predicted, truth) // computes c.words
	words := c.words(comp)
	for _, i := range comp.Schema.Server {
		f := &comp.Schema.Fields[i]
		if !differs(comp, i, predicted, truth, words) {
			continue
		}
		for input := after; input <= p.Applied(); input++ {
			if v := p.History.Value(input, e, comp); v != nil {
				f.Copy(v, truth)
			}
		}
		f.Copy(c.parts.World.Netcode().Pointer(e, comp), truth)
	}
}

// decided adopts server-decided fields of predicted entities.
type decided struct {
	parts    *Parts
	compare  *compare
	others   *others
	reported *reported // nil: owner state always arrives
	fresh    bool      // new snapshots of own entities have arrived
}

// adoptOwn adopts the server-decided fields in owner state.
func (d *decided) adoptOwn(own mirror.OwnState) {
	d.parts.Mirror.Own.Each(own.Send, func(v mirror.OwnValue) {
		if e, ok := d.parts.World.ByNetID(components.NetID(v.ID)); ok && len(v.Component.Schema.Server) > 0 {
			d.compare.adoptServerFields(e, v.Component, own.Input, v.Value)
		}
	})
}

// receive records a public state of an own entity.
func (d *decided) receive(r *mirror.Replica, st *mirror.State) {
	if d.reported != nil {
		x := d.others.proofs.records.Of(r)
		x.confirmed, x.unseen = st.Send, true
		d.fresh = true
	}
}

// adoptAgain lets adoptPublic adopt the public states again that are newer than owner state, which may have been overtaken by them.
func (d *decided) adoptAgain(own mirror.OwnState) {
	if d.reported == nil {
		return
	}
	for _, r := range d.parts.Mirror.Entities.All() {
		if x := d.others.proofs.records.Of(r); r.Predicted() && x.confirmed > own.Send {
			x.unseen, d.fresh = true, true
		}
	}
}

// adoptPublic adopts the server-decided fields of new public states. If a value that results leave out differs, the
// client requests owner state.
func (d *decided) adoptPublic() {
	if !d.fresh {
		return
	}
	d.fresh = false
	for _, r := range d.parts.Mirror.Entities.All() {
		x := d.others.proofs.records.Of(r)
		if !r.Predicted() || !x.unseen {
			continue
		}
		x.unseen = false
		if input, known := d.parts.Predict.Numbering.After(x.confirmed); known && input <= d.parts.Predict.Applied() {
			d.others.adoptServerFields(r, input)
			d.reported.doubts = d.reported.doubts || !d.others.carriedAgrees(r, input)
		}
	}
}

// carriedAgrees compares components that [ecs.Carry] may place, which results leave out, with the public state of
// an own entity.
func (o *others) carriedAgrees(r *mirror.Replica, input uint32) bool {
	same := true
	o.eachConfirmed(r, func(_ *mirror.State, comp *ecs.Component, words []int32) {
		predicted := o.parts.Predict.History.Value(input, r.Entity, comp)
		same = same && (predicted == nil || !o.compare.hasCarrier(r.Entity, input, comp) ||
			o.compare.differs(r.Entity, input, comp, predicted, o.compare.dequantized(comp, words)) < 0)
	})
	return same
}

// adoptServerFields adopts the server-decided fields of the newest public state of an entity, after an input.
func (o *others) adoptServerFields(r *mirror.Replica, input uint32) {
	if !o.compare.hasServerFields {
		return
	}
	o.eachConfirmed(r, func(_ *mirror.State, comp *ecs.Component, words []int32) {
		if len(comp.Schema.Server) > 0 {
			o.compare.adoptServerFields(r.Entity, comp, input, o.compare.dequantized(comp, words))
		}
	})
}
