package netcode

import "errors"

// Errors of tokens and calls.
var (
	// ErrToken is wrapped by [ParseToken] and [NewClient] if the bytes or fields are not a connect token of this version of
	// the standard.
	ErrToken = errors.New("netcode: not a connect token")

	// ErrKey is wrapped by [ParseKey] if the text is not a key.
	ErrKey = errors.New("netcode: not a key")

	// ErrPayloadSize is returned by [Peer.Send] and [Client.Send] for payloads outside 1..[MaxPayload] bytes.
	ErrPayloadSize = errors.New("netcode: payload must have 1 to 1200 bytes")

	// ErrNotConnected is returned by [Peer.Send] after the end of the session, and by [Client.Send] outside the session.
	ErrNotConnected = errors.New("netcode: not connected")

	// ErrExhausted is returned by [Peer.Send] and [Client.Send] when all 1<<63 sequence numbers of a session are used:
	// another packet would reuse a nonce.
	ErrExhausted = errors.New("netcode: sequence numbers exhausted")
)

// Reasons for the end of a session.
var (
	// ErrTimeout: no valid packet arrived within the token's timeout. A client whose last server never answered ends with
	// an error that wraps ErrTimeout, because a server does not answer a refused token.
	ErrTimeout = errors.New("netcode: timed out")

	// ErrDenied: the client's last server had no free slot.
	ErrDenied = errors.New("netcode: denied: the server is full")

	// ErrTokenExpired: the token expired before the client was connected. If the token had already expired by this
	// machine's clock, the client still tried the servers, and none answered. The client's error wraps ErrTokenExpired.
	ErrTokenExpired = errors.New("netcode: connect token expired")

	// ErrDisconnected: the other side ended the session.
	ErrDisconnected = errors.New("netcode: disconnected by the peer")

	// ErrFlood: the client exceeded [ServerConfig.PacketsPerSecond] for two seconds.
	ErrFlood = errors.New("netcode: session over its rate for too long")

	// ErrReplaced: the same client connected with another token; see [ServerConfig.Takeover].
	ErrReplaced = errors.New("netcode: replaced by another session of the same client")
)
