package predict

import "github.com/tactusgo/tactus/systems/internal/mirror"

// Scope is which entities a client simulates.
type Scope struct {
	parts     *Parts
	numbering *Numbering
	predicted uint64 // components
	modes     mirror.Records[choice]
	others    []*mirror.Replica
}

// choice is the mode of an entity.
type choice struct {
	mode  Mode // as the game chose
	final bool // by Choose
}

// Choose makes the mode of an entity, in place of what the game says when it is asked.
func (s *Scope) Choose(r *mirror.Replica, m Mode) { *s.modes.Of(r) = choice{m, true} }

// Chosen reports whether the mode of an entity was chosen by Choose.
func (s *Scope) Chosen(r *mirror.Replica) bool { return s.modes.Of(r).final }

// Ask asks the game for the mode of an entity; it reports whether that has changed.
func (s *Scope) Ask(r *mirror.Replica) bool {
	if s.parts.Mode == nil || s.modes.Of(r).final {
		return false
	}
	mode := s.parts.Mode(s.parts.World, r.Entity) // which may call Choose
	x := s.modes.Of(r)
	was := x.mode
	x.mode = mode
	return mode != was
}

// Has reports whether this client simulates an entity with these components, its own or not.
func (s *Scope) Has(r *mirror.Replica, own bool, mask uint64) bool {
	mode := s.modes.Of(r).mode
	switch {
	case s.parts.Off || mode == ModeInterpolated:
		return false
	case own:
		return true
	case mask&s.predicted == 0:
		return false
	}
	return mode == ModeCoSimulated || s.parts.CoSimulates
}

// CoSimulate hears that an entity is simulated that is not the client's own.
func (s *Scope) CoSimulate() { s.numbering.follows = true }

// CoSimulates reports whether that was ever so of an entity.
func (s *Scope) CoSimulates() bool { return s.numbering.follows }

// Others are the co-simulated entities in the world, in the order in which they came up, as
// of the last call of List.
func (s *Scope) Others() []*mirror.Replica { return s.others }

// List makes the list of co-simulated entities anew, once the mirror has placed what was told.
func (s *Scope) List() {
	s.others = s.others[:0]
	if !s.CoSimulates() {
		return
	}
	for _, r := range s.parts.Mirror.Entities.All() {
		if r.CoSimulated() && !r.Entity.IsZero() && r.Removed.Tick == 0 {
			s.others = append(s.others, r)
		}
	}
}
