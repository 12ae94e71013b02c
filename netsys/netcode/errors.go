package netcode

import "errors"

// Errors of tokens and calls.
var (
	// ErrToken is wrapped by [ParseToken] and [NewClient] for bytes or fields that are no connect token of this
	// version of the standard.
	ErrToken = errors.New("netcode: not a connect token")

	// ErrKey is wrapped by [ParseKey] for text that is no key.
	ErrKey = errors.New("netcode: not a key")

	// ErrPayloadSize is returned by [Peer.Send] and [Client.Send] for payloads outside of 1..[MaxPayload] bytes.
	ErrPayloadSize = errors.New("netcode: payload must have 1 to 1200 bytes")

	// ErrNotConnected is returned by [Peer.Send] after the end of the session, and by [Client.Send] before its
	// beginning and after its end.
	ErrNotConnected = errors.New("netcode: not connected")

	// ErrExhausted is returned by [Peer.Send] and [Client.Send] when a session has used up its 1<<63 sequence
	// numbers: one more would repeat a nonce.
	ErrExhausted = errors.New("netcode: sequence numbers exhausted")
)

// Reasons for the end of a session.
var (
	// ErrTimeout: nothing valid came for the timeout in the token. A client whose last server never answered ends
	// with an error that wraps it: a server that refuses a token does not tell.
	ErrTimeout = errors.New("netcode: timed out")

	// ErrDenied: the client's last server had no free slot.
	ErrDenied = errors.New("netcode: denied: the server is full")

	// ErrTokenExpired: the token's lifetime went by before the client was connected, or, by this machine's clock, before
	// it began; then the servers were asked all the same, and did not answer. The client ends with an error that wraps it.
	ErrTokenExpired = errors.New("netcode: connect token expired")

	// ErrDisconnected: the other end ended the session.
	ErrDisconnected = errors.New("netcode: disconnected by the peer")

	// ErrFlood: the client sent more than [ServerConfig.PacketsPerSecond] for two seconds.
	ErrFlood = errors.New("netcode: session over its rate for too long")

	// ErrReplaced: the same client came with another token, see [ServerConfig.Takeover].
	ErrReplaced = errors.New("netcode: replaced by another session of the same client")
)
