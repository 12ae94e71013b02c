package netsys

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/internal/logging"
	"github.com/tactusgo/tactus/netsys/netcode"
)

const (
	// maxLogged is the number of pairs of an address and a reason that the log tells apart.
	maxLogged = 256
	// quietTime is how long no token of an address must have been refused before the log has a line about it again. It is
	// also the time between two lines about all addresses that the log does not tell apart.
	quietTime = 10 * time.Second
	// sweepInterval is how often at most the log looks for addresses that were quiet.
	sweepInterval = time.Second
)

// refusalLog writes to a server's log whose connect tokens were refused, and why. Strangers cannot fill the log: it has one
// line for each address and reason, and no other until the address was quiet for 10 s. About more than 256 of these there
// is one line in 10 s, with their number.
type refusalLog struct {
	to         logging.Logger
	protocolID uint64
	addresses  []netip.AddrPort

	logged map[refusedSource]time.Duration // when a token was refused last
	swept  time.Duration

	// Refusals for which logged has no room.
	others       uint64        // since the last line about them
	othersLogged time.Duration // when that was, if othersBegun
	othersBegun  bool
}

// refusedSource is whose token was refused, and why.
type refusedSource struct {
	addr   netip.Addr
	reason netcode.DropReason
}

// newRefusalLog returns the log of a server that accepts tokens for a protocol id and for one of its addresses. Without a
// logger it writes nothing.
func newRefusalLog(to logging.Logger, protocolID uint64, addresses []netip.AddrPort) *refusalLog {
	if !logging.Given(to) {
		to = nil
	}
	return &refusalLog{to: to, protocolID: protocolID, addresses: addresses, logged: make(map[refusedSource]time.Duration)}
}

// add logs a refusal, if it is time to. at is a time of the server's clock.
func (l *refusalLog) add(at time.Duration, from netip.AddrPort, reason netcode.DropReason) {
	if l.to == nil {
		return
	}
	who := refusedSource{from.Addr(), reason}
	last, known := l.logged[who]
	switch {
	case known && at-last < quietTime:
		l.logged[who] = at
	case known || l.hasRoom(at):
		l.logged[who] = at
		l.to.Warn("connect token refused", append([]any{"from", from, "reason", reason.String()}, l.advice(reason)...)...)
	default:
		l.others++
		if !l.othersBegun || at-l.othersLogged >= quietTime {
			l.to.Warn("connect tokens of more addresses refused", "refusals", l.others)
			l.others, l.othersLogged, l.othersBegun = 0, at, true
		}
	}
}

// hasRoom reports whether there is room for one more source. If there is none, it forgets the sources that were quiet.
func (l *refusalLog) hasRoom(at time.Duration) bool {
	if len(l.logged) >= maxLogged && at-l.swept >= sweepInterval {
		l.swept = at
		for who, last := range l.logged {
			if at-last >= quietTime {
				delete(l.logged, who)
			}
		}
	}
	return len(l.logged) < maxLogged
}

// advice returns what to do about a reason, as attributes of a line.
func (l *refusalLog) advice(reason netcode.DropReason) []any {
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
