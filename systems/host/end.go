package host

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
)

// Reason is the reason why a session ended or was refused.
type Reason uint8

const (
	// Going: the session continues.
	Going Reason = iota
	// Left: the client closed the session.
	Left
	// Closing: the server is shutting down.
	Closing
	// Kicked: the server removed this client.
	Kicked
	// Replaced: the same player connected with another session.
	Replaced
	// Protocol: one side received data that violates the protocol.
	Protocol
	// Flood: this client sent too much.
	Flood
	// TimedOut: no packet arrived for too long.
	TimedOut
	// Elsewhere: the token is for other servers.
	Elsewhere
	// Expired: the token has expired.
	Expired
	// OtherSchema: the server has another protocol. The text names both lines.
	OtherSchema
	// OtherVersion: the server uses another version of the wire format, or a recording is of other rules.
	OtherVersion
	// Full: the server has no free slot.
	Full
	// Busy: the server is overloaded. A later attempt may succeed.
	Busy
	// LoginRefused: the server refused the login.
	LoginRefused
	// Closed: the server closed the session without a reason.
	Closed
	// Other: see the text.
	Other
	// Away: the client reported the player as away: see [Host.Away].
	Away
	// Rooms is the first reason of package rooms, such as rooms.ReasonClaimed. The numbers are those of package rooms, and
	// rooms.Explain describes them to players.
	Rooms Reason = 64
	// Application is the first reason that a game defines. The numbers equal those that the server passes, from
	// netsys.ReasonApplication.
	Application Reason = Reason(netsys.ReasonApplication)
)

// ReasonOf returns the reason of an error of [New] or of systems.Client.Err, and [Going] for nil.
func ReasonOf(err error) Reason {
	if err == nil {
		return Going
	}
	var closed *netsys.CloseError
	if errors.As(err, &closed) {
		return reasonOfClose(closed)
	}
	for _, r := range [...]struct {
		err    error
		reason Reason
	}{
		{netsys.ErrSchema, OtherSchema}, {netsys.ErrVersion, OtherVersion}, {systems.ErrRules, OtherVersion}, {netsys.ErrLogin, LoginRefused},
		{netsys.ErrBusy, Busy}, {netsys.ErrServerFull, Full}, {netsys.ErrReplaced, Replaced},
		{netcode.ErrTokenExpired, Expired}, {netsys.ErrElsewhere, Elsewhere}, {netsys.ErrTimeout, TimedOut},
		{netsys.ErrClosed, Closed},
	} {
		if errors.Is(err, r.err) {
			return r.reason
		}
	}
	return Other
}

// Explain describes to players, in one or two sentences, why there is no session. It appends the server's own text if a
// login was refused with one. Explain returns "" for nil.
func Explain(err error) string {
	text := ReasonOf(err).Explain()
	// The server's text follows the text of netsys.ErrLogin, which an outer error quotes without "netsys: ".
	if _, why, said := strings.Cut(fmt.Sprint(err), strings.TrimPrefix(netsys.ErrLogin.Error(), "netsys: ")+": "); said {
		text += " It says: " + why
	}
	return text
}

// Waiting describes to players why there is no session while the client reconnects. It returns the first sentence of
// [Explain] followed by "Reconnecting…".
func Waiting(err error) string {
	text, _, _ := strings.Cut(Explain(err), ". ")
	return strings.TrimSuffix(text, ".") + ". Reconnecting…"
}

// Explain describes to players, in one or two sentences, why there is no session. It returns "" for [Going].
func (r Reason) Explain() string {
	switch r {
	case Going:
		return ""
	case Left:
		return "You have left the game."
	case Closing:
		return "The server is closing down. Play again when it is back."
	case Kicked:
		return "You were removed from the game."
	case Replaced:
		return "You are playing in another window. Close it, or play here instead."
	case Protocol, Flood:
		return "The connection was closed because of faulty data. Play again."
	case TimedOut:
		return "The server is not responding. Check your network, and try again."
	case Elsewhere, Expired:
		return "Your admission is no longer valid. Reload the page or log in again."
	case OtherSchema, OtherVersion:
		return "The server runs another version of the game. Reload the page or update the game."
	case Full:
		return "All places are taken. Try again later."
	case Busy:
		return "Too many players want to join at once. Try again in a moment."
	case LoginRefused:
		return "The server did not let you in."
	case Closed:
		return "The server has ended the session. Play again."
	case Away:
		return "You were away. Play again."
	case Rooms:
		return "The room has ended. Join another room."
	case Rooms + 1:
		return "The room has failed and ended. That is not your fault. Join another room."
	case Rooms + 2:
		return "You are banned from this room. Join another room."
	case Rooms + 3:
		return "Your seat was given away. Join the room again, or another one."
	case Rooms + 4:
		return "The room has moved to another server. Join it again."
	case Rooms + 5:
		return "You have gone on to another room."
	}
	return "The game has ended."
}

func reasonOfClose(c *netsys.CloseError) Reason {
	switch {
	case Reason(c.Reason) >= Rooms:
		return Reason(c.Reason)
	case c.Reason == netsys.ReasonProtocol:
		return Protocol
	case c.Reason == netsys.ReasonFlood:
		return Flood
	case c.Reason == netsys.ReasonReplaced:
		return Replaced
	case c.Reason == netsys.ReasonAway:
		return Away
	case !c.Remote:
		return Left
	case c.Reason == netsys.ReasonServerClosing:
		return Closing
	case c.Reason == netsys.ReasonKicked:
		return Kicked
	}
	return Closed
}
