package refusals

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/internal/logging"
	"github.com/tactusgo/tactus/netsys/netcode"
)

const (
	// most is how many addresses are told apart, by reason.
	most = 256
	// quiet is for how long an address has nothing refused before it is told of again, and the time between two lines
	// about all for whom there is no room.
	quiet = 10 * time.Second
	// sweepEvery is how often at most room is looked for.
	sweepEvery = time.Second
)

// Log has a line for each address and reason, and no other until the address was quiet for 10 s. Of more than 256 of them
// there is one line in 10 s, with their number.
type Log struct {
	to         logging.Logger
	protocolID uint64
	addresses  []netip.AddrPort

	told map[source]time.Duration // when it was refused last
	// for whom there is no room
	others struct {
		n      uint64
		swept  time.Duration
		logged time.Duration
		begun  bool
	}
}

// source is who was refused, and why.
type source struct {
	addr   netip.Addr
	reason netcode.DropReason
}

// New makes the log of a server, which takes tokens for its protocol id and for one of its addresses. Without a logger it
// tells nobody anything.
func New(to logging.Logger, protocolID uint64, addresses []netip.AddrPort) *Log {
	if !logging.Given(to) {
		to = nil
	}
	return &Log{to: to, protocolID: protocolID, addresses: addresses, told: make(map[source]time.Duration)}
}

// Refused takes note of a refusal at a time of the server's clock.
func (l *Log) Refused(at time.Duration, from netip.AddrPort, reason netcode.DropReason) {
	if l.to == nil {
		return
	}
	who := source{from.Addr(), reason}
	last, known := l.told[who]
	switch {
	case known && at-last < quiet:
		l.told[who] = at
	case known || l.room(at):
		l.told[who] = at
		l.to.Warn("connect token refused", append([]any{"from", from, "reason", reason.String()}, l.advice(reason)...)...)
	default:
		l.others.n++
		if !l.others.begun || at-l.others.logged >= quiet {
			l.to.Warn("connect tokens of more addresses refused", "refusals", l.others.n)
			l.others.n, l.others.logged, l.others.begun = 0, at, true
		}
	}
}

// room reports whether there is room for one more, forgetting those that were quiet where there is none.
func (l *Log) room(at time.Duration) bool {
	if len(l.told) >= most && at-l.others.swept >= sweepEvery {
		l.others.swept = at
		for who, last := range l.told {
			if at-last >= quiet {
				delete(l.told, who)
			}
		}
	}
	return len(l.told) < most
}

// advice is what to do about a reason, as attributes of a line.
func (l *Log) advice(reason netcode.DropReason) []any {
	text := ""
	switch reason {
	case netcode.DropVersion:
		text = "the client speaks another version of the netcode standard"
	case netcode.DropProtocol:
		return []any{"protocol id", fmt.Sprintf("%#x", l.protocolID), "advice", "give server and tokens the same ProtocolID, or none"}
	case netcode.DropExpired:
		text = "issue a token just before its player connects, and compare the clocks of this machine and the issuer's"
	case netcode.DropTokenUsed:
		text = "a token is for one session, from one address: each attempt to connect needs a new one"
	case netcode.DropKey:
		text = "give this server and whoever issues tokens the same key; a client without a token is in development mode, with a key of its own"
	case netcode.DropElsewhere:
		return []any{"addresses", l.addresses, "advice", "let the token name one of this server's addresses, or set ServerConfig.Addresses to those that tokens name"}
	case netcode.DropLifetime:
		text = "issue tokens with a shorter Lifetime, or raise MaxTokenLifetime"
	case netcode.DropClientID:
		text = "the same player is connected by a token that expires later"
	case netcode.DropFull:
		text = "all slots are taken, see MaxClients; the client is told"
	case netcode.DropUsedFull:
		text = "nobody can join until some of the used tokens expire"
	}
	return []any{"advice", text}
}
