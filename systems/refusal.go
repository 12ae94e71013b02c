package systems

import (
	"unsafe"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

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
