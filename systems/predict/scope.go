package predict

import (
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// Mode says whether a client simulates an entity: ahead of the server, so that what the
// player does shows at once in whatever of it can touch, or not, so that it is shown as
// the server confirmed it a while ago, and never wrong. It is chosen by
// systems.ClientConfig.Scope and systems.Client.SetScope, under all policies with which the server sends
// states: with policy.Rollback and Lockstep every peer simulates everything.
//
// What a client simulates it simulates together, in each tick and in each replay, and
// ecs.Each yields it; so a ball that is co-simulated flies off in the tick in which the
// own player kicks it. Nobody's inputs but the client's own are known to it, see
// systems.ClientConfig.Assume.
//
// A co-simulated entity costs its part of Simulate in each tick, and a comparison in each
// snapshot. Where one of them was mispredicted the client takes the confirmed state of
// all that it simulates and simulates the inputs since again: a round trip, the buffer's
// depth and one tick, as for its own entities. The causes, beside what others do: what
// Simulate reads and snapshots do not carry; ticks that the server gave to others while
// it held this client's input; with policy.TimingArrival all jitter; random numbers drawn
// for other players' entities, which follow their inputs; and the rounding of the wire,
// which adds up until it is past the tolerance: with ecs.Protocol.QuantizeSteps there is
// none. What Simulate spawns for others comes with the server's word only.
//
// A snapshot that does not tell of an entity proves nothing about it: it stays as
// predicted until one does. One that comes later than newer own state counts from there
// on, because what the client's inputs did up to there is settled.
//
// Co-simulated entities are drawn in the present, so lag compensation has no part in
// hitting them: a player who aims at them sends no systems.Client.Claim. A client's own entity
// that it does not simulate has no prediction for policy.CorrectOnMismatch to agree with,
// so that its state is sent as under LocalSync, and comes back into scope a round trip
// after systems.Client.SetScope says so.
type Mode uint8

const (
	// ModeOwn leaves it to ownership: a client simulates its own entities, and others
	// where the policies say policy.RemotesCoSimulated. The default.
	ModeOwn Mode = iota
	// ModeCoSimulated simulates the entity, whoever owns it, as far as it has components
	// that are ecs.Predicted.
	ModeCoSimulated
	// ModeInterpolated does not simulate the entity, not even where the client owns it: a
	// vehicle on autopilot, say.
	ModeInterpolated
)

// String is the name of the constant.
func (m Mode) String() string {
	names := [...]string{"ModeOwn", "ModeCoSimulated", "ModeInterpolated"}
	if int(m) < len(names) {
		return names[m]
	}
	return "Mode(?)"
}

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
