package reconcile

import (
	"math/bits"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// Correct is the system Reconcile unless a game has its own, which may start from a copy of it. It compares each new
// state with the prediction after the same input. If any is wrong, it goes back, adopts the server's states, and
// simulates the later inputs again.
func Correct(p *Predictor) {
	for told := range p.Confirmed {
		wrong := told.Unpredicted
		for v := range told.Values {
			wrong = wrong || !v.Agrees()
		}
		if wrong {
			told.Reject()
		}
	}
	for input := range p.Rewind {
		p.Step(input)
	}
}

// Replace makes run judge predictions instead of [Correct]. run uses a [Predictor].
func (s *System) Replace(run func(*ecs.World)) { s.run = run }

// Predictor returns the predictor.
func (s *System) Predictor() *Predictor { return &s.predictor }

// Predictor simulates ahead of the server, and yields what the server confirms.
type Predictor struct{ system *System }

// Applied returns the newest input that has been simulated.
func (p *Predictor) Applied() uint32 { return p.system.parts.Predict.Applied() }

// Due returns the input that should have been simulated by now: the newest gathered one, or an earlier one if
// inputs apply with a delay. Under policy.CorrectOnMismatch, a client that stays behind it has no results to report
// and receives owner state all the time.
func (p *Predictor) Due() uint32 { return p.system.parts.Predict.Due() }

// Step gives the client's entities an input, runs Simulate, and stores the result.
func (p *Predictor) Step(input uint32) { p.system.parts.Predict.Step(input) }

// Confirmed yields the states that arrived since the previous run, each once. A state that is neither rejected nor
// amended in the body of the loop counts as correct.
func (p *Predictor) Confirmed(yield func(*Confirmed) bool) {
	s := p.system
	for _, r := range s.parts.Predict.Scope.Others() {
		if s.fresh && s.nextOther(r) && !s.judge(yield) {
			return
		}
	}
	if s.verdict.fresh && s.nextOwn() {
		s.judge(yield)
	}
}

// Rewind goes back to the oldest rejected state. It restores the world after the input of that state, with the server's
// state instead of the prediction, and yields the later inputs: call Step for each. Later confirmed states replace the
// predictions on the way. Drawn entities keep their places meanwhile. Rewind yields nothing if there is nothing to simulate again.
func (p *Predictor) Rewind(yield func(input uint32) bool) {
	s := p.system
	if consumed := s.consumed(); s.lost && s.parts.Predict.History.Has(consumed) {
		s.goBack(consumed)
	}
	if !s.wrong {
		return
	}
	s.endAmend()
	after := max(s.after, s.settled)
	if s.wrongOwn {
		after = s.verdict.own.Input
		s.recordAdopted(s.verdict.own)
	}
	s.wrong, s.wrongOwn = false, false
	first, n := s.startReplay(after)
	for i := range n {
		if !yield(first + i) {
			break
		}
		s.finishInput(first + i)
	}
	s.endReplay()
	s.clearLost()
}

// Confirmed is server state of entities that this client predicts: owner state, which has all or some of its own
// entities, or the state of one co-simulated entity. It is valid in the body of the loop.
type Confirmed struct {
	// Input is the last input of this client that the server had consumed at the end of Tick, when the entities had
	// this state.
	Input, Tick uint32
	// Unpredicted reports that there is no prediction to compare with, for example for a new entity, or that the
	// server repeats the state until the client adopts it. Reject the state, whatever the values are.
	Unpredicted bool

	system    *System
	replica   *mirror.Replica // the co-simulated entity; nil: owner state
	send      uint32
	from      uint32 // a replay that adopts the state starts after this input
	predicted bool   // there is a prediction to compare with
	rejected  bool
	amended   bool
}

// Values yields all predicted components in the state, except those that ecs.Carry places relative to an entity that
// this client does not simulate. Predictions are those before Rewind. Each value is valid until the next one.
func (c *Confirmed) Values(yield func(Value) bool) {
	s, more := c.system, true
	s.eachValue(c.replica, c.send, func(v Value) {
		v.predicted, v.of = s.parts.Predict.History.Value(c.Input, v.Entity, v.Component), c
		if more && v.predicted != nil && !s.compare.follows(v.Entity, c.Input, v.Component) {
			more = yield(v)
		}
	})
}

// Reject records that the prediction is wrong, so that Rewind goes back to this state. Unless there was no prediction, it
// counts a correction and its causes, and calls systems.Prediction.OnMismatch for the components that do not agree.
func (c *Confirmed) Reject() {
	if c.rejected {
		return
	}
	c.rejected = true
	s := c.system
	if c.predicted {
		c.reportCauses()
		c.countCorrection()
	}
	s.goBack(c.from)
	if s.wrongOwn = s.wrongOwn || c.replica == nil; c.replica != nil {
		s.records.Of(c.replica).wrong = true
		s.confirmEntity(c.replica, c.Input)
	}
}

// reportCauses reports the components that do not agree.
func (c *Confirmed) reportCauses() {
	s := c.system
	for v := range c.Values {
		if field := s.compare.mismatch(v.Component, v.predicted, v.sent); field >= 0 {
			s.compare.mispredicted(Mismatch{Tick: c.Tick, Input: c.Input, NetID: s.parts.World.NetID(v.Entity), CoSimulated: c.replica != nil},
				v.Component, field, v.predicted, v.sent)
		}
	}
}

func (c *Confirmed) countCorrection() {
	if c.replica != nil {
		c.system.Counts.CoCorrections++
	} else {
		c.system.Counts.Corrections++
	}
}

// Value is a component of an entity as the server sent it and as predicted after the same input.
type Value struct {
	Entity          ecs.Entity // in the client's world
	Component       *ecs.Component
	sent, predicted unsafe.Pointer
	raw             []byte  // as in owner state
	words           []int32 // as in public state, if raw is nil
	of              *Confirmed
}

// Agrees reports whether the values are equal within the component's tolerance.
func (v Value) Agrees() bool {
	return v.of.system.compare.mismatch(v.Component, v.predicted, v.sent) < 0
}

// write writes the server's value to dst.
func (v Value) write(dst unsafe.Pointer) {
	if v.raw != nil {
		_, _ = v.Component.Schema.ReadRaw(v.raw, dst) // validated on arrival
	} else {
		v.Component.Schema.Dequantize(dst, v.words, v.Component.Words, 1)
	}
}

// eachValue calls visit for each component in the public state of an entity at a send, or with nil for each in owner
// state. Only components of owner state that are in the world are visited. A value is valid until the next one.
func (s *System) eachValue(r *mirror.Replica, send uint32, visit func(Value)) {
	if r == nil {
		s.parts.Mirror.Own.Each(send, func(v mirror.OwnValue) {
			if e, ok := s.parts.World.ByNetID(components.NetID(v.ID)); ok {
				visit(Value{Entity: e, Component: v.Component, sent: v.Value, raw: v.Raw})
			}
		})
		return
	}
	st := s.stateAt(r, send)
	if st == nil {
		return
	}
	rec := st.Record(int(r.At.Slot))
	for m := st.Masks[r.At.Slot]; m != 0; m &= m - 1 {
		comp := s.replicated[bits.TrailingZeros64(m)]
		if words := rec[:comp.Words]; s.predicted&(m&-m) != 0 {
			visit(Value{Entity: r.Entity, Component: comp, sent: s.compare.dequantized(comp, words), words: words})
		}
		rec = rec[comp.Words:]
	}
}

// stateAt returns the public state of a send that contains an entity, or nil.
func (s *System) stateAt(r *mirror.Replica, send uint32) *mirror.State {
	if st := s.parts.Mirror.Store.World.Groups[r.At.Group].At(send); st != nil && st.Says(r.ID, r.At.Slot) {
		return st
	}
	return nil
}

// Read returns the server's and the predicted value as type T. ok is false if the component has another type.
func Read[T any](v Value) (sent, predicted T, ok bool) {
	if v.Component != ecs.ComponentOf[T](v.of.system.parts.World.Protocol()) {
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
// A state counts as one correction if any component was amended. Events and outcomes that wait for confirmation are
// withdrawn, as after [Predictor.Rewind]. The drawn entity keeps its place and then moves smoothly. Call Amend in the
// loop over [Confirmed.Values] that yields v. If the state is Unpredicted, call Reject: amending does not settle it.
func Amend[T any](v Value, change func(stored *T)) bool {
	s := v.of.system
	if v.Component != ecs.ComponentOf[T](s.parts.World.Protocol()) {
		return false
	}
	if !s.amended {
		s.parts.View.Begin()
	}
	s.amended, v.of.amended = true, true
	p := s.parts.Predict
	for input := v.of.Input; input <= p.Applied(); input++ {
		if stored := p.History.Value(input, v.Entity, v.Component); stored != nil {
			change((*T)(stored))
		}
	}
	if now := ecs.Get[T](s.parts.World, v.Entity); now != nil {
		change(now)
	}
	return true
}
