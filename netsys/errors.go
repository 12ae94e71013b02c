package netsys

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// Errors of wires.
var (
	// ErrFull is returned by [Wire.Send] and [Session.Send] when a send buffer has no room: the datagram is
	// dropped, exactly as if it had been lost on the way. Later ones may pass.
	ErrFull = errors.New("netsys: send buffer is full")

	// ErrTooLarge is returned by [Wire.Send] above [MaxDatagram] and by [Session.Send] above [MaxPayload].
	ErrTooLarge = errors.New("netsys: datagram is too large")

	// ErrAddrInUse is returned by calls that listen when another socket holds the address.
	ErrAddrInUse = errors.New("netsys: address already in use")

	// ErrClosed is returned by every call on a closed wire, session or endpoint. It is also what a
	// [*CloseError] unwraps to.
	ErrClosed = errors.New("netsys: closed")
)

// Errors of sessions.
var (
	// ErrNotConnected is returned by [Session.Send] of a client whose handshake has not ended.
	ErrNotConnected = errors.New("netsys: not connected")

	// ErrTimeout is the reason given to [Handler.Disconnected] when no valid packet arrived for the
	// configured Timeout, or when a client got no answer within its ConnectTimeout. A server that refuses a token does
	// not tell; its log does, see [ServerConfig.Logger].
	ErrTimeout = errors.New("netsys: timed out")

	// ErrElsewhere is the reason given to [Handler.Disconnected] when a client got no answer at an address that its
	// token does not name. Over WebSocket addresses only stand for servers, and it is [ErrTimeout].
	ErrElsewhere = errors.New("netsys: the connect token is for another server")

	// ErrReplaced is the reason given to [Handler.Disconnected] on a server when the same player came with a new
	// connect token: the client was restarted, or another one took over. The one that was replaced gets a
	// [*CloseError] that matches it.
	ErrReplaced = errors.New("netsys: replaced by a new session of the same player")

	// ErrInsecure is wrapped by [NewServer] without a key and by [NewClient] without a token, where others than
	// this machine could take part.
	ErrInsecure = errors.New("netsys: development mode is for loopback addresses")

	// ErrRefused is the reason given to [Handler.Disconnected] on a client when the server answered no. The
	// same error also matches one of [ErrVersion], [ErrSchema], [ErrLogin], [ErrBusy], [ErrServerFull] and [ErrClosed], which say why.
	ErrRefused = errors.New("netsys: refused")

	// ErrVersion accompanies [ErrRefused]: the server speaks another version of this wire format.
	ErrVersion = errors.New("netsys: wire version differs")

	// ErrSchema accompanies [ErrRefused]: the two ends were built with different schemas. The details are in
	// a [*SchemaError], to be had with errors.As.
	ErrSchema = errors.New("netsys: schema differs")

	// ErrLogin accompanies [ErrRefused]: the server's application did not take the client as what it asks to be. The
	// error ends with what [ServerConfig.Login] said, cut after 300 bytes.
	ErrLogin = errors.New("netsys: login refused")

	// ErrBusy accompanies [ErrRefused]: the server has as many clients as it has time for. Another server, or a later
	// attempt, may do. [ServerConfig.Login] returns it, or an error that wraps it.
	ErrBusy = errors.New("netsys: server is busy, try again later")

	// ErrServerFull accompanies [ErrRefused]: the server has no free slot.
	ErrServerFull = errors.New("netsys: server is full")
)

// endOf is why a session ended, by what netcode says.
func endOf(reason error) error {
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

// refusal is a server's no together with its cause; it matches both with errors.Is.
type refusal struct{ cause error }

func (r *refusal) Error() string {
	return ErrRefused.Error() + ": " + strings.TrimPrefix(r.cause.Error(), "netsys: ")
}

func (r *refusal) Unwrap() []error { return []error{ErrRefused, r.cause} }

// SchemaError says where the schemas of client and server part. It matches [ErrSchema].
type SchemaError struct {
	// Line is the number of the first line of Schema that differs, counted from 1; 0 when the lines are those of
	// channels or messages, which are compared first, or when the server could not tell.
	Line int
	// Server and Client are the two lines; empty where an end has no such line. The server's text is cut
	// after 300 bytes.
	Server, Client string
}

// Error names the first difference.
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

// Reason is why one end closed a session, as told to the other end in one byte. Values from
// [ReasonApplication] on mean what the game says they mean.
type Reason uint8

// The reasons that this package knows.
const (
	// ReasonLeft is the ordinary end.
	ReasonLeft Reason = iota
	// ReasonServerClosing: the server stops.
	ReasonServerClosing
	// ReasonKicked: the server does not want this client any more.
	ReasonKicked
	// ReasonProtocol: the peer sent what an honest peer cannot send.
	ReasonProtocol
	// ReasonReplaced: the same player came with a new token. Such a [*CloseError] matches [ErrReplaced].
	ReasonReplaced
	// ReasonFlood: the client went on sending more packets than the server takes.
	ReasonFlood
	// ReasonAway: the player is away and may come back. A client says so when its page is closed or loaded again. A
	// server says so to a client that acknowledges nothing.
	ReasonAway

	// ReasonApplication is the first value left to games.
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
		return "over its rate for too long"
	case ReasonAway:
		return "away"
	case 64: // from here on those of package rooms
		return "the room has ended"
	case 65:
		return "the room has failed"
	case 66:
		return "banned from the room"
	case 67:
		return "no seat in the room"
	case 68:
		return "the room has moved"
	case 69:
		return "gone on in another room"
	}
	return fmt.Sprintf("reason %d", uint8(r))
}

// CloseError is the reason given to [Handler.Disconnected] when one of the two ends closed the session. It
// matches [ErrClosed].
type CloseError struct {
	// Reason is what the closing end passed to [Session.Close].
	Reason Reason
	// Remote is true when the other end closed, false when this one did.
	Remote bool
}

// Error names the end and its reason.
func (e *CloseError) Error() string {
	if e.Remote {
		return fmt.Sprintf("%v by the peer: %v", ErrClosed, e.Reason)
	}
	return fmt.Sprintf("%v: %v", ErrClosed, e.Reason)
}

// Unwrap returns [ErrClosed].
func (e *CloseError) Unwrap() error { return ErrClosed }

// MayReconnect reports whether another session of the same player may succeed after one ended for this reason: nobody
// answered, the server stops, is full or busy, or the player was away. It is false after the player was replaced, kicked,
// banned or refused, and where the game itself ended the session.
func MayReconnect(reason error) bool {
	var end *CloseError
	if errors.As(reason, &end) {
		return end.Remote && (end.Reason == ReasonLeft || end.Reason == ReasonServerClosing || end.Reason == ReasonAway)
	}
	refused := errors.Is(reason, ErrRefused) && errors.Is(reason, ErrClosed)
	return refused || errors.Is(reason, ErrTimeout) || errors.Is(reason, ErrBusy) || errors.Is(reason, ErrServerFull)
}

// Is reports whether target is [ErrReplaced] and the reason is that.
func (e *CloseError) Is(target error) bool {
	return target == ErrReplaced && e.Reason == ReasonReplaced
}
