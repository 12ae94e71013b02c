package codec

import "errors"

var (
	// ErrShort says that the input ended before the value did.
	ErrShort = errors.New("codec: input too short")

	// ErrMalformed says that the input is not something that this package
	// writes: a value out of its bounds, a second spelling of the same value,
	// or bytes left over.
	ErrMalformed = errors.New("codec: malformed input")

	// ErrTooLarge says that the input asks for more than the reader's limit:
	// [Decompressor.Append] for bytes, [Decoder.Decode] for entities.
	ErrTooLarge = errors.New("codec: input exceeds the limit")

	// ErrBaseline is returned by [Decoder.Decode] when an entity is coded
	// against a baseline that the receiver does not hold.
	ErrBaseline = errors.New("codec: baseline not held")
)
