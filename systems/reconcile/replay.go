package reconcile

import (
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// ConfirmedInput returns the last input whose results are known to equal the server's.
func (s *System) ConfirmedInput() uint32 { return s.proofs.input() }

// ReceiveHeader processes the header of a snapshot: agreed reports whether the results after the input that it
// names were correct.
func (s *System) ReceiveHeader(tick uint32, agreed bool) {
	if s.reported != nil {
		s.reported.receive(tick, agreed)
	}
}

// Reports reports whether the client reports its results, so that owner state arrives only as a correction.
func (s *System) Reports() bool { return s.reported != nil }

// Report adds the result of the newest input to a message, if the client reports results. If the newest input has
// not been applied, there is no result.
func (s *System) Report(m *wire.Input) {
	if p := s.parts.Predict; s.reported != nil {
		unknown := !s.parts.Off && p.Applied() < p.Due()
		s.Counts.ReportBits += s.reported.write(m, s.proofs.takeServerState || s.reported.doubts || unknown)
	}
}

// ReadCauses writes the causes of corrections so far to t and reuses its memory.
func (s *System) ReadCauses(t *Causes) {
	s.compare.causes.read(t)
	t.Corrections, t.CoCorrections = s.Counts.Corrections, s.Counts.CoCorrections
	t.sortRows()
}

// OtherDiffers compares the prediction of a component of a co-simulated entity with the server's value, within
// tolerance. field is -1 if they agree.
func (s *System) OtherDiffers(r *mirror.Replica, comp *ecs.Component, truth unsafe.Pointer) (field int, predicted unsafe.Pointer) {
	return s.others.differs(r, comp, truth)
}

// OwnDiffers compares the prediction of a component of an own entity, after the newest input known to be consumed,
// with owner state. If results are reported, it compares with words, the component as captured for a send. It is
// for tests.
func (s *System) OwnDiffers(e ecs.Entity, comp *ecs.Component, send uint32, words []int32) error {
	switch {
	case s.reported == nil:
		return s.compare.ownDiffers(e, comp)
	case send != s.parts.Mirror.Newest.Send:
		return nil // a newer snapshot has not been processed
	}
	return s.reported.differs(e, comp, words)
}

// Shaped is called before the mirror places a state of an entity or removes the entity.
func (s *System) Shaped(r *mirror.Replica, x mirror.Change) {
	if x.State == nil { // the entity is removed, possibly as predicted
		s.proofs.takeServerState = s.proofs.takeServerState || r.Predicted() && !s.parts.World.Netcode().Suspended(r.Entity)
		s.stopSimulating(r)
		return
	}
	if x.News {
		s.startSimulating(r, x.Own)
	}
	if r.Predicted() && !x.Own {
		s.proofs.takeServerState = true // the effects of its inputs since then are wrong
	}
	switch {
	case !x.Simulated:
		s.stopSimulating(r)
	case !x.Own:
		s.others.receive(r, x.State)
	case s.compare.hasServerFields || len(s.compare.carried) > 0:
		s.decided.receive(r, x.State)
	}
}

// startSimulating records that an entity is simulated here from now on: it is new or newly in scope.
func (s *System) startSimulating(r *mirror.Replica, own bool) {
	if !own {
		s.proofs.records.Of(r).takeServerState = true
		return
	}
	s.proofs.takeServerState = true
	if own := &s.parts.Mirror.Own; s.parts.Predict.Scope.Chosen(r) && own.Newest.Tick != 0 && s.reported == nil {
		own.MarkFresh() // now, not with the next snapshot
	}
}

// Revived is called when an entity lives on although its end was predicted.
func (s *System) Revived(r *mirror.Replica) {
	x := s.proofs.records.Of(r)
	if x.takeServerState = r.CoSimulated(); !x.takeServerState {
		s.proofs.takeServerState = true
	}
}

// stopSimulating records that a co-simulated entity is no longer simulated here and was not confirmed. Its effects
// are withdrawn, or simulated again without it.
func (s *System) stopSimulating(r *mirror.Replica) {
	s.others.lost = s.others.lost || r.CoSimulated() && s.proofs.awaited(r) && s.parts.Waiting()
}

// Skipped is called when inputs were left out, so that their results were not predicted.
func (s *System) Skipped() {
	s.Counts.Jumps++
	s.proofs.takeServerState = true
}

// MarkUnpredicted is called when own entities have components without a prediction.
func (s *System) MarkUnpredicted() { s.proofs.takeServerState = true }

// replay adopts the confirmed states after an input, including owner state of that input, and simulates the later
// inputs again.
func (s *System) replay(after uint32, own mirror.OwnState) {
	p := s.parts.Predict
	first, n := s.startReplay(after, own)
	for i := range n {
		p.Step(first + i)
		s.finishInput(first + i)
	}
	s.endReplay()
}

// startReplay restores the world after an input, with all states that are known for it. The caller simulates n
// inputs from first on again.
func (s *System) startReplay(after uint32, own mirror.OwnState) (first, n uint32) {
	s.others.wrong = false
	p := s.parts.Predict
	s.parts.View.Begin()
	first, n = p.Rewind(after)
	s.proofs.withdrawn(first)
	if after == own.Input {
		s.adoptOwn(own)
	}
	s.others.adopt(after, true)
	p.History.Capture(after)
	s.Counts.LongestReplay = max(s.Counts.LongestReplay, uint64(n))
	return first, n
}

// finishInput adopts confirmed states of other entities after an input that was just simulated again.
func (s *System) finishInput(input uint32) {
	s.Counts.Resimulated++
	if s.others.adopt(input, false) {
		s.parts.Predict.History.Capture(input)
	}
	if s.reported != nil {
		s.reported.review(input)
	}
}

// endReplay ends a replay.
func (s *System) endReplay() {
	s.parts.World.Netcode().EndReplay()
	s.parts.View.End()
}

// adoptOwn writes owner state into own entities.
func (s *System) adoptOwn(own mirror.OwnState) {
	s.parts.Mirror.Own.Each(own.Send, func(v mirror.OwnValue) {
		if e, ok := s.parts.World.ByNetID(components.NetID(v.ID)); ok && simulates(s.parts.World, e) {
			if dst := s.parts.World.Netcode().Pointer(e, v.Component); dst != nil {
				v.Component.Schema.ReadRaw(v.Raw, dst)
			}
		}
	})
}

// simulates reports whether the client simulates an entity.
func simulates(w *ecs.World, e ecs.Entity) bool { return ecs.Has[components.Predicted](w, e) }
