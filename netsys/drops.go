package netsys

import "github.com/tactusgo/tactus/netsys/internal/tally"

// DropReason is why an endpoint dropped an authentic packet. [netcode.DropReason] is why netcode dropped a datagram.
type DropReason uint8

// The reasons, in the order in which a packet is checked.
const (
	// DropNone: the packet was not dropped.
	DropNone DropReason = iota
	// DropTooShort: shorter than its type allows.
	DropTooShort
	// DropTooLong: longer than its type allows.
	DropTooLong
	// DropUnknownType: the first byte is not a packet type.
	DropUnknownType
	// DropUnexpected: a type that this end does not receive, or not in its current state.
	DropUnexpected
	// DropMalformed: contents that are invalid for the type.
	DropMalformed
	// DropVersion: a hello of another wire version, which was refused.
	DropVersion
	// DropSchema: a hello with another schema, which was refused.
	DropSchema
	// DropClosing: a hello after [Server.StopAccepting], which was refused.
	DropClosing
	// DropLogin: a hello that [ServerConfig.Login] refused.
	DropLogin
	// DropHalfOpen: not a packet but a client. It had a slot for 5 s and sent no hello, or did not answer the welcome.
	DropHalfOpen
	// DropFlood: not a packet but a client. It kept sending more packets than the server accepts.
	DropFlood
	// DropDuplicate: a sequence number that was received before, or a repeated packet of the handshake.
	DropDuplicate
	// DropStale: a packet so old that the session no longer knows whether it was received before.
	DropStale
	// DropChannels: malformed bytes of channels. The payload of the packet, if any, was delivered.
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

// String returns the reason in a few words.
func (r DropReason) String() string { return tally.Name("DropReason", dropNames[:], uint8(r)) }

// hostile reports whether a correct peer with the same schema never sends such a packet, whatever the network does.
func (r DropReason) hostile() bool {
	switch r {
	case DropTooShort, DropTooLong, DropUnknownType, DropUnexpected, DropMalformed, DropChannels:
		return true
	}
	return false
}

// Drops counts dropped packets by [DropReason], such as drops[DropMalformed]. It is an array, so a copy does not change.
type Drops [dropReasons]uint64

func (d *Drops) count(r DropReason) {
	if r != DropNone {
		d[r]++
	}
}

// Total returns the number of packets dropped for any reason.
func (d Drops) Total() uint64 { return tally.Total(d[:]) }

// String returns the reasons that occurred with their counts, such as "malformed=3, duplicate=1", or "none".
func (d Drops) String() string { return tally.Text(dropNames[:], d[:]) }
