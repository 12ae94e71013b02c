package codec

import "errors"

var (
	// ErrShort means that the input ended before the value was complete.
	ErrShort = errors.New("codec: input too short")

	// ErrMalformed means that no encoder of this package can have produced the input: a value is out of range, a value does
	// not use its only valid encoding, or bytes are left over.
	ErrMalformed = errors.New("codec: malformed input")

	// ErrTooLarge means that the input exceeds a limit of the reader.
	ErrTooLarge = errors.New("codec: input exceeds the limit")

	// ErrBaseline means that the input was encoded against a state that the receiver does not have.
	ErrBaseline = errors.New("codec: no such baseline")
)
