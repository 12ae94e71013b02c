package systems

import (
	"fmt"
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
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
	c := ownership.Config{Visible: s.config.Visible, Logger: s.config.Logger}
	if accept := s.config.Accept; accept != nil {
		c.Accept = func(w *ecs.World, client uint32, e ecs.Entity, comp *ecs.Component, value unsafe.Pointer) error {
			return accept(w, Change{Client: client, Entity: e, Component: comp, Value: value})
		}
	}
	if err := ownership.Check(list, !s.model.snapshots); err != nil {
		return nil, fmt.Errorf("%w: under %s: %w", ErrConfig, s.policies.Model(), err)
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
)

// String names the cause.
func (c RefusalCause) String() string {
	switch c {
	case RefusedInput:
		return "refused input"
	case RefusedChange:
		return "refused change"
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
