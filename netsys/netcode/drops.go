package netcode

import "github.com/tactusgo/tactus/netsys/internal/tally"

// DropReason is why a datagram was thrown away.
type DropReason uint8

// The reasons, in the order in which a datagram is examined.
const (
	// DropNone is not a reason: what is not dropped.
	DropNone DropReason = iota
	// DropSize: shorter or longer than its type can be.
	DropSize
	// DropType: no packet type, or one that this end does not receive, or not now.
	DropType
	// DropSequence: a sequence number of no or more than eight bytes.
	DropSequence
	// DropUnknownSender: a packet of a session or handshake that this end does not have with that address.
	DropUnknownSender
	// DropVersion: a request of another version of the standard.
	DropVersion
	// DropProtocol: a request for another protocol id.
	DropProtocol
	// DropExpired: a request with a token that has expired.
	DropExpired
	// DropRate: more requests and responses from one address than [ServerConfig.RequestsPerSecond].
	DropRate
	// DropTokenUsed: a request with a token that had a session, or that another address is using.
	DropTokenUsed
	// DropBusy: a request with a new token, while [ServerConfig.TokensPerSecond] were decrypted.
	DropBusy
	// DropKey: a request with a token that the server's key does not open: of another key, or changed on the way.
	DropKey
	// DropReplay: a packet that has been received before.
	DropReplay
	// DropStale: a packet so far behind the newest that nobody can tell whether it was received.
	DropStale
	// DropFlood: more packets of one session than [ServerConfig.PacketsPerSecond].
	DropFlood
	// DropForged: a packet made or changed by somebody who does not have the key.
	DropForged
	// DropMalformed: the key is right and the contents are not.
	DropMalformed
	// DropElsewhere: a request with a token for other servers.
	DropElsewhere
	// DropLifetime: a request with a token that expires later than [ServerConfig.MaxLifetime] from now.
	DropLifetime
	// DropConnected: a request or response from an address that has a session already, or is just getting one by
	// another token. The end of every handshake leaves a few.
	DropConnected
	// DropClientID: a request or response of a client that is connected from another address, and is not replaced by
	// this token: see [ServerConfig.Takeover].
	DropClientID
	// DropChallenge: a response to a challenge that was not made for this handshake.
	DropChallenge
	// DropFull: a request or response for which there was no slot. Denied.
	DropFull
	// DropNoRoom: a request for which the table of half-open handshakes had no room.
	DropNoRoom
	// DropUsedFull: a response for which the table of used tokens had no room: see [ServerConfig.MaxUsedTokens].
	DropUsedFull
	// DropHalfOpen: a handshake forgotten because its client was not heard from again for 10 s.
	DropHalfOpen

	dropReasons
)

var dropNames = [dropReasons]string{
	DropNone:          "not dropped",
	DropSize:          "wrong size",
	DropType:          "unexpected type",
	DropSequence:      "bad sequence length",
	DropUnknownSender: "unknown sender",
	DropVersion:       "other version",
	DropProtocol:      "other protocol id",
	DropExpired:       "token expired",
	DropRate:          "address over its rate",
	DropTokenUsed:     "token already used",
	DropBusy:          "too many tokens",
	DropKey:           "token of another key",
	DropReplay:        "replayed",
	DropStale:         "too old",
	DropFlood:         "session over its rate",
	DropForged:        "not authentic",
	DropMalformed:     "malformed",
	DropElsewhere:     "token for another server",
	DropLifetime:      "token lives too long",
	DropConnected:     "address already connected",
	DropClientID:      "client id already connected",
	DropChallenge:     "wrong challenge",
	DropFull:          "server full",
	DropNoRoom:        "full of handshakes",
	DropUsedFull:      "full of used tokens",
	DropHalfOpen:      "handshake abandoned",
}

// String names the reason in a few words.
func (r DropReason) String() string { return tally.Name("DropReason", dropNames[:], uint8(r)) }

// RefusesToken reports whether a [Server] that drops a request or response for this reason refuses the client's token.
// The client gets no answer, but for DropFull, and the reason is for the server's log alone: it would tell an attacker
// what to try next. What is dropped to bound the work, to be sent again, is no refusal.
func (r DropReason) RefusesToken() bool {
	switch r {
	case DropVersion, DropProtocol, DropExpired, DropTokenUsed, DropKey, DropElsewhere, DropLifetime, DropClientID, DropFull, DropUsedFull:
		return true
	}
	return false
}

// Drops counts dropped datagrams by [DropReason]: drops[DropForged]. It is an array, so a copy is a snapshot.
type Drops [dropReasons]uint64

func (d *Drops) count(r DropReason) {
	if r != DropNone {
		d[r]++
	}
}

// Total is the number of datagrams dropped for any reason.
func (d Drops) Total() uint64 { return tally.Total(d[:]) }

// String is every reason for which there were drops, with their number: "token expired=3, replayed=1", or "none".
func (d Drops) String() string { return tally.Text(dropNames[:], d[:]) }
