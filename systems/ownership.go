package systems

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/internal/commands"
	"github.com/tactusgo/tactus/systems/internal/ownership"
)

// Change is a value that a client wrote to a component registered with
// ecs.ClientOwned, and asks the server to take over.
type Change struct {
	Client    uint32
	Entity    ecs.Entity
	Component *ecs.Component
	// Value points at the value, within its declared range. It is valid during the
	// call and must not be written; [Changed] has the type.
	Value unsafe.Pointer
}

// Changed is the value that a change brings of the component T; false where it is about
// another component.
func Changed[T any](w *ecs.World, c Change) (value T, is bool) {
	if ecs.ComponentOf[T](w.Protocol()) != c.Component {
		return value, false
	}
	return *(*T)(c.Value), true
}

// ChangeStats counts what became of values of ecs.ClientOwned components that a client
// sent.
type ChangeStats struct {
	Taken   uint64 // accepted, and written to the world
	Refused uint64 // by ServerConfig.Accept
	Unowned uint64 // of components that are not the client's: forged, or taken back while they were on their way
	Flooded uint64 // of more components than are kept for a client
}

// Grant gives the authority over the ecs.ClientOwned components of an entity to a
// client, or to nobody but the server when client is 0. Without it their authority lies
// with the components.Owner. It holds from the coming tick on, until the next Grant or
// [Revoke] of the entity: what its former holder writes has no effect any more, also what
// is on its way, and that client learns of it. w is a server's world; in the world
// of a client Grant does nothing.
func Grant(w *ecs.World, e ecs.Entity, client uint32) { ownership.Give(w, e, client) }

// Revoke takes the authority over the ecs.ClientOwned components of an entity back to
// the server, which may write them from then on. See [Grant].
func Revoke(w *ecs.World, e ecs.Entity) { Grant(w, e, 0) }

// newOwned prepares a server for client-owned components.
func newOwned(s *Server) (*ownership.Server, error) {
	list := ownership.Components(s.protocol)
	c := ownership.Config{Logger: s.config.Logger, Sees: func(e ecs.Entity, client uint32) bool {
		return s.sees(s.world, event.Subject{Entity: e}, client)
	}}
	if accept := s.config.Accept; accept != nil {
		c.Accept = func(w *ecs.World, client uint32, e ecs.Entity, comp *ecs.Component, value unsafe.Pointer) error {
			return accept(w, Change{Client: client, Entity: e, Component: comp, Value: value})
		}
	}
	if err := ownership.Check(list, !s.model.snapshots); err != nil {
		return nil, fmt.Errorf("%w: under %s: %w", ErrConfig, s.config.Policies.Model(), err)
	}
	return ownership.NewServer(s.world, list, c), nil
}

// Refusal is what a client is told that the server did not accept.
type Refusal struct {
	Cause RefusalCause
	// Tick is the server tick in which that was.
	Tick uint32
	// Input is the sequence of the input, of RefusedInput.
	Input uint32
	// NetID and Component are what was to be changed, of RefusedChange.
	NetID     components.NetID
	Component string
	// Command is the type of the command, without its package, of RefusedCommand.
	Command string
	// Inputs is how many inputs there were too many in all, of TooFast.
	Inputs uint64
	// Reason is what the game said, up to [MaxReason] bytes.
	Reason string
}

// RefusalCause says what a [Refusal] is about.
type RefusalCause uint8

const (
	// RefusedInput is an input that ServerConfig.Refuse did not let pass.
	RefusedInput RefusalCause = iota
	// RefusedChange is a value of an ecs.ClientOwned component that ServerConfig.Accept
	// did not let pass. In the client's world the component is back to the server's value,
	// unless a newer one is on its way.
	RefusedChange
	// TooFast are inputs beyond one a tick. None of them makes a player faster.
	TooFast
	// RefusedCommand is a command that one of ServerConfig.RefuseCommands did not let pass, or one too many for
	// ServerConfig.CommandRate. It runs nowhere.
	RefusedCommand
)

// String names the cause.
func (c RefusalCause) String() string {
	switch c {
	case RefusedInput:
		return "refused input"
	case RefusedChange:
		return "refused change"
	case RefusedCommand:
		return "refused command"
	}
	return "too fast"
}

// RefuseFunc looks at one input before it is simulated. Make one with [Refuse].
type RefuseFunc struct {
	look func(w *ecs.World, client uint32, in unsafe.Pointer) error
	of   func(*ecs.Protocol) *ecs.Component
}

// Refuse makes a RefuseFunc of a typed function, whose error refuses the input and is the
// reason. T must be the protocol's input type; [NewServer] says so when it is not. The
// input must not be written, nor the world.
func Refuse[T any](look func(w *ecs.World, client uint32, in *T) error) RefuseFunc {
	return RefuseFunc{
		look: func(w *ecs.World, client uint32, p unsafe.Pointer) error { return look(w, client, (*T)(p)) },
		of:   ecs.ComponentOf[T],
	}
}

// ErrCommands is wrapped by the error of [Command] when as many commands wait as may, 32: the server has not
// acknowledged them. Try again later, or ask for less.
var ErrCommands = errors.New("systems: too many commands wait for the server")

// ErrNotConnected is wrapped by the error of [Command] for a client that has no session, or none any more.
var ErrNotConnected = errors.New("systems: not connected")

// Command asks the server to run v, a value of a type that the protocol has registered with [ecs.Command], in the
// name of a client. It arrives, once, and in the order in which commands were given, while the session lasts; what
// it does is not predicted. The server may refuse it, of which ClientConfig.OnRefused hears. Numbers out of
// their range go as the nearest in it. The errors wrap [ErrNotConnected] or [ErrCommands], or say that the type is not
// registered.
func Command(c *Client, v any) error {
	command, err := c.protocol.Players().Pack(v)
	switch {
	case err != nil:
		return fmt.Errorf("systems: Command: %w", err)
	case !c.Connected():
		return fmt.Errorf("%w: Command(%T) needs a session: wait until Connected reports true", ErrNotConnected, v)
	case c.link.commands == nil:
		c.link.commands = new(commands.Queue)
	}
	if !c.link.commands.Add(command) {
		return fmt.Errorf("%w: %d, Command(%T) is one more", ErrCommands, commands.Most, v)
	}
	return nil
}

// CommandFor makes the server run v as a command of a client, at the begin of the next tick that begins after it has
// received again, behind what that client sent: for handlers of events, bots and whoever runs the server. The client
// need not be there; 0 is nobody. RefuseCommands are not asked, and CommandRate does not count it. It returns an error for
// a type that the protocol has not registered with [ecs.Command]. Call it on the server's goroutine.
func CommandFor(s *Server, client uint32, v any) error {
	command, err := s.protocol.Players().Pack(v)
	if err != nil {
		return fmt.Errorf("systems: CommandFor: %w", err)
	}
	s.sessions.desk.Order(commands.Entry{Player: client, Value: command})
	return nil
}

// RefuseCommandFunc looks at the commands of a type. Make one with [RefuseCommand].
type RefuseCommandFunc = commands.Refuse

// RefuseCommand makes a RefuseCommandFunc of a typed function, whose error refuses the command; its text, up to
// [MaxReason] bytes, is what the client is told. T is registered with [ecs.Command], and [NewServer] says so when it is
// not. look is called in Receive, before any peer runs the command, with the world as it stands, which it must
// not change.
func RefuseCommand[T any](look func(w *ecs.World, client uint32, v *T) error) RefuseCommandFunc {
	return commands.NewRefuse(look)
}

// CommandStats counts what became of the commands of clients; see [Command].
type CommandStats = commands.Stats
