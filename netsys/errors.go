package netsys

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// Errors of wires.
var (
	// ErrFull is returned by [Wire.Send] and [Session.Send] if a send buffer is full. The datagram is lost. Later datagrams may be
	// sent.
	ErrFull = errors.New("netsys: send buffer is full")

	// ErrTooLarge is returned by [Wire.Send] above [MaxDatagram] and by [Session.Send] above [MaxPayload].
	ErrTooLarge = errors.New("netsys: datagram is too large")

	// ErrAddrInUse is returned by functions that listen if another socket has the address.
	ErrAddrInUse = errors.New("netsys: address already in use")

	// ErrClosed is returned by calls on a closed wire, session or endpoint. A [*CloseError] wraps it.
	ErrClosed = errors.New("netsys: closed")
)

// Errors of sessions.
var (
	// ErrNotConnected is returned by [Session.Send] of a client before the end of the handshake.
	ErrNotConnected = errors.New("netsys: not connected")

	// ErrTimeout is the reason given to [Handler.Disconnected] if no valid packet arrived for the configured Timeout, or if a
	// client got no answer within its ConnectTimeout. A server does not answer a client whose token it refuses. Its log has the
	// reason: see [ServerConfig.Logger].
	ErrTimeout = errors.New("netsys: timed out")

	// ErrElsewhere is the reason given to [Handler.Disconnected] if a client got no answer at an address that its token does not
	// name. Over WebSocket the reason is [ErrTimeout], because the wire does not know the server's address.
	ErrElsewhere = errors.New("netsys: the connect token is for another server")

	// ErrReplaced is the reason given to [Handler.Disconnected] on a server if the same player connected with a new connect token:
	// the client was restarted, or another client took over. The replaced client gets a [*CloseError] that matches ErrReplaced.
	ErrReplaced = errors.New("netsys: replaced by a new session of the same player")

	// ErrInsecure is wrapped by the errors of [NewServer] without a key and of [NewClient] without a token, if other machines could
	// connect.
	ErrInsecure = errors.New("netsys: development mode is for loopback addresses")

	// ErrRefused is the reason given to [Handler.Disconnected] on a client that the server refused. The same error also matches the
	// cause: [ErrVersion], [ErrSchema], [ErrLogin], [ErrBusy], [ErrServerFull] or [ErrClosed].
	ErrRefused = errors.New("netsys: refused")

	// ErrVersion is a cause of [ErrRefused]: the server uses another version of this wire format.
	ErrVersion = errors.New("netsys: wire version differs")

	// ErrSchema is a cause of [ErrRefused]: the two ends were built with different schemas. errors.As finds a [*SchemaError] with
	// the details.
	ErrSchema = errors.New("netsys: schema differs")

	// ErrLogin is a cause of [ErrRefused]: the server's application refused the client's login. The text of the error ends with
	// that of the error from [ServerConfig.Login], truncated to 300 bytes.
	ErrLogin = errors.New("netsys: login refused")

	// ErrBusy is a cause of [ErrRefused]: the server is overloaded. Another server or a later attempt may succeed.
	// [ServerConfig.Login] returns ErrBusy or an error that wraps it.
	ErrBusy = errors.New("netsys: server is busy, try again later")

	// ErrServerFull is a cause of [ErrRefused]: the server has no free place. [ServerConfig.Login] may return it, or an error that
	// wraps it.
	ErrServerFull = errors.New("netsys: server is full")
)

// endReason converts netcode's reason for the end of a session to an error of this package.
func endReason(reason error) error {
	switch {
	case errors.Is(reason, netcode.ErrTimeout):
		return ErrTimeout
	case errors.Is(reason, netcode.ErrReplaced):
		return ErrReplaced
	case errors.Is(reason, netcode.ErrFlood):
		return &CloseError{Reason: ReasonFlood}
	case errors.Is(reason, netcode.ErrDenied):
		return &refusal{ErrServerFull}
	case errors.Is(reason, netcode.ErrDisconnected):
		return &CloseError{Reason: ReasonLeft, Remote: true}
	}
	return reason
}

// refusal is [ErrRefused] with its cause. It matches both with errors.Is.
type refusal struct{ cause error }

func (r *refusal) Error() string {
	return ErrRefused.Error() + ": " + strings.TrimPrefix(r.cause.Error(), "netsys: ")
}

func (r *refusal) Unwrap() []error { return []error{ErrRefused, r.cause} }

