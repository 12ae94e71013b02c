package netsys

import "github.com/tactusgo/tactus/netsys/internal/tally"

// DropReason is why an endpoint threw a packet away that netcode had found authentic. What netcode itself throws
// away is counted by [netcode.DropReason].
type DropReason uint8

// The reasons, in the order in which a packet is examined.
const (
	// DropNone is not a reason: what is not dropped.
	DropNone DropReason = iota
	// DropTooShort: shorter than its type needs.
	DropTooShort
	// DropTooLong: longer than its type can be.
	DropTooLong
	// DropUnknownType: the first byte is no packet type.
	DropUnknownType
	// DropUnexpected: a type that this end never receives, or not in its present state.
	DropUnexpected
	// DropMalformed: the contents are none of that type.
	DropMalformed
	// DropVersion: a hello of another wire version. Refused.
	DropVersion
	// DropSchema: a hello with another schema. Refused.
	DropSchema
	// DropClosing: a hello after [Server.StopAccepting]. Refused.
	DropClosing
	// DropLogin: a hello that [ServerConfig.Login] refused.
	DropLogin
	// DropHalfOpen: not a packet but a client, which had a slot for 5 s and said no hello, or did not come back after
	// the welcome.
	DropHalfOpen
	// DropFlood: not a packet but a client, which went on sending more packets than the server takes.
	DropFlood
	// DropDuplicate: a number that has been received before, or a packet of the handshake that came again.
	DropDuplicate
	// DropStale: a packet so far behind the newest that nobody can tell whether it was received.
	DropStale
	// DropChannels: the payload, if any, was delivered, and the bytes of channels are such as no honest peer sends.
	DropChannels

	dropReasons
)

var dropNames = [dropReasons]string{
	DropNone:        "not dropped",
	DropTooShort:    "too short",
	DropTooLong:     "too long",
	DropUnknownType: "unknown type",
	DropUnexpected:  "unexpected type",
	DropMalformed:   "malformed",
	DropVersion:     "other version",
	DropSchema:      "other schema",
	DropClosing:     "server closing",
	DropLogin:       "login refused",
	DropHalfOpen:    "handshake abandoned",
	DropFlood:       "client over its rate",
	DropDuplicate:   "duplicate",
	DropStale:       "too old",
	DropChannels:    "channels malformed",
}

// String names the reason in a few words.
func (r DropReason) String() string { return tally.Name("DropReason", dropNames[:], uint8(r)) }

// hostile reports whether no honest peer with the same schema sends such a packet, whatever the network does.
func (r DropReason) hostile() bool {
	switch r {
	case DropTooShort, DropTooLong, DropUnknownType, DropUnexpected, DropMalformed, DropChannels:
		return true
	}
	return false
}

// Drops counts dropped packets by [DropReason]: drops[DropMalformed]. It is an array, so a copy is a
// snapshot.
type Drops [dropReasons]uint64

func (d *Drops) count(r DropReason) {
	if r != DropNone {
		d[r]++
	}
}

// Total is the number of packets dropped for any reason.
func (d Drops) Total() uint64 { return tally.Total(d[:]) }

// String is every reason for which there were drops, with their number: "malformed=3, duplicate=1", or "none".
func (d Drops) String() string { return tally.Text(dropNames[:], d[:]) }
