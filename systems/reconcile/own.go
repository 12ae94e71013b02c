package reconcile

import (
	"iter"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// Own is a Reconcile that is not of this package, and what that does while it runs.
type Own struct {
	system  *System
	run     func(*ecs.World) // nil: there is none
	verdict verdict
	told    Confirmed
	news    bool // told has something
	asked   bool // for that
	back    bool // it went back
	amended bool // it changed stored predictions, and what is drawn was noted before
	mended  bool // of own entities
}

// Replace makes run judge predictions in place of the system, by what it is told as [Confirmed] and
// with a [Predictor]. What the server's word settles, whatever was predicted, the system goes on
// doing: which spawns there are, and that inputs which the server went on without are left out. What
// caused corrections is not counted by field, and Parts.OnMismatch hears of none.
func (x *Own) Replace(run func(*ecs.World)) { x.run = run }

// Predictor goes back for it.
func (x *Own) Predictor() *Predictor { return &Predictor{x.system} }

// Confirmed is what has been told since it ran before; it is false where nothing was.
func (x *Own) Confirmed() (c Confirmed, ok bool) {
	x.asked = true
	return x.told, x.news
}

// judge lets the game judge, and notes how. What it was told of, and neither went back for nor amended, is right.
func (x *Own) judge(w *ecs.World, v verdict) {
	s := x.system
	since := s.others.find(v, true)
	own := s.heed(v)
	unpredicted := s.proofs.takeServerState || own && v.exact && !s.compare.exact(v.own)
	if own && !s.proofs.takeServerState && !s.parts.Predict.History.Has(v.own.Input) {
		own, unpredicted = s.stale(v.own), true
	}
	x.verdict, x.told, x.asked, x.back = v, Confirmed{Tick: v.own.Tick, Input: v.own.Input, system: s}, false, false
	x.told.Unpredicted, x.told.own = own && unpredicted, own
	if x.news = own || s.others.wrong; !own {
		x.told.Input, x.told.Tick = max(since, s.proofs.settled), s.parts.Mirror.Newest.Tick
	}
	x.run(w)
	mended := x.mended
	amended := x.settle()
	switch {
	case !own || !x.asked || x.back || x.told.Unpredicted:
	case mended:
		s.Counts.Corrections++
		s.adopt(v.own)
		if s.compare.decides {
			s.decided.own(v.own)
		}
	default:
		s.right(v.own)
	}
	s.others.leave()
	if amended || s.others.lost || s.proofs.takeServerState && !s.proofs.predictsOwn() {
		next := s.parts.Predict.Applied() + 1
		s.parts.Predict.Withdraw(next)
		s.proofs.withdrawn(next)
	}
	s.others.lost, s.proofs.takeServerState = false, s.proofs.takeServerState && s.proofs.predictsOwn()
}

// settle ends what Amend began, and reports whether there was anything.
func (x *Own) settle() (amended bool) {
	if amended = x.amended; amended {
		x.system.parts.View.End()
	}
	x.amended, x.mended = false, false
	return amended
}

// Confirmed is what the server told of what this client predicts.
type Confirmed struct {
	// Input is the input to go back to, by [Predictor.Rewind]: the last that the server had
	// consumed when its own entities stood like that, at the end of Tick.
	Input, Tick uint32
	// Unpredicted says that there is nothing to hold it against, as for an entity that is new
	// here, or that the server keeps sending it until it is taken over: go back whatever the
	// values are.
	Unpredicted bool

	own    bool // it tells of own entities
	system *System
}

// Values are all components that it tells of and that were predicted, of own entities and of those
// that are co-simulated, but what ecs.Carry places by an entity that this client does not simulate. They are of before the client goes back, and each is good until the next.
func (c Confirmed) Values(yield func(Value) bool) {
	s, more := c.system, true
	visit := func(e ecs.Entity, input uint32, own bool, comp *ecs.Component, told unsafe.Pointer) {
		if predicted := s.parts.Predict.History.Value(input, e, comp); more && predicted != nil && !s.compare.follows(e, input, comp) {
			more = yield(Value{e, comp, told, predicted, input, own, s})
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

// Value is a component of an entity, as the server told it and as it was predicted after the same
// input.
type Value struct {
	Entity          ecs.Entity // in the client's world
	Component       *ecs.Component
	told, predicted unsafe.Pointer
	input           uint32 // after which
	own             bool   // it is of an own entity
	system          *System
}

// Agrees reports whether the two are the same, within the component's tolerance.
func (v Value) Agrees() bool {
	return v.system.compare.mismatch(v.Component, v.predicted, v.told) < 0
}

// Read is a value of type T, and whether it is of that type.
func Read[T any](v Value) (told, predicted T, ok bool) {
	if v.Component != ecs.ComponentOf[T](v.system.parts.World.Protocol()) {
		return told, predicted, false
	}
	return *(*T)(v.told), *(*T)(v.predicted), true
}

// Amend corrects a component of an entity without simulating anything again. It calls change for each stored prediction of
// the component, from the input that v is of to the newest applied, and then for the component in the world, so that later
// states of the server are compared with the amended predictions. It reports whether v is of type T. To move an entity by
// the error of its prediction:
//
//	if told, predicted, ok := reconcile.Read[Position](v); ok && !v.Agrees() {
//		reconcile.Amend(v, func(p *Position) { p.X += told.X - predicted.X })
//	}
//
// A state of which any component of an own entity was amended counts as one correction. What waits for proof is withdrawn,
// as after [Predictor.Rewind]. What is drawn keeps its place and follows. Call Amend in the loop over [Confirmed.Values]
// that yields v, and go back with Rewind where the state is Unpredicted: there an amendment settles nothing.
func Amend[T any](v Value, change func(stored *T)) bool {
	s := v.system
	if v.Component != ecs.ComponentOf[T](s.parts.World.Protocol()) {
		return false
	}
	if !s.Own.amended {
		s.parts.View.Begin()
	}
	s.Own.amended = true
	s.Own.mended = s.Own.mended || v.own
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

// Predictor runs what a client simulates ahead of the server, for systems that are not of the
// netcode's own.
type Predictor struct{ system *System }

// Applied is the newest input that the world stands after.
func (p *Predictor) Applied() uint32 { return p.system.parts.Predict.Applied() }

// Due is the input that the world stands after once all that are due have been applied: the newest
// that was gathered, or, where inputs apply a while later, one gathered before. A client that stays
// behind it has no results to report under policy.CorrectOnMismatch, and is sent own state all the time.
func (p *Predictor) Due() uint32 { return p.system.parts.Predict.Due() }

// Step gives the client's entities an input, runs Simulate, and keeps what came of it.
func (p *Predictor) Step(input uint32) { p.system.parts.Predict.Step(input) }

// Rewind goes back to where the world stood after an input, with what the server told of then in
// place of what was predicted, and yields the inputs since, to be simulated again: call Step for each. It
// goes no farther back than what is settled: the Input of the newest [Confirmed]. What is drawn
// keeps its place meanwhile.
func (p *Predictor) Rewind(after uint32) iter.Seq[uint32] {
	s := p.system
	return func(yield func(uint32) bool) {
		s.Own.settle()
		own, settled := s.Own.verdict.own, s.proofs.settled
		if s.Own.told.own && !s.Own.back {
			settled = own.Input
		}
		after := min(max(after, settled), s.parts.Predict.Applied())
		if s.Own.told.own && after == own.Input {
			if !s.proofs.takeServerState && s.parts.Predict.History.Has(after) {
				s.Counts.Corrections++
			}
			s.Own.back = true
			s.adopt(own)
		} else if !s.parts.Predict.History.Has(after) {
			return
		}
		first, n := s.begin(after, own)
		for i := range n {
			if !yield(first + i) {
				break
			}
			s.passed(first + i)
		}
		s.end()
	}
}
