package reconcile

import (
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/internal/wire"
)

// ConfirmedInput is the last input whose results are known to be the server's.
func (s *System) ConfirmedInput() uint32 { return s.proofs.input() }

// Told takes in what a snapshot of a tick says in its header: whether the results after the
// input that it names agreed.
func (s *System) Told(tick uint32, agreed bool) {
	if s.reported != nil {
		s.reported.told(tick, agreed)
	}
}

// Reports reports whether the client reports its results, so that own state comes only as a
// correction.
func (s *System) Reports() bool { return s.reported != nil }

// Report puts into a message what the newest input led to, where the client reports it. Where that
// has not been applied nothing can be told of it.
func (s *System) Report(m *wire.Input) {
	if p := s.parts.Predict; s.reported != nil {
		unknown := !s.parts.Off && p.Applied() < p.Due()
		s.Counts.ReportBits += s.reported.write(m, s.proofs.takeServerState || s.reported.doubts || unknown)
	}
}

// ReadCauses writes what caused corrections so far to t, whose memory is used again.
func (s *System) ReadCauses(t *Causes) {
	s.compare.causes.read(t)
	t.Corrections, t.CoCorrections = s.Counts.Corrections, s.Counts.CoCorrections
	t.order()
}

// OtherDiffers compares what was predicted of a component of a co-simulated entity with what
// the server sent, within tolerance; field is -1 where they agree.
func (s *System) OtherDiffers(r *mirror.Replica, comp *ecs.Component, truth unsafe.Pointer) (field int, predicted unsafe.Pointer) {
	return s.others.differs(r, comp, truth)
}

// OwnDiffers compares what was predicted of a component of an own entity after the newest input
// that is known to be consumed with what the server said it was, or, where results are
// reported, with what was captured of it for a send, in words. It is for tests.
func (s *System) OwnDiffers(e ecs.Entity, comp *ecs.Component, send uint32, words []int32) error {
	switch {
	case s.reported == nil:
		return s.compare.ownDiffers(e, comp)
	case send != s.parts.Mirror.Newest.Send:
		return nil // it waits for its turn
	}
	return s.reported.differs(e, comp, words)
}

// Shaped hears what becomes of an entity that the mirror places, before it does.
func (s *System) Shaped(r *mirror.Replica, x mirror.Change) {
	if x.State == nil { // unless its end was foreseen
		s.proofs.takeServerState = s.proofs.takeServerState || r.Predicted() && !s.parts.World.Netcode().Suspended(r.Entity)
		s.lose(r)
		return
	}
	if x.News {
		s.takeUp(r, x.Own)
	}
	if r.Predicted() && !x.Own {
		s.proofs.takeServerState = true // what its inputs did there since is not so
	}
	switch {
	case !x.Simulated:
		s.lose(r)
	case !x.Own:
		s.others.told(r, x.State)
	case s.compare.decides || len(s.compare.carried) > 0:
		s.decided.told(r, x.State)
	}
}

// takeUp notes that an entity, new or newly in scope, is simulated here from now on.
func (s *System) takeUp(r *mirror.Replica, own bool) {
	if !own {
		s.proofs.records.Of(r).takeServerState = true
		return
	}
	s.proofs.takeServerState = true
	if told := &s.parts.Mirror.Own; s.parts.Predict.Scope.Chosen(r) && told.Newest.Tick != 0 && s.reported == nil {
		told.LookAgain() // at once, not with the next snapshot
	}
}

// Revived hears that an entity lives on the server that was foreseen to die.
func (s *System) Revived(r *mirror.Replica) {
	x := s.proofs.records.Of(r)
	if x.takeServerState = r.CoSimulated(); !x.takeServerState {
		s.proofs.takeServerState = true
	}
}

// lose notes that a co-simulated entity is simulated here no more, before what it did was
// proven: so what followed from that is withdrawn, or simulated again without it.
func (s *System) lose(r *mirror.Replica) {
	s.others.lost = s.others.lost || r.CoSimulated() && s.proofs.awaited(r) && s.parts.Waiting()
}

// Skipped hears that inputs were left out: of what they would have led to there is no
// prediction.
func (s *System) Skipped() {
	s.Counts.Jumps++
	s.proofs.takeServerState = true
}

// Untold hears that own entities have something of which there is no prediction.
func (s *System) Untold() { s.proofs.takeServerState = true }

// replay takes over what is confirmed to be after an input, own state if it is of that input,
// and simulates those since.
func (s *System) replay(after uint32, own mirror.OwnState) {
	p := s.parts.Predict
	first, n := s.begin(after, own)
	for i := range n {
		p.Step(first + i)
		s.passed(first + i)
	}
	s.end()
}

// begin goes back to where the world stood after an input, as far as it is told how that was. From
// first on so many inputs are to be simulated again.
func (s *System) begin(after uint32, own mirror.OwnState) (first, n uint32) {
	s.others.wrong = false
	p := s.parts.Predict
	s.parts.View.Begin()
	first, n = p.Rewind(after)
	s.proofs.withdrawn(first)
	if after == own.Input {
		s.takeOver(own)
	}
	s.others.takeOver(after, true)
	p.History.Capture(after)
	s.Counts.LongestReplay = max(s.Counts.LongestReplay, uint64(n))
	return first, n
}

// passed takes over what is confirmed of others after an input that was just simulated again.
func (s *System) passed(input uint32) {
	s.Counts.Resimulated++
	if s.others.takeOver(input, false) {
		s.parts.Predict.History.Capture(input)
	}
}

// end ends a replay.
func (s *System) end() {
	s.parts.World.Netcode().EndReplay()
	s.parts.View.End()
}

// takeOver makes own entities what own state says.
func (s *System) takeOver(own mirror.OwnState) {
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
