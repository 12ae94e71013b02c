package reconcile

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/internal/report"
	"github.com/tactusgo/tactus/systems/predict"
)

// System is the system Reconcile: it keeps predictions consistent with the server. Its
// terms:
//
//   - A prediction belongs to an input. Owner state, and for co-simulated entities the header of a
//     snapshot, say what the server's world was after it consumed input s. This is compared
//     with the prediction after s. Only inputs that have been applied are compared.
//   - Settled is the input of the newest owner state that was processed, or with which the results
//     agreed. Spawns, despawns and events of inputs up to it are decided, so that no
//     replay starts before it.
//   - The confirmed input of an entity is the newest input after which the entity was found
//     as predicted, or was corrected. The confirmed input of the client is the oldest of these, at most the
//     newest input that the server consumed. Outcomes of inputs up to it are final: see proofs.go.
//   - takeServerState means that the next owner state is adopted without comparing,
//     because there is no prediction to compare with: an entity or component is newly simulated
//     here, an entity left the simulation unpredicted or survived its predicted end,
//     or inputs were left out. Until that state arrives, no input is confirmed. Each
//     co-simulated entity has its own flag for its next state.
//
// After a misprediction of input s, these steps follow in order:
//
//  1. Causes are counted and Parts.OnMismatch is called, while the world is still as predicted.
//  2. The drawn positions are noted ([View], Begin), so that the view does not jump.
//  3. The world goes back: spawns after s are undone, events and outcomes of
//     inputs after s are withdrawn, the history restores s, and the server's state after s
//     replaces the prediction.
//  4. Inputs after s up to the newest applied one are simulated again. Each result is stored. When
//     the replay passes the input of a confirmed state of a co-simulated entity, that state
//     replaces the prediction.
//  5. The replay ends. The change of drawn positions becomes a visual error that fades ([View], End).
//
// Inputs that were gathered but not applied, as under policy.ServerRewind with a delay,
// are not affected.
type System struct {
	Counts Counts
	Own    Own // the game's own Reconcile

	parts      Parts
	confirm    confirmer
	reported   *reported // nil: owner state always arrives
	proofs     proofs
	compare    compare
	others     others
	decided    decided
	staleSince uint32 // tick of the first owner state older than the history
}

// Parts holds the parts of a client that reconciliation uses.
type Parts struct {
	World   *ecs.World
	Client  uint32 // number of the client, as in components.Owner
	Mirror  *mirror.Mirror
	Predict *predict.System
	View    View
	Waiting func() bool // reports whether outcomes wait for confirmation

	// Off means that nothing is predicted. Waits means that the server may send states after inputs that are not
	// applied yet.
	Off, Waits bool
	// Results encodes the results that the client reports, so that owner state arrives only as a correction; nil if
	// owner state always arrives.
	Results *report.Coder
	// OnMismatch, if not nil, is called for each wrong prediction.
	OnMismatch func(Mismatch)
}

// View is the drawn world. Between Begin and End of a replay, drawn entities keep their places.
type View interface {
	Begin() // notes what is drawn
	End()   // turns changes since Begin into a visual error
}

// Counts holds the counters of reconciliation.
type Counts struct {
	Confirmed, Corrections     uint64 // owner states that agreed with the prediction, and those that did not
	CoConfirmed, CoCorrections uint64 // the same for states of co-simulated entities
	Resimulated                uint64 // ticks simulated again
	LongestReplay              uint64 // most ticks in one replay
	StaleStates                uint64 // owner states older than the history
	Jumps                      uint64 // times that the server was ahead of this client's inputs
	ReportBits                 uint64 // size of reported results
}

// New returns the system. predicted holds the bits of predicted components.
func New(parts Parts, predicted uint64) *System {
	s := &System{parts: parts}
	s.Own.system = s
	p := &s.parts
	s.proofs = proofs{parts: p, predicted: predicted}
	replicated := p.World.Protocol().Replicated()
	s.compare = compare{parts: p, predicted: predicted, hasServerFields: hasServerFields(replicated, predicted), quantized: p.World.Protocol().Quantized(),
		carried: ecs.CarriedIn(p.World.Protocol())}
	s.others = others{parts: p, proofs: &s.proofs, compare: &s.compare, counts: &s.Counts, replicated: replicated}
	s.decided = decided{parts: p, compare: &s.compare, others: &s.others}
	p.Mirror.Entities.Attach(&s.proofs.records)
	if p.Results == nil {
		s.confirm = &compared{mirror: &p.Mirror.Own, waits: p.Waits}
	} else {
		s.reported = &reported{parts: p, compare: &s.compare, mirror: &p.Mirror.Own}
		s.confirm, s.decided.reported = s.reported, s.reported
	}
	return s
}

