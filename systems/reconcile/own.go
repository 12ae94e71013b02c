package reconcile

import (
	"iter"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// Own runs a game's own Reconcile system and holds its state.
type Own struct {
	system       *System
	run          func(*ecs.World) // nil: there is none
	verdict      verdict
	confirmed    Confirmed
	hasConfirmed bool // confirmed is not empty
	queried      bool // the game called Confirmed
	rewound      bool // the game called Rewind for owner state
	amended      bool // the game called Amend, and View.Begin was called
	amendedOwn   bool // the game called Amend for own entities
}

// Replace makes run judge predictions instead of the system. run uses [Confirmed] and a [Predictor]. The system
// still processes what the server settles whatever was predicted: which spawns exist, and inputs that the server
// skipped. Causes are not counted by field, and Parts.OnMismatch is not called.
func (x *Own) Replace(run func(*ecs.World)) { x.run = run }

// Predictor returns a predictor for the game's system.
func (x *Own) Predictor() *Predictor { return &Predictor{x.system} }

// Confirmed returns the state received since the previous run. It returns false if there is none.
func (x *Own) Confirmed() (c Confirmed, ok bool) {
	x.queried = true
	return x.confirmed, x.hasConfirmed
}

// judge runs the game's system and records its decisions. A state for which the game neither went back nor amended
// counts as correct.
func (x *Own) judge(w *ecs.World, v verdict) {
	s := x.system
	since := s.others.find(v, true)
	own := s.applyVerdict(v)
	unpredicted := s.proofs.takeServerState || own && v.exact && !s.compare.exact(v.own)
	if own && !s.proofs.takeServerState && !s.parts.Predict.History.Has(v.own.Input) {
		own, unpredicted = s.countStale(v.own), true
	}
	x.verdict, x.confirmed, x.queried, x.rewound = v, Confirmed{Tick: v.own.Tick, Input: v.own.Input, system: s}, false, false
	x.confirmed.Unpredicted, x.confirmed.own = own && unpredicted, own
	if x.hasConfirmed = own || s.others.wrong; !own {
		x.confirmed.Input, x.confirmed.Tick = max(since, s.proofs.settled), s.parts.Mirror.Newest.Tick
	}
	x.run(w)
	mended := x.amendedOwn
	amended := x.endAmend()
	switch {
	case !own || !x.queried || x.rewound || x.confirmed.Unpredicted:
	case mended:
		s.Counts.Corrections++
		s.recordAdopted(v.own)
		if s.compare.hasServerFields {
			s.decided.adoptOwn(v.own)
		}
	default:
		s.recordCorrect(v.own)
	}
	s.others.acceptAll()
	if amended || s.others.lost || s.proofs.takeServerState && !s.proofs.predictsOwn() {
		next := s.parts.Predict.Applied() + 1
		s.parts.Predict.Withdraw(next)
		s.proofs.withdrawn(next)
	}
	s.others.lost, s.proofs.takeServerState = false, s.proofs.takeServerState && s.proofs.predictsOwn()
}

// endAmend ends the changes of Amend, and reports whether there were any.
func (x *Own) endAmend() (amended bool) {
	if amended = x.amended; amended {
		x.system.parts.View.End()
	}
	x.amended, x.amendedOwn = false, false
	return amended
}

// Confirmed is server state of entities that this client predicts.
type Confirmed struct {
	// Input is the input for [Predictor.Rewind]: the last one that the server had consumed at the end of Tick, when
	// the own entities had this state.
	Input, Tick uint32
	// Unpredicted reports that there is no prediction to compare with, for example for a new entity, or that the
	// server repeats the state until the client adopts it. Go back, whatever the values are.
	Unpredicted bool

	own    bool // it contains own entities
	system *System
}

// Values yields all predicted components in the state, of own and of co-simulated entities, except those that
// ecs.Carry places relative to an entity that this client does not simulate. Predictions are those before Rewind.
// Each value is valid until the next one.
func (c Confirmed) Values(yield func(Value) bool) {
	s, more := c.system, true
	visit := func(e ecs.Entity, input uint32, own bool, comp *ecs.Component, sent unsafe.Pointer) {
		if predicted := s.parts.Predict.History.Value(input, e, comp); more && predicted != nil && !s.compare.follows(e, input, comp) {
			more = yield(Value{e, comp, sent, predicted, input, own, s})
		}
	}
	if c.own {
		own := s.Own.verdict.own
		s.parts.Mirror.Own.Each(own.Send, func(v mirror.OwnValue) {
			if e, ok := s.parts.World.ByNetID(components.NetID(v.ID)); ok && s.proofs.predicted>>v.Component.Replicated()&1 != 0 {
				visit(e, own.Input, true, v.Component, v.Value)
			}
		})
	}
	for _, r := range s.parts.Predict.Scope.Others() {
		x := s.proofs.records.Of(r)
		if input, _ := s.parts.Predict.Numbering.After(x.confirmed); x.wrong {
			s.others.eachConfirmed(r, func(_ *mirror.State, comp *ecs.Component, words []int32) {
				visit(r.Entity, input, false, comp, s.compare.dequantized(comp, words))
			})
		}
	}
}

// Value is a component of an entity as the server sent it and as predicted after the same input.
type Value struct {
	Entity          ecs.Entity // in the client's world
	Component       *ecs.Component
	sent, predicted unsafe.Pointer
	input           uint32 // the state is after this input
	own             bool   // it belongs to an own entity
	system          *System
}

// Agrees reports whether the values are equal within the component's tolerance.
func (v Value) Agrees() bool {
	return v.system.compare.mismatch(v.Component, v.predicted, v.sent) < 0
}

// Read returns the server's and the predicted value as type T. ok is false if the component has another type.
func Read[T any](v Value) (sent, predicted T, ok bool) {
	if v.Component != ecs.ComponentOf[T](v.system.parts.World.Protocol()) {
		return sent, predicted, false
	}
	return *(*T)(v.sent), *(*T)(v.predicted), true
}

// Amend corrects a component of an entity without simulating again. It calls change for each stored prediction of
// the component, from the input of v to the newest applied one, and then for the component in the world. Later
// server states are therefore compared with the amended predictions. Amend returns false if v is not of type T. To move an
// entity by the error of its prediction:
//
//	if sent, predicted, ok := reconcile.Read[Position](v); ok && !v.Agrees() {
//		reconcile.Amend(v, func(p *Position) { p.X += sent.X - predicted.X })
//	}
//
// A state counts as one correction if any component of an own entity was amended. Events and outcomes that wait for
// confirmation are withdrawn, as after [Predictor.Rewind]. The drawn entity keeps its place and then moves smoothly. Call
// Amend in the loop over [Confirmed.Values] that yields v. If the state is Unpredicted, call Rewind: amending does not settle it.
func Amend[T any](v Value, change func(stored *T)) bool {
	s := v.system
	if v.Component != ecs.ComponentOf[T](s.parts.World.Protocol()) {
		return false
	}
	if !s.Own.amended {
		s.parts.View.Begin()
	}
	s.Own.amended = true
	s.Own.amendedOwn = s.Own.amendedOwn || v.own
	p := s.parts.Predict
	for input := v.input; input <= p.Applied(); input++ {
		if stored := p.History.Value(input, v.Entity, v.Component); stored != nil {
			change((*T)(stored))
		}
	}
	if now := ecs.Get[T](s.parts.World, v.Entity); now != nil {
		change(now)
	}
	return true
}

// Predictor simulates ahead of the server, for a game's own systems.
type Predictor struct{ system *System }

// Applied returns the newest input that has been simulated.
func (p *Predictor) Applied() uint32 { return p.system.parts.Predict.Applied() }

// Due returns the input that should have been simulated by now: the newest gathered one, or an earlier one if
// inputs apply with a delay. Under policy.CorrectOnMismatch, a client that stays behind it has no results to report
// and receives owner state all the time.
func (p *Predictor) Due() uint32 { return p.system.parts.Predict.Due() }

// Step gives the client's entities an input, runs Simulate, and stores the result.
func (p *Predictor) Step(input uint32) { p.system.parts.Predict.Step(input) }

// Rewind restores the world after an input, with the server's state of that time instead of the prediction, and
// yields the later inputs: call Step for each. It goes back at most to the Input of the newest [Confirmed]. Drawn
// entities keep their places meanwhile.
func (p *Predictor) Rewind(after uint32) iter.Seq[uint32] {
	s := p.system
	return func(yield func(uint32) bool) {
		s.Own.endAmend()
		own, settled := s.Own.verdict.own, s.proofs.settled
		if s.Own.confirmed.own && !s.Own.rewound {
			settled = own.Input
		}
		after := min(max(after, settled), s.parts.Predict.Applied())
		if s.Own.confirmed.own && after == own.Input {
			if !s.proofs.takeServerState && s.parts.Predict.History.Has(after) {
				s.Counts.Corrections++
			}
			s.Own.rewound = true
			s.recordAdopted(own)
		} else if !s.parts.Predict.History.Has(after) {
			return
		}
		first, n := s.startReplay(after, own)
		for i := range n {
			if !yield(first + i) {
				break
			}
			s.finishInput(first + i)
		}
		s.endReplay()
	}
}
