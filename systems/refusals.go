package systems

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/internal/commands"
)

// Refusal describes something that the server refused.
type Refusal struct {
	Cause RefusalCause
	// Tick is the server tick of the refusal.
	Tick uint32
	// Input is the sequence number of the input, for RefusedInput.
	Input uint32
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
	}
	if c.link.session.Channels().Send(channel.Control, []byte(command)) != nil {
		return fmt.Errorf("%w: %d, Command(%T) is one more", ErrCommands, channel.ControlQueue, v)
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

// CommandStats counts the commands of clients, see [Command]: Taken (executed, or due in the next tick), Refused (by
// Players.RefuseCommands) and Dropped (above Players.CommandRate, or too many waiting), each a uint64.
type CommandStats = commands.Stats
