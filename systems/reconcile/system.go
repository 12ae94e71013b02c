package reconcile

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
	"github.com/tactusgo/tactus/systems/internal/report"
	"github.com/tactusgo/tactus/systems/predict"
)

// System is the system Reconcile: it keeps what is predicted in line with the server. What it
// goes by:
//
//   - A prediction is of an input: own state, and the header of a snapshot for co-simulated
//     entities, say what the server's world was after it consumed input s, and are compared
//     with what was predicted after s. Only inputs that have been applied are compared with.
//   - Settled is the input of the newest own state that was looked at, or that the results
//     agreed with. What inputs up to it spawned, despawned and raised is decided, so that no
//     replay begins before it.
//   - The confirmed input of an entity is the newest after which it was found to be as
//     predicted, or was made so; that of the client is the oldest of these, at most what the
//     server has consumed. Outcomes of inputs up to it are final: see proofs.go.
//   - takeServerState says that the next own state is to be taken over without comparing, because
//     there is nothing to compare it with: an entity, or a component of one, is newly simulated
//     here, is simulated here no more although that was not foreseen, or did not die as was
//     foreseen; or inputs were left out. Until that state has come no input is confirmed. A
//     co-simulated entity has its own, which goes for its next state.
//
// What follows when something was wrong after an input s, in this order:
//
//  1. Causes count it and Parts.OnMismatch is called, while the world still stands as predicted.
//  2. What is drawn is noted ([View], Begin), so that the view does not jump.
//  3. The world goes back: what inputs after s spawned is taken back; events and outcomes of
//     inputs after s are withdrawn; the history restores s; what the server said after s
//     replaces it.
//  4. Inputs after s up to the newest applied are simulated again. Each is captured anew;
//     confirmed state of co-simulated entities takes its place where a replay comes by its
//     input.
//  5. The replay ends; what is drawn becomes a visual error, which fades ([View], End).
//
// Inputs that are gathered and not applied yet, as under policy.ServerRewind with a delay,
// have no part in it.
type System struct {
	Counts Counts
	Own    Own // a Reconcile of the game's

	parts      Parts
	confirm    confirmer
	reported   *reported // nil: own state always comes
	proofs     proofs
	compare    compare
	others     others
	decided    decided
	staleSince uint32 // tick of the first own state older than the history
}

// Parts are what reconciliation needs of a client.
type Parts struct {
	World   *ecs.World
	Client  uint32 // its number, as owner of entities
	Mirror  *mirror.Mirror
	Predict *predict.System
	View    View
	Waiting func() bool // whether outcomes wait to be final

	// Off says that nothing is predicted, and Waits that the server may tell of inputs that
	// are not applied yet.
	Off, Waits bool
	// Results writes the results that the client reports, so that own state comes as a
	// correction only; nil where it comes all the time.
	Results *report.Coder
	// OnMismatch hears of each wrong prediction, if not nil.
	OnMismatch func(Mismatch)
}

// View is what is drawn. A replay stands between Begin and End: what is drawn keeps its place.
type View interface {
	Begin() // notes what is drawn
	End()   // makes what has become of it a visual error
}

// Counts is what reconciliation counts.
type Counts struct {
	Confirmed, Corrections     uint64 // own states that agreed with the prediction, and that did not
	CoConfirmed, CoCorrections uint64 // states of co-simulated entities, likewise
	Resimulated                uint64 // ticks simulated again
	LongestReplay              uint64 // at once, at most
	StaleStates                uint64 // own states older than the history
	Jumps                      uint64 // times the server was ahead of this client's inputs
	ReportBits                 uint64 // of results
}

// New returns the system; components are predicted by their bits.
func New(parts Parts, predicted uint64) *System {
	s := &System{parts: parts}
	s.Own.system = s
	p := &s.parts
	s.proofs = proofs{parts: p, predicted: predicted}
	replicated := p.World.Protocol().Replicated()
	s.compare = compare{parts: p, predicted: predicted, decides: decides(replicated, predicted), quantized: p.World.Protocol().Quantized(),
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

// Run is the system. The newest own state says what the server's world was after it consumed
// input s. Where that is what this client predicted after s, the prediction stands; where it
// is not, the client takes the server's state and simulates the inputs since s again.
// Co-simulated entities are compared likewise; one replay does for all.
func (s *System) Run(w *ecs.World) {
	defer s.decided.take() // the newest, whatever is simulated again
	v := s.confirm.next(s.parts.Predict.Applied())
	if s.Own.run != nil {
		s.Own.judge(w, v)
		return
	}
	since := s.others.find(v, false)
	s.own(v)
	switch {
	case s.others.wrong:
		s.replay(max(since, s.proofs.settled), v.own)
	case s.others.lost && s.parts.Predict.History.Has(s.proofs.consumed()):
		s.replay(s.proofs.consumed(), v.own)
	case s.others.lost, s.proofs.takeServerState && !s.proofs.predictsOwn(): // own state tells of nothing
		next := s.parts.Predict.Applied() + 1
		s.parts.Predict.Withdraw(next)
		s.proofs.withdrawn(next)
	}
	s.others.lost, s.proofs.takeServerState = false, s.proofs.takeServerState && s.proofs.predictsOwn()
}

// own reconciles own entities.
func (s *System) own(v verdict) {
	if !s.heed(v) {
		return
	}
	switch {
	case s.proofs.takeServerState:
	case !s.parts.Predict.History.Has(v.own.Input):
		if !s.stale(v.own) {
			return
		}
	case s.compare.same(v):
		s.right(v.own)
		return
	default:
		s.Counts.Corrections++
	}
	s.adopt(v.own)
	s.replay(v.own.Input, v.own)
}

// heed takes in what a verdict settles, whatever was predicted, and reports whether there is own
// state to look at. Where the results agreed that goes for all own entities, so that what was
// predicted to spawn and is not among them does not exist.
func (s *System) heed(v verdict) bool {
	if s.parts.Off {
		return false
	}
	p := s.parts.Predict
	switch {
	case v.input > p.Applied():
		// The server went on without us, as after a stall: continue from there.
		p.Jump(v.input)
		s.Skipped()
	case v.agreed && v.input > s.proofs.settled:
		s.parts.World.Netcode().SettleInput(v.input)
		s.parts.World.Netcode().RejectSpawns(v.input)
		s.confirmed(v.input)
		s.proofs.allOwn(v.input)
	}
	if v.fresh {
		s.proofs.settled = max(s.proofs.settled, v.own.Input)
		p.Spawns().Settle(v.own)
	}
	return v.fresh
}

// right notes that own state is what was predicted.
func (s *System) right(own mirror.OwnState) {
	s.confirm.took(own)
	s.confirmed(own.Input)
	s.proofs.own(own)
	if s.compare.decides {
		s.decided.own(own)
	}
}

// adopt notes that own state becomes the world.
func (s *System) adopt(own mirror.OwnState) {
	s.confirm.took(own)
	s.proofs.settled, s.staleSince, s.proofs.takeServerState = own.Input, 0, false
	s.proofs.own(own)
}

// confirmed notes that predictions up to an input are right.
func (s *System) confirmed(input uint32) {
	s.staleSince = 0
	s.proofs.settled = max(s.proofs.settled, input)
	s.Counts.Confirmed++
}

// stale counts an own state that is older than the history, and reports whether
// there were no others for so long that it has to do.
func (s *System) stale(own mirror.OwnState) bool {
	s.Counts.StaleStates++
	if s.staleSince == 0 {
		s.staleSince = own.Tick
	}
	return own.Tick-s.staleSince >= uint32(s.parts.World.TickRate())
}
