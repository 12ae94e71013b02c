package predict

import (
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/inputgather"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// System is the system Predict: it applies each input at once to the entities that the client simulates, with the
// server's rules, and stores the results.
type System struct {
	History   *ecs.History // predicted states by input
	Numbering Numbering
	Scope     Scope

	parts   Parts
	world   *ecs.World
	log     *inputgather.Log
	input   *ecs.Component
	applied uint32
	run     func(*ecs.World) // the game's own system instead of Run
	unknown []ecs.SpawnKey   // spawns in owner state whose entities have not arrived
}

// Parts holds the parts of a client that prediction uses.
type Parts struct {
	World  *ecs.World
	Client uint32 // number of the client, as in components.Owner
	Inputs *inputgather.Log
	Mirror *mirror.Mirror
	Follow Follower

	// Stamped means that the number of an input is the tick in which it applies, Delay ticks after it was gathered.
	// Otherwise inputs are numbered consecutively, whichever server tick consumes them.
	Stamped bool
	Delay   uint32
	// Corrections means that owner state arrives only after a wrong prediction.
	Corrections bool
	// Off means that nothing is predicted: the schedule has no Predict.
	Off bool

	// Mode returns the mode of an entity as the game chooses it; nil: ModeOwn. CoSimulates selects whether ModeOwn
	// simulates entities of other owners.
	Mode        func(*ecs.World, ecs.Entity) Mode
	CoSimulates bool
	// Assume fills in the input of another player's entity; nil: neutral inputs.
	Assume func(ecs.Entity, unsafe.Pointer)
}

// Follower follows the simulation of inputs.
type Follower interface {
	Start(input uint32) // before an input is simulated
	Done()              // after it was simulated
	Rewind(from uint32) // before inputs from one on are simulated again
}

// New returns the system. predicted holds the bits of predicted components. history is the number of inputs whose
// results are stored.
func New(parts Parts, predicted uint64, history int) *System {
	s := &System{parts: parts, world: parts.World, log: parts.Inputs, input: parts.World.Protocol().Input()}
	s.Numbering.parts = &s.parts
	s.Scope = Scope{parts: &s.parts, numbering: &s.Numbering, predicted: predicted}
	s.History = ecs.NewHistory(s.world, history)
	parts.Mirror.Entities.Attach(&s.Scope.modes)
	if !parts.Stamped { // otherwise the clock decides
		s.Skip()
	}
	return s
}

// Spawns returns the predicted spawns and despawns.
func (s *System) Spawns() Spawns { return Spawns{s} }

// Run is the system.
func (s *System) Run(w *ecs.World) {
	if s.run != nil {
		s.run(w)
		return
	}
	s.Step(s.Due())
}

// Replace makes run apply the inputs of each tick instead of s. run calls Step for the inputs after Applied up to
// Due, in order.
func (s *System) Replace(run func(*ecs.World)) { s.run = run }

// Due returns the input that should be applied by now: the newest gathered one, or one that was gathered Delay
// ticks earlier.
func (s *System) Due() uint32 { return s.log.Newest - s.parts.Delay }

// Applied returns the newest applied input.
func (s *System) Applied() uint32 { return s.applied }

// Jump continues at the server's input without the inputs in between.
func (s *System) Jump(input uint32) {
	s.log.Jump(input)
	s.applied = input
}

// Skip marks all due inputs as applied.
func (s *System) Skip() { s.applied = s.Due() }

// Step simulates an input and stores the result.
func (s *System) Step(input uint32) {
	n := s.world.Netcode()
	n.SetTick(s.Numbering.TickOf(input))
	n.SetInputSequence(s.parts.Client, input)
	s.Give(s.log.Value(input))
	s.parts.Follow.Start(input)
	n.SimulateStage().Run(s.world)
	s.parts.Follow.Done()
	s.History.Capture(input)
	s.applied = input
}

// Rewind restores the world after an input. The caller simulates n inputs from first on again, and ends the replay.
func (s *System) Rewind(after uint32) (first, n uint32) {
	first = max(after+1, s.log.First)
	s.world.Netcode().BeginReplay(first - 1)
	s.parts.Follow.Rewind(first)
	s.History.Restore(after)
	return first, s.applied + 1 - min(first, s.applied+1) // it may have gone back to before first
}

// Withdraw withdraws the effects of inputs from one on, without simulating them again.
func (s *System) Withdraw(from uint32) { s.parts.Follow.Rewind(from) }

// Give sets the input of the client's own entities, nil if inputs are empty, and the assumed inputs of co-simulated
// ones.
func (s *System) Give(input unsafe.Pointer) {
	s.world.Netcode().GiveInputs(func(owner uint32) unsafe.Pointer {
		if owner == s.parts.Client {
			return input
		}
		return nil
	})
	if s.parts.Assume != nil {
		for _, r := range s.Scope.others {
			s.assume(r.Entity)
		}
	}
}

// assume sets the assumed input of a co-simulated entity.
func (s *System) assume(e ecs.Entity) {
	p := s.world.Netcode().Pointer(e, s.input)
	if p == nil || s.input.Schema.Size == 0 {
		return
	}
	clear(unsafe.Slice((*byte)(p), s.input.Schema.Size))
	s.parts.Assume(e, p)
	s.input.Schema.Snap(p)
}

// Header is the header of a snapshot: the last input of this client in the state of a send.
type Header struct {
	mirror.Sent
	Input uint32
}

// Numbering relates inputs to server ticks.
type Numbering struct {
	parts       *Parts
	newest      Header
	ring        [mirror.MaxStates]Header // headers of the received snapshots by send: as many as there are states
	corrected   Header                   // the latest one, if owner state arrives as a correction
	coSimulates bool                     // the client simulates entities of other owners, which depend on the tick
}

// ReceiveHeader records the header of a snapshot. low is the low part of its input.
func (n *Numbering) ReceiveHeader(sent mirror.Sent, low uint16) {
	if n.parts.Corrections && sent.Tick > n.corrected.Tick {
		n.corrected = Header{sent, codec.Lift(low, max(n.corrected.Input, n.parts.Inputs.Newest))}
	}
	h := Header{sent, n.snapshotInput(low, sent.Tick)}
	n.ring[sent.Send%mirror.MaxStates] = h
	if sent.Send > n.newest.Send {
		n.newest = h
	}
}

// Newest returns the newest header.
func (n *Numbering) Newest() Header { return n.newest }

// After returns the input of this client that the state of a send includes.
func (n *Numbering) After(send uint32) (input uint32, ok bool) {
	x := &n.ring[send%mirror.MaxStates]
	return x.Input, send != 0 && x.Send == send
}

// Heard returns the newest server tick with known state of this client's own entities, and the last input that it
// includes.
func (n *Numbering) Heard() (tick, input uint32) {
	if n.parts.Corrections {
		return n.corrected.Tick, n.corrected.Input
	}
	own := &n.parts.Mirror.Own.Newest
	return own.Tick, own.Input
}

// TickOf returns the server tick that consumes an input: the tick with which the input is stamped, or the confirmed
// tick plus the number of inputs since (rule A8). With co-simulated entities, which depend on the tick, the newest
// snapshot counts, whatever it contains.
func (n *Numbering) TickOf(input uint32) uint32 {
	if n.parts.Stamped {
		return input
	}
	tick, consumed := n.Heard()
	if n.coSimulates {
		tick, consumed = n.newest.Tick, n.newest.Input
	}
	if tick == 0 {
		return n.parts.Mirror.Newest.Tick
	}
	return uint32(int64(tick) + int64(input) - int64(consumed) - 1)
}

// snapshotInput returns the input that the other entities in a snapshot of a tick include: the one in its header,
// or for stamped inputs that of the tick before, which owner state may not have reached.
func (n *Numbering) snapshotInput(low uint16, tick uint32) uint32 {
	if n.parts.Stamped {
		return tick - 1
	}
	_, input := n.Heard()
	return codec.Lift(low, max(input, n.parts.Inputs.Newest))
}
