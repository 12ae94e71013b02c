package reconcile

import (
	"fmt"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// ReceiveHeader processes the header of a snapshot: agreed reports whether the results after the input that it
// names were correct.
func (s *System) ReceiveHeader(tick uint32, agreed bool) {
	if s.reported != nil {
		s.reported.receive(tick, agreed)
	}
}

// Report adds the result of the newest input to a message, if the client reports results. If the newest input has
// not been applied, there is no result.
func (s *System) Report(m *wire.Input) {
	if p := s.parts.Predict; s.reported != nil {
		unknown := !s.parts.Off && p.Applied() < p.Due()
		s.Counts.ReportBits += s.reported.write(m, s.takeServerState || s.reported.doubts || unknown)
	}
}

// ReadCauses writes the causes of corrections so far to t and reuses its memory.
func (s *System) ReadCauses(t *Causes) {
	s.compare.causes.read(t)
	t.Corrections, t.CoCorrections = s.Counts.Corrections, s.Counts.CoCorrections
	t.sortRows()
}

// Differs compares the prediction of a component of a simulated entity, after the newest input known to be consumed,
// with the server's state: owner state, or words, the component as captured for a send, of a co-simulated entity and if
// results are reported. It returns an error that describes the difference. It is for tests.
func (s *System) Differs(r *mirror.Replica, comp *ecs.Component, send uint32, words []int32) (err error) {
	p, m := s.parts.Predict, s.parts.Mirror
	tick, input := p.Numbering.Heard()
	switch {
	case r.CoSimulated():
		input, _ = p.Numbering.After(s.records.Of(r).confirmed)
	case s.reported != nil && send != m.Newest.Send:
		return nil // a newer snapshot has not been processed
	case tick != m.Newest.Tick:
		return fmt.Errorf("%s: the newest snapshot is of tick %d, owner state of %d", comp.Name, m.Newest.Tick, tick)
	case s.reported == nil && input > p.Applied():
		return nil // the prediction has not reached that tick
	case s.reported == nil:
		found := !m.Own.Whole(m.Own.Newest.Send)
		s.eachValue(nil, m.Own.Newest.Send, func(v Value) {
			if v.Entity == r.Entity && v.Component == comp {
				found, err = true, s.compare.describe(v.Entity, input, comp, v.sent)
			}
		})
		if !found {
			return fmt.Errorf("%s: the newest snapshot has no owner state of it", comp.Name)
		}
		return err
	}
	return s.compare.describe(r.Entity, input, comp, s.compare.dequantized(comp, words))
}

// Shaped is called before the mirror places a state of an entity or removes the entity.
func (s *System) Shaped(r *mirror.Replica, x mirror.Change) {
	if x.State == nil { // the entity is removed, possibly as predicted
		s.takeServerState = s.takeServerState || r.Predicted() && !s.parts.World.Netcode().Suspended(r.Entity)
		s.stopSimulating(r)
		return
	}
	if x.News {
		s.startSimulating(r, x.Own)
	}
	if r.Predicted() && !x.Own {
		s.takeServerState = true // the effects of its inputs since then are wrong
	}
	switch {
	case !x.Simulated:
		s.stopSimulating(r)
		return
	case !x.Own:
		s.parts.Predict.Scope.CoSimulate()
	case s.reported == nil || !s.compare.hasServerFields && len(s.compare.carried) == 0:
		return // owner state has everything
	}
	rec := s.records.Of(r)
	rec.confirmed, rec.unseen, s.fresh = x.State.Send, true, true
}

// startSimulating records that an entity is simulated here from now on: it is new or newly in scope.
func (s *System) startSimulating(r *mirror.Replica, own bool) {
	if !own {
		s.records.Of(r).takeServerState = true
		return
	}
	s.takeServerState = true
	if own := &s.parts.Mirror.Own; s.parts.Predict.Scope.Chosen(r) && own.Newest.Tick != 0 && s.reported == nil {
		own.MarkFresh() // now, not with the next snapshot
	}
}

// Revived is called when an entity lives on although its end was predicted.
func (s *System) Revived(r *mirror.Replica) {
	x := s.records.Of(r)
	if x.takeServerState = r.CoSimulated(); !x.takeServerState {
		s.takeServerState = true
	}
}

// stopSimulating records that a co-simulated entity is no longer simulated here and was not confirmed. Its effects
// are withdrawn, or simulated again without it.
func (s *System) stopSimulating(r *mirror.Replica) {
	s.lost = s.lost || r.CoSimulated() && s.awaited(r) && s.parts.Waiting()
}

// Skipped is called when inputs were left out, so that their results were not predicted.
func (s *System) Skipped() {
	s.Counts.Jumps++
	s.takeServerState = true
}

// Back is called when the inputs after one were removed.
func (s *System) Back(input uint32) {
	s.void = min(s.void, input)
	s.Skipped()
}

// MarkUnpredicted is called when own entities have components without a prediction.
func (s *System) MarkUnpredicted() { s.takeServerState = true }

// goBack makes a replay start after an input or an earlier one.
func (s *System) goBack(after uint32) {
	if !s.wrong || after < s.after {
		s.wrong, s.after = true, after
	}
}

// clearLost is called when the effects of entities that are no longer simulated here were withdrawn or simulated again.
func (s *System) clearLost() {
	s.lost, s.takeServerState = false, s.takeServerState && s.predictsOwn()
}

// startReplay restores the world after an input, with all states that are known for it. The caller simulates n
// inputs from first on again.
func (s *System) startReplay(after uint32) (first, n uint32) {
	p, own := s.parts.Predict, s.verdict.own
	s.parts.View.Begin()
	first, n = p.Rewind(after)
	s.withdrawn(first)
	if after == own.Input {
		s.adopt(nil, own.Send)
	}
	s.adoptOthers(after, true)
	p.History.Capture(after)
	s.Counts.LongestReplay = max(s.Counts.LongestReplay, uint64(n))
	return first, n
}

// finishInput adopts confirmed states of other entities after an input that was just simulated again.
func (s *System) finishInput(input uint32) {
	s.Counts.Resimulated++
	if s.adoptOthers(input, false) {
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

// adoptOthers writes the confirmed states after an input into co-simulated entities, and with first also the older
// rejected states, at the start of a replay. It reports whether there were any.
func (s *System) adoptOthers(after uint32, first bool) (any bool) {
	for _, r := range s.parts.Predict.Scope.Others() {
		x := s.records.Of(r)
		input, known := s.parts.Predict.Numbering.After(x.confirmed)
		if known && (input == after || first && x.wrong && input < after) && simulates(s.parts.World, r.Entity) {
			s.adopt(r, x.confirmed)
			any = true
		}
		x.wrong = x.wrong && !first
	}
	return any
}

// adopt writes the state of a send into the simulated entities: owner state if r is nil.
func (s *System) adopt(r *mirror.Replica, send uint32) {
	s.eachValue(r, send, func(v Value) {
		if dst := s.parts.World.Netcode().Pointer(v.Entity, v.Component); dst != nil && simulates(s.parts.World, v.Entity) {
			v.write(dst)
		}
	})
}

// simulates reports whether the client simulates an entity.
func simulates(w *ecs.World, e ecs.Entity) bool { return ecs.Has[components.Predicted](w, e) }
