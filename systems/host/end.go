package host

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
)

// Reason is why a session ended, or did not begin, in one number.
type Reason uint8

const (
	// Going: it goes on.
	Going Reason = iota
	// Left: this end closed it.
	Left
	// Closing: the server stops.
	Closing
	// Kicked: the server does not want this client any more.
	Kicked
	// Replaced: the same player came with another session.
	Replaced
	// Protocol: one of the two ends sent what an honest one cannot.
	Protocol
	// Flood: this client sent too much.
	Flood
	// TimedOut: nobody answered for too long.
	TimedOut
	// Elsewhere: the token is for other servers.
	Elsewhere
	// Expired: the token's time is over.
	Expired
	// OtherSchema: the server has another protocol. The text names both lines.
	OtherSchema
	// OtherVersion: the server speaks another version of the wire format.
	OtherVersion
	// Full: the server has no free slot.
	Full
	// Busy: the server has no time; later may do.
	Busy
	// LoginRefused: the server did not take the client as what it asks to be.
	LoginRefused
	// Closed: the server closed it, and said nothing more.
	Closed
	// Other: the text says why.
	Other
	// Away: this end said that the player is away: see [Host.Away].
	Away
	// Rooms is the first of those of package rooms, such as rooms.ReasonClaimed, for which rooms.Explain has words: the
	// number is the same here.
	Rooms Reason = 64
	// Application is the first of those that are the game's own: the reason that the server gave, as a number from
	// netsys.ReasonApplication, is the same here.
	Application Reason = Reason(netsys.ReasonApplication)
)

// ReasonOf is the reason of an error of [New] or of systems.Client.Err; [Going] where that is nil.
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
		{netsys.ErrSchema, OtherSchema}, {netsys.ErrVersion, OtherVersion}, {netsys.ErrLogin, LoginRefused},
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

// Explain says to players, in a sentence or two, why there is no session: the reason of err, or what it says itself where a
// game ended the session with a reason of its own; "" for nil.
func Explain(err error) string {
	text := ReasonOf(err).Explain()
	// The server's own words follow the error, which stands without its package behind another one.
	if _, why, said := strings.Cut(fmt.Sprint(err), strings.TrimPrefix(netsys.ErrLogin.Error(), "netsys: ")+": "); said {
		text += " It says: " + why
	}
	return text
}

// Waiting says to players why there is no session while the client reconnects: what [Explain] says, without what to do.
func Waiting(err error) string {
	text, _, _ := strings.Cut(Explain(err), ". ")
	return strings.TrimSuffix(text, ".") + ". Reconnecting…"
}

// Explain says to players, in a sentence or two, why there is no session; "" for [Going].
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
