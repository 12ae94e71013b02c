package channel

import (
	"errors"
	"fmt"

	"github.com/tactusgo/tactus/codec"
)

// Errors of [Endpoint.Send]: the message was not taken.
var (
	// ErrFull is returned by [Endpoint.Send] when the channel's queue has no room, in messages or in bytes. On
	// a reliable channel the peer does not acknowledge as fast as the game sends: send less, or close the
	// session. Nothing that was taken is lost by it.
	ErrFull = errors.New("channel: queue is full")

	// ErrTooLarge is returned by [Endpoint.Send] for a message longer than its channel's MaxMessage.
	ErrTooLarge = errors.New("channel: message is too large")
)

// Errors of [Endpoint.Receive], beside [codec.ErrShort] and [codec.ErrMalformed] for bytes that are no packet,
// and [codec.ErrTooLarge] for a message longer than its channel's MaxMessage. An honest peer with the same
// [Config.Lines] causes none of them, whatever the network does.
var (
	// ErrWindow is returned for a message of a reliable channel further ahead than the channel's Queue. It
	// wraps [codec.ErrTooLarge].
	ErrWindow = fmt.Errorf("channel: message beyond the window: %w", codec.ErrTooLarge)

	// ErrPieces is returned when more messages of a reliable channel are in pieces, or more of their bytes are
	// held, than the channel's Queue and QueueBytes allow. It wraps [codec.ErrTooLarge].
	ErrPieces = fmt.Errorf("channel: too many pieces: %w", codec.ErrTooLarge)

	// ErrConflict is returned for a piece that contradicts an earlier one of its message. It wraps
	// [codec.ErrMalformed].
	ErrConflict = fmt.Errorf("channel: pieces contradict each other: %w", codec.ErrMalformed)
)

// Errors of typed messages.
var (
	// ErrUnknownType is returned by [Dispatcher.Deliver] for a message of a type that is not registered for its
	// channel, or that has no handler. It wraps [codec.ErrMalformed].
	ErrUnknownType = fmt.Errorf("channel: unknown message type: %w", codec.ErrMalformed)
)
