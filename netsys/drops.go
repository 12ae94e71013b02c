package netsys

import "fmt"

// DropReason is why an endpoint threw a datagram away.
type DropReason uint8

// The reasons, in the order in which a datagram is examined.
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
	// DropUnknownSender: a session packet from an address without a session.
	DropUnknownSender
	// DropChecksum: damaged on the way, or made by somebody who does not know the session's token.
	DropChecksum
	// DropMalformed: the checksum is right and the contents are not.
	DropMalformed
	// DropNonce: an answer to a handshake that this client did not start.
	DropNonce
	// DropVersion: a Hello of another wire version. Refused.
	DropVersion
	// DropSchema: a Hello with another schema. Refused.
	DropSchema
	// DropFull: a Hello, or the first packet of a session, for which the server had no slot. Refused.
	DropFull
	// DropClosing: a Hello after [Server.StopAccepting]. Refused.
	DropClosing
	// DropHalfOpen: a handshake forgotten before its client was heard from again, because it took too long
	// or because too many others came.
	DropHalfOpen
	// DropDuplicate: a session packet, or a handshake packet, that has been received before.
	DropDuplicate
	// DropStale: a session packet so far behind the newest that nobody can tell whether it was received.
	DropStale

	dropReasons
)

var dropNames = [dropReasons]string{
	DropNone:          "not dropped",
	DropTooShort:      "too short",
	DropTooLong:       "too long",
	DropUnknownType:   "unknown type",
	DropUnexpected:    "unexpected type",
	DropUnknownSender: "unknown sender",
	DropChecksum:      "bad checksum",
	DropMalformed:     "malformed",
	DropNonce:         "wrong nonce",
	DropVersion:       "other version",
	DropSchema:        "other schema",
	DropFull:          "server full",
	DropClosing:       "server closing",
	DropHalfOpen:      "handshake abandoned",
	DropDuplicate:     "duplicate",
	DropStale:         "too old",
}

// String names the reason in a few words.
func (r DropReason) String() string {
	if r < dropReasons {
		return dropNames[r]
	}
	return fmt.Sprintf("DropReason(%d)", uint8(r))
}

// Drops counts dropped datagrams by [DropReason]: drops[DropChecksum]. It is an array, so a copy is a
// snapshot.
type Drops [dropReasons]uint64

func (d *Drops) count(r DropReason) {
	if r != DropNone {
		d[r]++
	}
}

// Total is the number of datagrams dropped for any reason.
func (d Drops) Total() uint64 {
	var sum uint64
	for _, n := range d {
		sum += n
	}
	return sum
}
