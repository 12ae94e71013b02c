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

	parts      Parts
	predictor  Predictor
	run        func(*ecs.World) // judges predictions
	replicated []*ecs.Component // by bit
	predicted  uint64           // bits of the predicted components
	compare    compare
	confirm    confirmer
	reported   *reported // nil: owner state always arrives

	records         mirror.Records[record]
	settled         uint32 // settled input
	takeServerState bool
	void            uint32 // nothing of the inputs up to this one waits for confirmation
	staleSince      uint32 // tick of the first owner state older than the history

	fresh    bool    // public states of simulated entities have arrived since the last Run
	lost     bool    // a co-simulated entity is no longer simulated here, and its end was not predicted
	verdict  verdict // of this Run
	judged   Confirmed
	wrong    bool   // a state was rejected: a replay is needed
	wrongOwn bool   // owner state was
	after    uint32 // the replay starts after this input
	amended  bool   // the game called Amend, and View.Begin was called
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
	protocol := parts.World.Protocol()
	s := &System{parts: parts, replicated: protocol.Replicated(), predicted: predicted}
	s.predictor.system, s.run = s, func(*ecs.World) { Correct(&s.predictor) }
	p := &s.parts
	s.compare = compare{parts: p, hasServerFields: hasServerFields(s.replicated, predicted), quantized: protocol.Quantized(), carried: ecs.CarriedIn(protocol)}
	p.Mirror.Entities.Attach(&s.records)
	if p.Results == nil {
		s.confirm = &compared{mirror: &p.Mirror.Own, waits: p.Waits}
	} else {
		s.reported = &reported{parts: p}
		s.confirm = s.reported
	}
	return s
}

// Run is the system. It processes what the server settles whatever was predicted: which spawns exist, and inputs that
// the server skipped. [Correct] or the game's own system judges the rest.
func (s *System) Run(w *ecs.World) {
	s.verdict = s.confirm.next(s.parts.Predict.Applied())
	s.wrong, s.wrongOwn = false, false
	s.applyVerdict()
	s.run(w)
	if s.endAmend() || s.lost || s.takeServerState && !s.predictsOwn() { // owner state will contain nothing
		next := s.parts.Predict.Applied() + 1
		s.parts.Predict.Withdraw(next)
		s.withdrawn(next)
	}
	s.clearLost()
	s.adoptPublic() // adopts the newest states, whatever is simulated again
}

// applyVerdict processes the parts of a verdict that do not depend on predictions. If the results agreed, this holds
// for all own entities, so that predicted spawns that are not among them do not exist.
func (s *System) applyVerdict() {
	v, p := &s.verdict, s.parts.Predict
	if s.parts.Off {
		v.fresh = false
		return
	}
	switch {
	case v.input > p.Applied():
		// The server went on without our inputs, as after a stall: continue from there.
		p.Jump(v.input)
		s.Skipped()
	case v.agreed && v.input > s.settled:
		s.parts.World.Netcode().SettleInput(v.input)
		s.parts.World.Netcode().RejectSpawns(v.input)
		s.confirmUpTo(v.input)
		s.confirmAllOwn(v.input)
	}
	if v.fresh {
		s.settled = max(s.settled, v.own.Input)
		s.takeServerState = p.Spawns().Settle(v.own) || s.takeServerState
	}
}

// nextOwn makes the new owner state the one to judge. It returns false if the state is too old.
func (s *System) nextOwn() bool {
	own := s.verdict.own
	s.verdict.fresh = false
	known := s.parts.Predict.History.Has(own.Input)
	if !s.takeServerState && !known && !s.countStale(own) {
		return false
	}
	s.judged = Confirmed{Input: own.Input, Tick: own.Tick, system: s, send: own.Send, from: own.Input, predicted: known && !s.takeServerState}
	s.judged.Unpredicted = !s.judged.predicted || s.verdict.exact && !s.isExact(own)
	return true
}

// nextOther makes the state of a co-simulated entity the one to judge, if it is new and the history has the input after
// which it would be adopted. Spawns, despawns and events of inputs up to the settled one are decided, so that an older
// state counts from there on.
func (s *System) nextOther(r *mirror.Replica) bool {
	x, p := s.records.Of(r), s.parts.Predict
	if !x.unseen || s.parts.World.Netcode().Suspended(r.Entity) {
		return false
	}
	input, known := p.Numbering.After(x.confirmed)
	take, from := x.takeServerState, max(input, s.settled)
	x.unseen, x.takeServerState = false, false
	if !known || input > p.Applied() || !p.History.Has(from) {
		return false // the entity is as received, or as predicted
	}
	s.judged = Confirmed{Input: input, Unpredicted: take, system: s, replica: r, send: x.confirmed, from: from, predicted: !take}
	if st := s.stateAt(r, x.confirmed); st != nil {
		s.judged.Tick = st.Tick
	}
	return true
}

// judge lets the system judge a state, and records the decision. It returns false if the system wants no more states.
func (s *System) judge(yield func(*Confirmed) bool) (more bool) {
	c := &s.judged
	more = yield(c)
	switch own := s.verdict.own; {
	case c.rejected || c.Unpredicted:
	case c.amended:
		c.countCorrection()
		if c.replica == nil {
			s.recordAdopted(own)
		}
		s.adoptServerFields(c.replica, c.send, c.Input)
	case c.replica != nil:
		s.Counts.CoConfirmed++
		s.confirmEntity(c.replica, c.Input)
		s.adoptServerFields(c.replica, c.send, c.Input)
	default:
		s.confirm.accepted(own)
		s.confirmUpTo(own.Input)
		s.confirmOwn(own)
		if s.compare.hasServerFields {
			s.adoptServerFields(nil, own.Send, own.Input)
			s.adoptAgain(own)
		}
	}
	return more
}

// recordAdopted records that owner state becomes the world.
func (s *System) recordAdopted(own mirror.OwnState) {
	s.confirm.accepted(own)
	s.settled, s.staleSince, s.takeServerState = own.Input, 0, false
	s.confirmOwn(own)
	s.adoptAgain(own)
}

// confirmUpTo records that predictions up to an input are correct.
func (s *System) confirmUpTo(input uint32) {
	s.staleSince = 0
	s.settled = max(s.settled, input)
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

// endAmend ends the changes of Amend, and reports whether there were any.
func (s *System) endAmend() (amended bool) {
	if amended, s.amended = s.amended, false; amended {
		s.parts.View.End()
	}
	return amended
}
