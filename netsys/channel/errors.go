package channel

import (
	"errors"
	"fmt"

	"github.com/tactusgo/tactus/codec"
)

// Errors of [Endpoint.Send]: the message was not queued.
var (
	// ErrFull is returned by [Endpoint.Send] when the channel's queue has no room for the message. On a reliable channel
	// the peer acknowledges more slowly than the game sends: send less, or close the session. Queued messages are not lost.
	ErrFull = errors.New("channel: queue is full")

	// ErrTooLarge is returned by [Endpoint.Send] for a message longer than its channel's MaxMessage.
	ErrTooLarge = errors.New("channel: message is too large")
)

// Errors of [Endpoint.Receive], besides [codec.ErrShort] and [codec.ErrMalformed] for invalid packets and
// [codec.ErrTooLarge] for a message longer than MaxMessage. A correct peer with the same [Config.Lines] never causes them,
// whatever the network does.
var (
	// ErrWindow is returned for a message of a reliable channel whose number is too far ahead for the channel's Queue. It
	// wraps [codec.ErrTooLarge].
	ErrWindow = fmt.Errorf("channel: message beyond the window: %w", codec.ErrTooLarge)

	// ErrPieces is returned when the incomplete messages of a reliable channel exceed the channel's Queue or QueueBytes. It
	// wraps [codec.ErrTooLarge].
	ErrPieces = fmt.Errorf("channel: too many pieces: %w", codec.ErrTooLarge)

	// ErrConflict is returned for a fragment that contradicts an earlier fragment of its message. It wraps
	// [codec.ErrMalformed].
	ErrConflict = fmt.Errorf("channel: pieces contradict each other: %w", codec.ErrMalformed)
)

// Errors of typed messages.
var (
	// ErrUnknownType is returned by [Dispatcher.Deliver] for a message whose type is not registered for its channel or has
	// no handler. It wraps [codec.ErrMalformed].
	ErrUnknownType = fmt.Errorf("channel: unknown message type: %w", codec.ErrMalformed)
)
