package event

import (
	"fmt"

	"github.com/tactusgo/tactus/codec"
)

// Reason says why a server refused an event.
type Reason uint8

// Reasons of refusals.
const (
	// Limited means that the client exceeded the rate of the type. The server reports only the first of several such
	// refusals in a row.
	Limited Reason = iota
	// Invalid means that [Handlers].Validate returned an error.
	Invalid
)

// String returns the name of the reason.
func (r Reason) String() string {
	switch r {
	case Limited:
		return "limited"
	case Invalid:
		return "invalid"
	}
	return fmt.Sprintf("reason %d", uint8(r))
}

// Refusal tells a client that the server did not accept one of its events. The server sends it for types with
// Options.Tell, on the channel of the first such type.
type Refusal struct {
	// Type is the Go type of the event, with its package.
	Type string
	// Input is the input sequence of the event, equal to Sender.Input.
	Input uint32
	// Reason says why. The server does not send the error of Validate.
	Reason Reason
}

// refusal is the wire format of a Refusal.
type refusal struct {
	Type   uint16 `net:"0..1023"`
	Input  uint32 `net:"raw"`
	Reason Reason `net:"enum 2"`
}

// isRefusal reports whether number is the message type of refusals.
func (r *Registry) isRefusal(number uint64) bool {
	return r.refusals != nil && number == r.refusalNumber
}

// readRefusal decodes a refusal of the server.
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
