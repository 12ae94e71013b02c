package reconcile

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

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
