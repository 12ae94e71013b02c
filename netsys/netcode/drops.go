package netcode

import "github.com/tactusgo/tactus/netsys/internal/tally"

// DropReason is the reason why a datagram was dropped.
type DropReason uint8

// The reasons, in the order of the checks.
const (
	// DropNone means that the datagram was not dropped.
	DropNone DropReason = iota
	// DropSize: too short or too long for its type.
	DropSize
	// DropType: an unknown packet type, or a type not expected on this side or in this state.
	DropType
	// DropSequence: the sequence number has no byte or more than eight.
	DropSequence
	// DropUnknownSender: a packet from an address without a session or handshake.
	DropUnknownSender
	// DropVersion: a request with another version of the standard.
	DropVersion
	// DropProtocol: a request for another protocol id.
	DropProtocol
	// DropExpired: a request with a token that has expired.
	DropExpired
	// DropRate: the address exceeded [ServerConfig.RequestsPerSecond].
	DropRate
	// DropTokenUsed: a request with a token that had a session, or that another address uses now.
	DropTokenUsed
	// DropBusy: a request with a new token while [ServerConfig.TokensPerSecond] is exhausted.
	DropBusy
	// DropKey: a request whose token was made with another key or was modified.
	DropKey
	// DropReplay: a packet that was received before.
	DropReplay
	// DropStale: a packet too far behind the newest to know whether it was received before.
	DropStale
	// DropFlood: the session exceeded [ServerConfig.PacketsPerSecond].
	DropFlood
	// DropForged: a packet made or modified by a sender without the key.
	DropForged
	// DropMalformed: an authentic packet with invalid contents.
	DropMalformed
	// DropElsewhere: a request with a token for other servers.
	DropElsewhere
	// DropLifetime: a request with a token that remains valid for longer than [ServerConfig.MaxLifetime].
	DropLifetime
	// DropConnected: a request or response from an address that has a session, or is about to get one, by another token.
	DropConnected
	// DropClientID: a request or response of a client that is connected from another address and not replaced by this
	// token; see [ServerConfig.Takeover].
	DropClientID
	// DropChallenge: a response whose challenge belongs to another handshake.
	DropChallenge
	// DropFull: a request or response while no slot is free. The client is denied.
	DropFull
	// DropNoRoom: a request while the table of half-open handshakes is full.
	DropNoRoom
	// DropUsedFull: a response while the table of used tokens is full; see [ServerConfig.MaxUsedTokens].
	DropUsedFull
	// DropHalfOpen: a half-open handshake whose client was silent for 10 s.
	DropHalfOpen
	// DropRepeated: a packet of the session's own handshake that arrives after it was answered. Every handshake ends with
	// a few of these, because a client repeats its packets until an answer arrives.
	DropRepeated

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
	DropRepeated:      "handshake repeated",
}

// String returns the reason in a few words.
func (r DropReason) String() string { return tally.Name("DropReason", dropNames[:], uint8(r)) }

// RefusesToken reports whether the reason means that the [Server] refuses the client's token. The client gets no answer,
// except for DropFull. Only log the reason: it would help an attacker. RefusesToken is false for drops that bound the
// server's work, because the client repeats the packet.
func (r DropReason) RefusesToken() bool {
	switch r {
	case DropVersion, DropProtocol, DropExpired, DropTokenUsed, DropKey, DropElsewhere, DropLifetime, DropClientID, DropFull, DropUsedFull:
		return true
	}
	return false
}

// Drops counts dropped datagrams by [DropReason]: drops[DropForged]. It is an array, so copying it takes a snapshot.
type Drops [dropReasons]uint64

func (d *Drops) count(r DropReason) {
	if r != DropNone {
		d[r]++
	}
}

// Total returns the number of dropped datagrams.
func (d Drops) Total() uint64 { return tally.Total(d[:]) }

// String returns the nonzero counts by reason, "token expired=3, replayed=1", or "none". It leaves out [DropRepeated],
// which is no fault.
func (d Drops) String() string {
	d[DropRepeated] = 0
	return tally.Text(dropNames[:], d[:])
}