// Run is the system. The newest owner state is the server's world after it consumed input s. If it equals the
// client's prediction after s, the prediction stands. Otherwise the client adopts the server's state and simulates
// the inputs since s again. Co-simulated entities are compared in the same way, and one replay corrects all.
func (s *System) Run(w *ecs.World) {
	defer s.decided.adoptPublic() // adopts the newest states, whatever is simulated again
	v := s.confirm.next(s.parts.Predict.Applied())
	if s.Own.run != nil {
		s.Own.judge(w, v)
		return
	}
	since := s.others.find(v, false)
	s.reconcileOwn(v)
	switch {
	case s.others.wrong:
		s.replay(max(since, s.proofs.settled), v.own)
	case s.others.lost && s.parts.Predict.History.Has(s.proofs.consumed()):
		s.replay(s.proofs.consumed(), v.own)
	case s.others.lost, s.proofs.takeServerState && !s.proofs.predictsOwn(): // owner state will contain nothing
		next := s.parts.Predict.Applied() + 1
		s.parts.Predict.Withdraw(next)
		s.proofs.withdrawn(next)
	}
	s.others.lost, s.proofs.takeServerState = false, s.proofs.takeServerState && s.proofs.predictsOwn()
}

// reconcileOwn reconciles own entities.
func (s *System) reconcileOwn(v verdict) {
	if !s.applyVerdict(v) {
		return
	}
	switch {
	case s.proofs.takeServerState:
	case !s.parts.Predict.History.Has(v.own.Input):
		if !s.countStale(v.own) {
			return
		}
	case s.compare.same(v):
		s.recordCorrect(v.own)
		return
	default:
		s.Counts.Corrections++
	}
	s.recordAdopted(v.own)
	s.replay(v.own.Input, v.own)
}

// applyVerdict processes the parts of a verdict that do not depend on predictions, and reports whether there is
// owner state to compare. If the results agreed, this holds for all own entities, so that predicted spawns that are
// not among them do not exist.
func (s *System) applyVerdict(v verdict) bool {
	if s.parts.Off {
		return false
	}
	p := s.parts.Predict
	switch {
	case v.input > p.Applied():
		// The server went on without our inputs, as after a stall: continue from there.
		p.Jump(v.input)
		s.Skipped()
	case v.agreed && v.input > s.proofs.settled:
		s.parts.World.Netcode().SettleInput(v.input)
		s.parts.World.Netcode().RejectSpawns(v.input)
		s.confirmUpTo(v.input)
		s.proofs.confirmAllOwn(v.input)
	}
	if v.fresh {
		s.proofs.settled = max(s.proofs.settled, v.own.Input)
		s.proofs.takeServerState = p.Spawns().Settle(v.own) || s.proofs.takeServerState
	}
	return v.fresh
}

// recordCorrect records that owner state equals the prediction.
func (s *System) recordCorrect(own mirror.OwnState) {
	s.confirm.accepted(own)
	s.confirmUpTo(own.Input)
	s.proofs.confirmOwn(own)
	if s.compare.hasServerFields {
		s.decided.adoptOwn(own)
		s.decided.adoptAgain(own)
	}
}

// recordAdopted records that owner state becomes the world.
func (s *System) recordAdopted(own mirror.OwnState) {
	s.confirm.accepted(own)
	s.proofs.settled, s.staleSince, s.proofs.takeServerState = own.Input, 0, false
	s.proofs.confirmOwn(own)
	s.decided.adoptAgain(own)
}

// confirmUpTo records that predictions up to an input are correct.
func (s *System) confirmUpTo(input uint32) {
	s.staleSince = 0
	s.proofs.settled = max(s.proofs.settled, input)
	s.Counts.Confirmed++
}

// countStale counts an owner state that is older than the history. It returns true if no other has arrived for a
// second, so that this one has to be used.
func (s *System) countStale(own mirror.OwnState) bool {
	s.Counts.StaleStates++
	if s.staleSince == 0 {
		s.staleSince = own.Tick
	}
	return own.Tick-s.staleSince >= uint32(s.parts.World.TickRate())
}
