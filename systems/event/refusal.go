package event

import (
	"fmt"

	"github.com/tactusgo/tactus/codec"
)

// Reason is why a server refused an event.
type Reason uint8

// The reasons.
const (
	// Limited events were more than the type's rate. The first of several in a row is
	// told of.
	Limited Reason = iota
	// Invalid events were not what [Handlers].Validate accepts.
	Invalid
)

// String names the reason.
func (r Reason) String() string {
	switch r {
	case Limited:
		return "limited"
	case Invalid:
		return "invalid"
	}
	return fmt.Sprintf("reason %d", uint8(r))
}

// Refusal is what a client hears of an event of its own that the server did not take, if
// the type has Options.Tell. It travels on the channel of the first type that has it.
type Refusal struct {
	// Type is the name of the Go type of the event, with its package.
	Type string
	// Input is the input sequence that the event carried, as Sender.Input was.
	Input uint32
	// Reason is why; what Validate says is not told.
	Reason Reason
}

// refusal is a refusal on the wire.
type refusal struct {
	Type   uint16 `net:"0..1023"`
	Input  uint32 `net:"raw"`
	Reason Reason `net:"enum 2"`
}

// isRefusal reports whether messages of a number are refusals.
func (r *Registry) isRefusal(number uint64) bool { return r.refusals != nil && number == r.told }

// readRefusal reads what the server told.
func (r *Registry) readRefusal(message []byte, v *refusal) (Refusal, error) {
	if err := r.refusals.Read(message, v); err != nil {
		return Refusal{}, fmt.Errorf("%w: %w", ErrEvent, err)
	}
	k := r.byNumber[uint64(v.Type)]
	if k == nil || !k.options.Tell {
		return Refusal{}, fmt.Errorf("%w: a refusal of type %d: %w", ErrEvent, v.Type, codec.ErrMalformed)
	}
	return Refusal{k.name, v.Input, v.Reason}, nil
}
