package reconcile

import (
	"unsafe"

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

// adoptServerFields adopts the server-decided fields in the state of a send, which is after an input: in the public state
// of an entity, or with nil in owner state.
func (s *System) adoptServerFields(r *mirror.Replica, send, input uint32) {
	if !s.compare.hasServerFields {
		return
	}
	s.eachValue(r, send, func(v Value) {
		if len(v.Component.Schema.Server) > 0 {
			s.compare.adoptServerFields(v.Entity, v.Component, input, v.sent)
		}
	})
}

// adoptAgain lets adoptPublic adopt the public states again that are newer than owner state, which may have been
// overtaken by them.
func (s *System) adoptAgain(own mirror.OwnState) {
	if s.reported == nil {
		return
	}
	for _, r := range s.parts.Mirror.Entities.All() {
		if x := s.records.Of(r); r.Predicted() && x.confirmed > own.Send {
			x.unseen, s.fresh = true, true
		}
	}
}

// adoptPublic adopts the server-decided fields in new public states of own entities. If a value that results leave out
// differs, the client requests owner state.
func (s *System) adoptPublic() {
	if !s.fresh {
		return
	}
	s.fresh = false
	if s.reported == nil {
		return
	}
	for _, r := range s.parts.Mirror.Entities.All() {
		x := s.records.Of(r)
		if !r.Predicted() || !x.unseen {
			continue
		}
		x.unseen = false
		if input, known := s.parts.Predict.Numbering.After(x.confirmed); known && input <= s.parts.Predict.Applied() {
			s.adoptServerFields(r, x.confirmed, input)
			s.reported.doubts = s.reported.doubts || !s.carriedAgrees(r, x.confirmed, input)
		}
	}
}

// carriedAgrees compares components that [ecs.Carry] may place, which results leave out, with the public state of
// an own entity.
func (s *System) carriedAgrees(r *mirror.Replica, send, input uint32) bool {
	same, c := true, &s.compare
	s.eachValue(r, send, func(v Value) {
		predicted := s.parts.Predict.History.Value(input, v.Entity, v.Component)
		same = same && (predicted == nil || !c.hasCarrier(v.Entity, input, v.Component) ||
			c.mismatch(v.Component, predicted, v.sent) < 0 || c.follows(v.Entity, input, v.Component))
	})
	return same
}