// SchemaError describes the first difference between the schemas of client and server. It matches [ErrSchema].
type SchemaError struct {
	// Line is the number of the first different line of Schema, counted from 1. It is 0 if the lines belong to channels or
	// messages, which are compared first, or if the server could not find the line.
	Line int
	// Server and Client are the two lines, empty if an end has no such line. The server's line is truncated to 300 bytes.
	Server, Client string
}

// Error describes the first difference.
func (e *SchemaError) Error() string {
	switch {
	case e.Line != 0:
		return fmt.Sprintf("%v at line %d: server has %s, client has %s", ErrSchema, e.Line, quoteLine(e.Server), quoteLine(e.Client))
	case e.Server != e.Client:
		return fmt.Sprintf("%v: server has %s, client has %s", ErrSchema, quoteLine(e.Server), quoteLine(e.Client))
	}
	return ErrSchema.Error()
}

// Unwrap returns [ErrSchema].
func (e *SchemaError) Unwrap() error { return ErrSchema }

func quoteLine(s string) string {
	if s == "" {
		return "no such line"
	}
	return fmt.Sprintf("%q", s)
}

// Reason is why one end closed a session. The other end receives it in one byte. Games define the values from [ReasonApplication]
// on.
type Reason uint8

// The reasons that this package defines.
const (
	// ReasonLeft: the client left, or the server ended the session normally.
	ReasonLeft Reason = iota
	// ReasonServerClosing: the server stops.
	ReasonServerClosing
	// ReasonKicked: the server removed the client.
	ReasonKicked
	// ReasonProtocol: the peer sent too many malformed packets.
	ReasonProtocol
	// ReasonReplaced: the same player connected with a new token. A [*CloseError] with this reason matches [ErrReplaced].
	ReasonReplaced
	// ReasonFlood: the client kept sending more packets than the server accepts.
	ReasonFlood
	// ReasonAway: the player is away and may come back. A client sends this when its page is closed or reloaded. A server sends it
	// to a client that acknowledges nothing.
	ReasonAway

	// ReasonApplication is the first value for games.
	ReasonApplication Reason = 128
)

// String names the reason.
func (r Reason) String() string {
	switch r {
	case ReasonLeft:
		return "left"
	case ReasonServerClosing:
		return "server closing"
	case ReasonKicked:
		return "kicked"
	case ReasonProtocol:
		return "protocol violated"
	case ReasonReplaced:
		return "replaced by a new session"
	case ReasonFlood:
		return "exceeded its rate for too long"
	case ReasonAway:
		return "away"
	case 64: // from here on: reasons of package rooms
		return "the room has ended"
	case 65:
		return "the room has failed"
	case 66:
		return "banned from the room"
	case 67:
		return "no seat in the room"
	case 68:
		return "the room has moved"
	}
	return fmt.Sprintf("reason %d", uint8(r))
}

// CloseError is the reason given to [Handler.Disconnected] if one of the two ends closed the session. It matches [ErrClosed].
type CloseError struct {
	// Reason is the argument of [Session.Close] on the closing end.
	Reason Reason
	// Remote is true if the other end closed the session.
	Remote bool
}

// Error describes which end closed the session, and the reason.
func (e *CloseError) Error() string {
	if e.Remote {
		return fmt.Sprintf("%v by the peer: %v", ErrClosed, e.Reason)
	}
	return fmt.Sprintf("%v: %v", ErrClosed, e.Reason)
}

// Unwrap returns [ErrClosed].
func (e *CloseError) Unwrap() error { return ErrClosed }

// MayReconnect reports whether a new session of the same player may succeed after a session ended for this reason: no answer, the
// server stops, is full or busy, or the player was away. It reports false if the player was replaced, kicked, banned or refused
// for another reason, and if the game itself ended the session.
func MayReconnect(reason error) bool {
	var end *CloseError
	if errors.As(reason, &end) {
		return end.Remote && (end.Reason == ReasonLeft || end.Reason == ReasonServerClosing || end.Reason == ReasonAway)
	}
	refused := errors.Is(reason, ErrRefused) && errors.Is(reason, ErrClosed)
	return refused || errors.Is(reason, ErrTimeout) || errors.Is(reason, ErrBusy) || errors.Is(reason, ErrServerFull)
}

// Is reports whether target is [ErrReplaced] and the reason is [ReasonReplaced].
func (e *CloseError) Is(target error) bool {
	return target == ErrReplaced && e.Reason == ReasonReplaced
}
