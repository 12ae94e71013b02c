package predict

import (
	"unsafe"

	"github.com/tactusgo/tactus/codec"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/inputgather"
	"github.com/tactusgo/tactus/systems/internal/mirror"
)

// System is the system Predict: it applies each input to what the client simulates at once,
// by the rules that the server will apply, and keeps what came of it.
type System struct {
	History   *ecs.History // what was predicted, by input
	Numbering Numbering
	Scope     Scope

	parts   Parts
	world   *ecs.World
	log     *inputgather.Log
	input   *ecs.Component
	applied uint32
	run     func(*ecs.World) // one's own, in place of Run
}

// Parts are what prediction needs of a client.
type Parts struct {
	World  *ecs.World
	Client uint32 // its number, as owner of entities
	Inputs *inputgather.Log
	Mirror *mirror.Mirror
	Follow Follower

	// Stamped says that the number of an input is the tick in which it applies, Delay ticks
	// after it was gathered. Else inputs are numbered one after the other, whichever tick of
	// the server consumes them.
	Stamped bool
	Delay   uint32
	// Corrections says that own state comes only where a prediction was wrong.
	Corrections bool
	// Off says that nothing is predicted: the schedule has no Predict.
	Off bool

	// Mode is what the game says of an entity, nil for nothing. CoSimulates is what holds
	// where it leaves that to ownership.
	Mode        func(*ecs.World, ecs.Entity) Mode
	CoSimulates bool
	// Assume fills the input of another player's entity; nil for neutral ones.
	Assume func(ecs.Entity, unsafe.Pointer)
}

// Follower hears of the simulation of each input.
type Follower interface {
	Start(input uint32) // before
	Done()              // and behind it
	Rewind(from uint32) // before inputs from one on are simulated again
}

// New returns the system, with nothing predicted yet; components are predicted by their bits.
// The history is of so many inputs.
func New(parts Parts, predicted uint64, history int) *System {
	s := &System{parts: parts, world: parts.World, log: parts.Inputs, input: parts.World.Protocol().Input()}
	s.Numbering.parts = &s.parts
	s.Scope = Scope{parts: &s.parts, numbering: &s.Numbering, predicted: predicted}
	s.History = ecs.NewHistory(s.world, history)
	parts.Mirror.Entities.Attach(&s.Scope.modes)
	if !parts.Stamped { // else that is for the clock
		s.Skip()
	}
	return s
}

// Spawns is what was predicted to be spawned and despawned.
func (s *System) Spawns() Spawns { return Spawns{s} }

// Run is the system.
func (s *System) Run(w *ecs.World) {
	if s.run != nil {
		s.run(w)
		return
	}
	s.Step(s.Due())
}

// Replace makes run apply the inputs of each tick, in place of s: with Step, those after Applied
// up to Due, in order.
func (s *System) Replace(run func(*ecs.World)) { s.run = run }

// Due is the input that the world stands after once all that are due have been applied: the
// newest that was gathered, or one gathered a delay before.
func (s *System) Due() uint32 { return s.log.Newest - s.parts.Delay }

// Applied is the newest input that the world stands after. Later ones are gathered.
func (s *System) Applied() uint32 { return s.applied }

// Jump goes on from an input that the server is at, without those in between.
func (s *System) Jump(input uint32) {
	s.log.Jump(input)
	s.applied = input
}

// Skip makes all inputs that are due count as applied.
func (s *System) Skip() { s.applied = s.Due() }

// Step runs Simulate for an input and keeps what came of it.
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

// Rewind takes the world back to where it stood after an input. From first on inputs are to
// be simulated again, up to the newest applied: so many. The caller ends the replay.
func (s *System) Rewind(after uint32) (first, n uint32) {
	first = max(after+1, s.log.First)
	s.world.Netcode().BeginReplay(first - 1)
	s.parts.Follow.Rewind(first)
	s.History.Restore(after)
	return first, s.applied + 1 - min(first, s.applied+1) // it may have gone back behind its first
}

// Withdraw withdraws what followed from inputs from one on, without simulating them again.
func (s *System) Withdraw(from uint32) { s.parts.Follow.Rewind(from) }

// Give hands the own entities an input, nil when inputs are empty, and the co-simulated ones
// what is assumed of theirs, whoever they belonged to before.
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

// assume makes the input of a co-simulated entity what its player is thought to hold.
func (s *System) assume(e ecs.Entity) {
	p := s.world.Netcode().Pointer(e, s.input)
	if p == nil || s.input.Schema.Size == 0 {
		return
	}
	clear(unsafe.Slice((*byte)(p), s.input.Schema.Size))
	s.parts.Assume(e, p)
	s.input.Schema.Snap(p)
}

// Header is what the header of a snapshot said: the last input of this client in the state
// of a send.
type Header struct {
	mirror.Sent
	Input uint32
}

// Numbering is which input goes with which tick of the server.
type Numbering struct {
	parts     *Parts
	newest    Header
	ring      [mirror.MaxStates]Header // of the snapshots that came, by send: as many as there are states
	corrected Header                   // of the latest tick, where own state comes as a correction
	follows   bool                     // the client simulates others, who follow the tick
}

// Told takes in the header of a snapshot, of which the low part of an input travels.
func (n *Numbering) Told(sent mirror.Sent, low uint16) {
	if n.parts.Corrections && sent.Tick > n.corrected.Tick {
		n.corrected = Header{sent, codec.Lift(low, max(n.corrected.Input, n.parts.Inputs.Newest))}
	}
	h := Header{sent, n.inputOf(low, sent.Tick)}
	n.ring[sent.Send%mirror.MaxStates] = h
	if sent.Send > n.newest.Send {
		n.newest = h
	}
}

// Newest is the newest header.
func (n *Numbering) Newest() Header { return n.newest }

// After is the input of this client after which the state of a send stood.
func (n *Numbering) After(send uint32) (input uint32, ok bool) {
	x := &n.ring[send%mirror.MaxStates]
	return x.Input, send != 0 && x.Send == send
}

// Heard is the newest server tick of which this client knows how its own entities stood, and
// the last input that was consumed into it.
func (n *Numbering) Heard() (tick, input uint32) {
	if n.parts.Corrections {
		return n.corrected.Tick, n.corrected.Input
	}
	own := &n.parts.Mirror.Own.Newest
	return own.Tick, own.Input
}

// TickOf is the server tick that consumes an input: the confirmed tick plus the inputs since
// (rule A8); or the one that it is stamped with. With co-simulated entities, which follow the
// tick, it is that of the newest snapshot, whatever that told of.
func (n *Numbering) TickOf(input uint32) uint32 {
	if n.parts.Stamped {
		return input
	}
	tick, consumed := n.Heard()
	if n.follows {
		tick, consumed = n.newest.Tick, n.newest.Input
	}
	if tick == 0 {
		return n.parts.Mirror.Newest.Tick
	}
	return uint32(int64(tick) + int64(input) - int64(consumed) - 1)
}

// inputOf is the input after which others stand in a snapshot of a tick: the one that its
// header says, or, where inputs are stamped, that of its last tick, which own state may not
// have reached.
func (n *Numbering) inputOf(low uint16, tick uint32) uint32 {
	if n.parts.Stamped {
		return tick - 1
	}
	_, input := n.Heard()
	return codec.Lift(low, max(input, n.parts.Inputs.Newest))
}
