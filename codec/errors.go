package codec

import "errors"

var (
	// ErrShort says that the input ended before the value did.
	ErrShort = errors.New("codec: input too short")

	// ErrMalformed says that the input is not something that this package
	// writes: a value out of its bounds, a second spelling of the same value,
	// or bytes left over.
	ErrMalformed = errors.New("codec: malformed input")

	// ErrTooLarge says that the input asks for more than the reader's limit.
	ErrTooLarge = errors.New("codec: input exceeds the limit")

	// ErrBaseline says that the input stands on a state that the receiver does
	// not hold.
	ErrBaseline = errors.New("codec: baseline not held")
)
