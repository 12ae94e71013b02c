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

// Change is a client's value for a component registered with ecs.ClientOwned, which the server may accept.
type Change struct {
	Client    uint32
	Entity    ecs.Entity
	Component *ecs.Component
	// Value points to the value, within its declared range. It is valid during the call and must not be written.
	// [Changed] returns it with its type.
	Value unsafe.Pointer
}

// Changed returns the value of a change if it is about component T; otherwise is is false.
func Changed[T any](w *ecs.World, c Change) (value T, is bool) {
	if ecs.ComponentOf[T](w.Protocol()) != c.Component {
		return value, false
	}
	return *(*T)(c.Value), true
}

// ChangeStats counts the values of ecs.ClientOwned components that a client sent.
type ChangeStats struct {
	Taken   uint64 // accepted and written to the world
	Refused uint64 // refused by ServerConfig.Players.Accept
	Unowned uint64 // of components that the client may not write: forged, or revoked while they were in flight
	Flooded uint64 // of more components than the server stores for a client
}

// Grant gives the authority over the ecs.ClientOwned components of an entity to a client, or to the server alone if
// client is 0. Without a grant the components.Owner has it. It holds from the coming tick until the next Grant or
// [Revoke] of the entity. Values of the previous holder have no effect from then on, even those in flight, and that
// client is notified. w is a server's world; in a client's world Grant does nothing.
func Grant(w *ecs.World, e ecs.Entity, client uint32) { ownership.Give(w, e, client) }

// Revoke returns the authority over the ecs.ClientOwned components of an entity to the server, which may write them
// from then on. See [Grant].
func Revoke(w *ecs.World, e ecs.Entity) { Grant(w, e, 0) }

// newOwned prepares a server for client-owned components.
func newOwned(s *Server) (*ownership.Server, error) {
	list := ownership.Components(s.protocol)
	c := ownership.Config{Logger: s.config.Logger, Sees: func(e ecs.Entity, client uint32) bool {
		return s.sees(s.world, event.Subject{Entity: e}, client)
	}}
	if accept := s.config.Players.Accept; accept != nil {
		c.Accept = func(w *ecs.World, client uint32, e ecs.Entity, comp *ecs.Component, value unsafe.Pointer) error {
			return accept(w, Change{Client: client, Entity: e, Component: comp, Value: value})
		}
	}
	if s.flight != nil && s.model.line == nil {
		c.Wrote = s.flight.wrote
	}
	if err := ownership.Check(list, !s.model.snapshots); err != nil {
		return nil, fmt.Errorf("%w: under %s: %w", ErrConfig, s.config.Model, err)
	}
	return ownership.NewServer(s.world, list, c), nil
}

// Refusal describes something that the server refused.
type Refusal struct {
	Cause RefusalCause
	// Tick is the server tick of the refusal.
	Tick uint32
	// Input is the sequence number of the input, for RefusedInput.
	Input uint32
	// NetID and Component name the component, for RefusedChange.
	NetID     components.NetID
	Component string
	// Command is the type of the command without its package, for RefusedCommand.
	Command string
	// Inputs is the total number of excess inputs, for TooFast.
	Inputs uint64
	// Reason is the game's reason, up to [MaxReason] bytes.
	Reason string
}

// RefusalCause is the cause of a [Refusal].
type RefusalCause uint8

const (
	// RefusedInput: ServerConfig.Players.Refuse refused an input.
	RefusedInput RefusalCause = iota
	// RefusedChange: ServerConfig.Players.Accept refused a value of an ecs.ClientOwned component. The client's world has
	// the server's value again, unless a newer value is in flight.
	RefusedChange
	// TooFast: inputs in excess of one per tick. None of them makes a player faster.
	TooFast
	// RefusedCommand: one of ServerConfig.Players.RefuseCommands refused a command, or the command exceeded
	// ServerConfig.Players.CommandRate. No peer runs it.
	RefusedCommand
)

// String returns the name of the cause.
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

// RefuseFunc checks an input before it is simulated. Create it with [Refuse].
type RefuseFunc struct {
	check     func(w *ecs.World, client uint32, in unsafe.Pointer) error
	component func(*ecs.Protocol) *ecs.Component
}

// Refuse returns a RefuseFunc that calls check. An error of check refuses the input and is the reason. T must be
// the protocol's input type; otherwise [NewServer] returns an error. check must not write the input or the world.
func Refuse[T any](look func(w *ecs.World, client uint32, in *T) error) RefuseFunc {
	return RefuseFunc{
		check:     func(w *ecs.World, client uint32, p unsafe.Pointer) error { return look(w, client, (*T)(p)) },
		component: ecs.ComponentOf[T],
	}
}

// ErrCommands is wrapped by the error of [Command] if 32 commands, the maximum, wait for the server's
// acknowledgement. Try again later.
var ErrCommands = errors.New("systems: too many commands wait for the server")

// ErrNotConnected is wrapped by the error of [Command] for a client without a session.
var ErrNotConnected = errors.New("systems: not connected")

// Command asks the server to run v, a value of a type registered with [ecs.Command], in the name of a client. While
// the session lasts it arrives exactly once and in order. Its effect is not predicted. The server may refuse it;
// ClientConfig.OnRefused is then called. Numbers outside their range are clamped. Errors wrap [ErrNotConnected] or
// [ErrCommands], or say that the type is not registered.
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
		return fmt.Errorf("%w: %d, Command(%T) is one more", ErrCommands, commands.MaxWaiting, v)
	}
	return nil
}

// CommandFor makes the server run v as a command of a client, at the start of the next tick after the next Receive,
// after that client's own commands: for event handlers, bots and server operators. The client does not have to be
// connected; 0 stands for no client. RefuseCommands and CommandRate do not apply. CommandFor returns an error if
// the type is not registered with [ecs.Command]. Call it on the server's goroutine.
func CommandFor(s *Server, client uint32, v any) error {
	command, err := s.protocol.Players().Pack(v)
	if err != nil {
		return fmt.Errorf("systems: CommandFor: %w", err)
	}
	s.sessions.commands.Issue(commands.Entry{Player: client, Value: command})
	return nil
}

// RefuseCommandFunc checks commands of one type. Create it with [RefuseCommand].
type RefuseCommandFunc = commands.Refuse

// RefuseCommand returns a RefuseCommandFunc that calls check. An error of check refuses the command; the client
// receives its text, up to [MaxReason] bytes. T must be registered with [ecs.Command]; otherwise [NewServer]
// returns an error. check is called in Receive, before any peer runs the command, with the current world, which it
// must not change.
func RefuseCommand[T any](check func(w *ecs.World, client uint32, v *T) error) RefuseCommandFunc {
	return commands.NewRefuse(check)
}

// CommandStats counts the commands of clients; see [Command].
type CommandStats = commands.Stats
