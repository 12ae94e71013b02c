package predict

import (
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// Mode selects whether a client simulates an entity. A simulated entity is ahead of the server, and the player's
// actions show on it at once. Other entities are shown as the server confirmed them some time ago, and are never
// wrong. systems.ClientConfig.Prediction.Scope and systems.Client.SetScope select modes under all policies with which the
// server sends states. Under policy.Rollback and Lockstep every peer simulates everything.
//
// A client simulates all entities in scope together, in each tick and each replay, and ecs.Each yields them. A
// co-simulated ball therefore moves in the tick in which the player kicks it. The client does not know the inputs
// of other players; see systems.ClientConfig.Prediction.Assume.
//
// A co-simulated entity costs its part of Simulate in each tick, and a comparison per snapshot. After a
// misprediction the client adopts the confirmed state of all entities in scope and simulates the later inputs
// again: a round trip, the buffer's depth and one tick. Besides the actions of other players, causes are: data that
// Simulate reads and snapshots do not contain; ticks that the server simulated for others while it held this
// client's input; all jitter under policy.LocalSync.Arrival; random numbers of other players' entities, which depend on
// their inputs; and accumulated quantization errors, which ecs.Protocol.QuantizeSteps avoids. Entities that
// Simulate spawns for other players appear only when the server sends them.
//
// An entity that is missing in a snapshot stays as predicted until a snapshot contains it. If its state is older
// than the newest owner state, it counts from the time of that owner state on, because the effects of earlier
// inputs are settled.
//
// Co-simulated entities are drawn at the present tick. Lag compensation does not apply to them: a player who aims
// at them sends no systems.Client.Claim. If a client does not simulate an own entity, policy.CorrectOnMismatch has
// no prediction to compare. The server then sends the entity's state as under LocalSync, and the entity returns
// into scope a round trip after systems.Client.SetScope.
type Mode uint8

const (
	// ModeOwn follows ownership: the client simulates its own entities, and others if the model says policy.CoSimulated.
	// This is the default.
	ModeOwn Mode = iota
	// ModeCoSimulated simulates the entity, whoever owns it, if it has components with ecs.Predicted.
	ModeCoSimulated
	// ModeInterpolated does not simulate the entity, even if the client owns it: for example a vehicle on
	// autopilot.
	ModeInterpolated
)

// String returns the name of the constant.
func (m Mode) String() string {
	names := [...]string{"ModeOwn", "ModeCoSimulated", "ModeInterpolated"}
	if int(m) < len(names) {
		return names[m]
	}
	return "Mode(?)"
}

// Scope tracks which entities a client simulates.
type Scope struct {
	parts     *Parts
	numbering *Numbering
	predicted uint64 // bits of the predicted components
	modes     mirror.Records[choice]
	others    []*mirror.Replica
}

// choice is the mode of an entity.
type choice struct {
	mode  Mode // as the game chose
	final bool // set by Choose
}

// Choose sets the mode of an entity. Parts.Mode is no longer asked.
func (s *Scope) Choose(r *mirror.Replica, m Mode) { *s.modes.Of(r) = choice{m, true} }

// Chosen reports whether the mode of an entity was set by Choose.
func (s *Scope) Chosen(r *mirror.Replica) bool { return s.modes.Of(r).final }

// Ask asks the game for the mode of an entity and reports whether it changed.
func (s *Scope) Ask(r *mirror.Replica) bool {
	if s.parts.Mode == nil || s.modes.Of(r).final {
		return false
	}
	mode := s.parts.Mode(s.parts.World, r.Entity) // it may call Choose
	x := s.modes.Of(r)
	was := x.mode
	x.mode = mode
	return mode != was
}

// Has reports whether this client simulates an entity with the given components. own reports whether the client
// owns it.
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

// CoSimulate records that an entity of another owner is simulated.
func (s *Scope) CoSimulate() { s.numbering.coSimulates = true }

// CoSimulates reports whether CoSimulate was ever called.
func (s *Scope) CoSimulates() bool { return s.numbering.coSimulates }

// Others returns the co-simulated entities in the world, in the order of arrival, as of the last call of List.
func (s *Scope) Others() []*mirror.Replica { return s.others }

// List updates the list of co-simulated entities. Call it after the mirror has placed new states.
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
