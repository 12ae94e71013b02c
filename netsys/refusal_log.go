package netsys

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/internal/logging"
	"github.com/tactusgo/tactus/netsys/netcode"
)

const (
	// maxLogged is the maximum number of sources that have log lines of their own.
	maxLogged = 256
	// quietTime is the time without a refusal after which the next refusal of a source is logged again. It is also the
	// minimum time between two lines about all other sources.
	quietTime = 10 * time.Second
	// sweepInterval is the minimum time between two searches for quiet sources.
	sweepInterval = time.Second
)

// refusalLog logs refused connect tokens. Strangers cannot fill the log: a source, which is an address with a reason, gets one
// line, and another one only after 10 s without a refusal. Beyond 256 sources there is one line per 10 s for all others.
type refusalLog struct {
	to         logging.Logger
	protocolID uint64
	addresses  []netip.AddrPort

	logged map[refusedSource]time.Duration // time of the latest refusal
	swept  time.Duration                   // time of the latest sweep

	// Refusals of sources for which logged has no room.
	others       uint64        // since the last line about them
	othersLogged time.Duration // time of that line, if othersBegun
	othersBegun  bool
}

// refusedSource is an address with the reason why its token was refused.
type refusedSource struct {
	addr   netip.Addr
	reason netcode.DropReason
}

// newRefusalLog returns the log of a server. protocolID and addresses are those for which the server accepts tokens. If to is
// nil, the log writes nothing.
func newRefusalLog(to logging.Logger, protocolID uint64, addresses []netip.AddrPort) *refusalLog {
	if !logging.Given(to) {
		to = nil
	}
	return &refusalLog{to: to, protocolID: protocolID, addresses: addresses, logged: make(map[refusedSource]time.Duration)}
}

// add records a refusal and logs it unless the source is limited. at is a time of the server's clock.
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

// hasRoom reports whether logged has room for another source. If logged is full, hasRoom first removes quiet sources.
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

// advice returns the advice about a reason, as key-value pairs of a log line.
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
