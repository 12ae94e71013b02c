package host

import (
	"errors"

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
	// Rooms is the first of those of package rooms, such as rooms.ReasonClaimed, for which rooms.Explain has words: the
	// number is the same here.
	Rooms Reason = 64
	// Application is the first of those that are the game's own: the reason that the server gave, as a number from
	// netsys.ReasonApplication, is the same here.
	Application Reason = Reason(netsys.ReasonApplication)
)

// ReasonOf is the reason of an error of [New] or of systems.Client.Err; [Going] where that is nil.
func ReasonOf(err error) Reason {
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
	if err != nil {
		return Other
	}
	return Going
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
	case !c.Remote:
		return Left
	case c.Reason == netsys.ReasonServerClosing:
		return Closing
	case c.Reason == netsys.ReasonKicked:
		return Kicked
	}
	return Closed
}
