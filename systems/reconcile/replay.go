package reconcile

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// replay takes over what is confirmed to be after an input, own state if it is of that input,
// and simulates those since.
func (s *System) replay(after uint32, own mirror.OwnState) {
	s.others.wrong = false
	p := s.parts.Predict
	s.parts.View.Begin()
	first, n := p.Rewind(after)
	s.proofs.withdrawn(first)
	if after == own.Input {
		s.takeOver(own)
	}
	s.others.takeOver(after, true)
	p.History.Capture(after)
	s.Counts.LongestReplay = max(s.Counts.LongestReplay, uint64(n))
	for i := range n {
		p.Step(first + i)
		s.Counts.Resimulated++
		if s.others.takeOver(first+i, false) {
			p.History.Capture(first + i)
		}
	}
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
