package reconcile

import (
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// Fields tagged server are the server's decision. A prediction that is wrong in them alone is no
// misprediction: the server's values replace the predicted ones after that input and since, and
// nothing is simulated again. Own state tells of them, and snapshots of co-simulated entities;
// where clients report results, which leave them out, own state comes as a correction only, and
// snapshots tell of them, as everybody is told.

// decides notes which components that are predicted have fields that the server decides.
func decides(replicated []*ecs.Component, predicted uint64) bool {
	for i, comp := range replicated {
		if predicted>>i&1 != 0 && len(comp.Schema.Server) > 0 {
			return true
		}
	}
	return false
}

// decided makes fields that the server decides what it says that they were after an input, of
// what was predicted after that one and since, and in the world.
func (c *compare) decided(e ecs.Entity, comp *ecs.Component, after uint32, truth unsafe.Pointer) {
	p := c.parts.Predict
	predicted := p.History.Value(after, e, comp)
	if predicted == nil || !simulates(c.parts.World, e) {
		return
	}
	c.mismatch(comp, predicted, truth) // for its words
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

// decided takes over what the server decides of what is predicted.
type decided struct {
	parts    *Parts
	compare  *compare
	others   *others
	reported *reported // nil: own state comes all the time
	fresh    bool      // snapshots have told of own entities since
}

// own takes over what own state says.
func (d *decided) own(own mirror.OwnState) {
	d.parts.Mirror.Own.Each(own.Send, func(v mirror.OwnValue) {
		if e, ok := d.parts.World.ByNetID(components.NetID(v.ID)); ok && len(v.Component.Schema.Server) > 0 {
			d.compare.decided(e, v.Component, own.Input, v.Value)
		}
	})
}

// told hears of a state of an own entity as all are told of it.
func (d *decided) told(r *mirror.Replica, st *mirror.State) {
	if d.reported != nil {
		x := d.others.proofs.records.Of(r)
		x.confirmed, x.unseen = st.Send, true
		d.fresh = true
	}
}

// take takes over what has been told so. The client asks for own state where what its results leave out is not as told.
func (d *decided) take() {
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
			d.others.decided(r, input)
			d.reported.doubts = d.reported.doubts || !d.others.carriedAgrees(r, input)
		}
	}
}

// carriedAgrees compares what [ecs.Carry] may place of an own entity, which results leave out, with what all are told of it.
func (o *others) carriedAgrees(r *mirror.Replica, input uint32) bool {
	same := true
	o.eachConfirmed(r, func(_ *mirror.State, comp *ecs.Component, words []int32) {
		predicted := o.parts.Predict.History.Value(input, r.Entity, comp)
		same = same && (predicted == nil || !o.compare.hangs(r.Entity, input, comp) || o.compare.follows(r.Entity, input, comp) ||
			o.compare.mismatch(comp, predicted, o.compare.dequantized(comp, words)) < 0)
	})
	return same
}

// decided takes over what the newest state of an entity that all are told of says, as of an input.
func (o *others) decided(r *mirror.Replica, input uint32) {
	if !o.compare.decides {
		return
	}
	o.eachConfirmed(r, func(_ *mirror.State, comp *ecs.Component, words []int32) {
		if len(comp.Schema.Server) > 0 {
			o.compare.decided(r.Entity, comp, input, o.compare.dequantized(comp, words))
		}
	})
}
