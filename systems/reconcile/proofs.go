package reconcile

import (
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// confirmer provides what the server says about this client's predictions. [compared] compares the owner state in
// snapshots. [reported] receives whether the client's reported results are correct, and owner state if they are
// not.
type confirmer interface {
	// next returns the news, given the newest applied input. Each piece of news is returned once.
	next(applied uint32) verdict
	// accepted is called when owner state was processed: it equalled the prediction, or the client adopted it.
	accepted(own mirror.OwnState)
}

// verdict is what the server says about this client's predictions.
type verdict struct {
	input  uint32          // newest input that the server is known to have consumed
	agreed bool            // without owner state: the results after input are correct
	own    mirror.OwnState // to compare with or to adopt
	fresh  bool            // own is new
	exact  bool            // own must equal the prediction bit by bit, not within tolerance
}

// compared is the confirmer if owner state always arrives.
type compared struct {
	mirror *mirror.Own

	// If inputs are numbered by ticks, the server waits for no input. On a short path, owner state may be for a
	// tick that is due in this frame but not yet predicted. It waits for that tick, even if newer states arrive
	// every frame.
	waits   bool
	reached mirror.OwnState // newest state of a tick that was predicted
	later   mirror.OwnState // a state that arrived before its tick was predicted
}

func (x *compared) accepted(mirror.OwnState) {}

func (x *compared) next(applied uint32) verdict {
	if x.waits {
		x.advance(applied)
	} else {
		x.reached = x.mirror.TakeNewest()
	}
	v := verdict{input: x.reached.Input, own: x.reached, fresh: x.reached.Fresh}
	x.reached.Fresh = false
	return v
}

// advance determines the newest owner state that the prediction has reached.
func (x *compared) advance(applied uint32) {
	newest := x.mirror.TakeNewest()
	switch {
	case newest.Input <= applied:
		x.reached, x.later = newest, mirror.OwnState{}
	case x.later.Fresh && x.later.Input <= applied && x.mirror.Kept(x.later.Send):
		x.reached, x.later = x.later, newest
	case !x.later.Fresh || x.later.Input <= applied:
		x.later = newest
	}
	if newest.Input > applied {
		x.mirror.MarkFresh()
	}
}

// Predictions are confirmed per entity: owner state without room for all entities, and snapshots of co-simulated
// ones, say nothing about the others. An outcome of an input can depend on every entity that is simulated here. It
// is final when each of these entities was found correct after that input or a later one.
//
// After a misprediction, the inputs since the newest owner state at most are simulated again. Events and outcomes
// of earlier inputs that wait for confirmation are withdrawn.

// record tracks the confirmation of one entity.
type record struct {
	confirmedInput uint32 // newest input after which the server's state equalled the prediction

	confirmed       uint32 // send of the newest public state
	unseen          bool   // Run has not processed it
	takeServerState bool   // adopt the next state without comparing, of a co-simulated entity
	wrong           bool   // the state was rejected, and no replay has adopted it
}

// ConfirmedInput returns the last input whose results are known to equal the server's.
func (s *System) ConfirmedInput() uint32 {
	if s.takeServerState { // something is wrong, and owner state to correct it will arrive
		return s.void
	}
	confirmed := s.consumed()
	for _, r := range s.parts.Mirror.Entities.All() {
		if s.awaited(r) {
			confirmed = min(confirmed, s.records.Of(r).confirmedInput)
		}
	}
	return max(confirmed, s.void)
}

// consumed returns the newest input whose results have arrived.
func (s *System) consumed() uint32 {
	return min(max(s.parts.Predict.Numbering.Newest().Input, s.settled), s.parts.Predict.Applied())
}

// awaited reports whether outcomes can depend on an entity. An entity is awaited while it is simulated here, and
// after its predicted end until the server has confirmed the end.
func (s *System) awaited(r *mirror.Replica) bool {
	n := s.parts.World.Netcode()
	return r.Simulated && !r.Entity.IsZero() && n.Mask(r.Entity)&s.predicted != 0 &&
		(r.Removed.Tick == 0 || !n.Suspended(r.Entity))
}

// predictsOwn reports whether any entity of this client is simulated here.
func (s *System) predictsOwn() bool {
	for _, r := range s.parts.Mirror.Entities.All() {
		if r.Predicted() {
			return true
		}
	}
	return false
}

// confirmOwn records that the entities in owner state are as the state says.
func (s *System) confirmOwn(own mirror.OwnState) {
	s.parts.Mirror.Own.EachEntity(own.Send, func(id uint32) {
		if r := s.parts.Mirror.Entities.Of(id); r != nil {
			s.confirmEntity(r, own.Input)
		}
	})
}

// confirmAllOwn records that all own entities were predicted correctly after an input.
func (s *System) confirmAllOwn(input uint32) {
	for _, r := range s.parts.Mirror.Entities.All() {
		if r.Predicted() {
			s.confirmEntity(r, input)
		}
	}
}

// confirmEntity records that an entity was predicted correctly after an input, or was corrected.
func (s *System) confirmEntity(r *mirror.Replica, input uint32) {
	x := s.records.Of(r)
	x.confirmedInput = max(x.confirmedInput, input)
}

// withdrawn records that everything after inputs from one on, and everything before that waited for confirmation,
// is withdrawn.
func (s *System) withdrawn(from uint32) { s.void = max(s.void, from-1) }
