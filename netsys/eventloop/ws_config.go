package eventloop

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"github.com/tactusgo/tactus/internal/hostname"
)

const (
	defaultConnections      = 1024
	minHalfOpen             = 128
	defaultHandshake        = 8 << 10
	defaultHandshakeTimeout = 5 * time.Second
	defaultAnswerTimeout    = 3 * time.Second
	defaultFrames           = 1000
	maxFrames               = 1_000_000
	defaultIdleTimeout      = 20 * time.Second
	defaultStuckTimeout     = 5 * time.Second
	defaultOutbound         = 64
	// defaultPerAddress is enough for a household or a small school. Loopback addresses have no limit by default.
	defaultPerAddress = 32
)

// WebSocketConfig configures the WebSocket side of a [Listener]. The zero value serves no WebSocket. With Addr alone, the
// listener serves pages from the same host and native clients. Each message carries one datagram.
//
// The listener does not support TLS. Pages loaded over TLS need a proxy in front of the server that terminates TLS.
type WebSocketConfig struct {
	// Addr is the TCP address to serve, such as ":7778". Port 0 means any free port: see [Listener.WebSocketAddr]. "" serves
	// no WebSocket.
	Addr string

	// Origins are the origins of the pages that may connect, as scheme://host or scheme://host:port. "*" allows any page. nil
	// allows pages from the host that the browser connected to, with any scheme and port, and over loopback pages from any name
	// of this machine. With nil, that host must be a name that no other web site can point at this server: localhost or a
	// loopback address over loopback, any IP address otherwise, or one of Hosts. If there are no Hosts, TrustedProxies may
	// forward any host. Clients that send no origin are not browsers and could claim any origin, so they may always connect.
	Origins []string
	// Hosts are further names of this server, such as game.example, without ports, from which pages may connect. Hosts require
	// that Origins is nil.
	Hosts []string
	// Sandboxed also accepts the origin "null", which browsers send for a page in a frame whose sandbox lacks
	// allow-same-origin. Every site can make such a frame, so with Sandboxed any page in a browser that reaches this server
	// can connect. Set it only if players need connect tokens, or if it does not matter who plays.
	Sandboxed bool

	// ClientAddrHeader is the header in which a proxy sends the client's address: usually X-Forwarded-For, or Forwarded
	// (RFC 7239). Connections from TrustedProxies must have it. The client's address is the last one in it that is not a
	// trusted proxy. The header is ignored on all other connections. "" uses the address of each connection.
	ClientAddrHeader string
	// TrustedProxies are the addresses of these proxies. They require a ClientAddrHeader.
	TrustedProxies []netip.Prefix

	// Connections bounds the connections, including those without a finished handshake. Further connections are closed
	// immediately. 0 means 1,024. The process must be allowed to open 64 more files than that, and the HTTP servers of package rooms/web
	// leave these files to the listener. While the process has no free file descriptor, new connections wait.
	Connections int
	// PerAddress bounds the connections of one IPv4 address or one 64-bit IPv6 network. Further connections are closed
	// immediately. 0 means 32, and no limit for loopback addresses, which proxies and tests use.
	PerAddress int

	// HalfOpen bounds the connections that have not sent a valid first message: a connection request of package netcode, or a
	// packet of a session whose connection broke. The server answers further connections with status 503, so that handshakes in
	// progress finish. If the oldest connection has taken 2 s or half of HandshakeTimeout, the server closes that one instead. A connection with any
	// other first message is closed immediately. 0 means half of Connections, at least 128.
	HalfOpen int
	// Handshake bounds the bytes of a request. 0 means 8,192. Less than 512 is an error.
	Handshake int
	// HandshakeTimeout is the time from accepting a connection to its valid first message. 0 means 5 s.
	HandshakeTimeout time.Duration
	// AnswerTimeout closes a connection to which the server has sent nothing for this long after its first message. The server
	// answers every message that it accepts. Until the answer, the connection may send 4 frames between two polls. 0 means 3 s.
	AnswerTimeout time.Duration
	// FramesPerSecond bounds the frames of one connection: datagrams, pings and pongs. Bursts of one second's worth are
	// accepted. Frames above that are lost, and a connection that exceeds it by two seconds' worth is closed. 0 means 1,000,
	// the packet rate of a session. Negative values and more than a million are errors.
	FramesPerSecond int
	// IdleTimeout closes a connection that has sent no datagram for this long. Pings do not count, and neither does time in
	// which nobody polls. 0 means 20 s, twice the timeout of a session.
	IdleTimeout time.Duration

	// Outbound bounds the datagrams that wait for one connection's socket. When one more is sent, the oldest is dropped,
	// because its contents are outdated. 0 means 64. 1 is an error.
	Outbound int
	// StuckTimeout closes a connection whose socket has accepted no byte for this long while datagrams waited, because its
	// client does not read. 0 means 5 s.
	StuckTimeout time.Duration
}

// Validate returns an error for values out of range, for malformed origins and hosts, for Hosts with Origins, and if only one
// of ClientAddrHeader and TrustedProxies is set.
func (c WebSocketConfig) Validate() error {
	var errs []error
	bad := func(field, format string, args ...any) {
		errs = append(errs, fmt.Errorf("eventloop: WebSocketConfig."+field+" "+format, args...))
	}
	for _, f := range []struct {
		name         string
		value, least int
	}{
		{"Connections", c.Connections, 1}, {"PerAddress", c.PerAddress, 1}, {"HalfOpen", c.HalfOpen, 1},
		{"Handshake", c.Handshake, 512}, {"Outbound", c.Outbound, 2},
	} {
		if f.value != 0 && f.value < f.least {
			bad(f.name, "%d is less than %d", f.value, f.least)
		}
	}
	for _, f := range []struct {
		name  string
		value time.Duration
	}{
		{"HandshakeTimeout", c.HandshakeTimeout}, {"AnswerTimeout", c.AnswerTimeout},
		{"IdleTimeout", c.IdleTimeout}, {"StuckTimeout", c.StuckTimeout},
	} {
		if f.value < 0 {
			bad(f.name, "%v is negative", f.value)
		}
	}
	if err := (hostname.Pages{Origins: c.Origins}).Validate(); err != nil {
		bad("Origins", "%w", err)
	}
	if err := c.guard().Validate(); err != nil {
		bad("Hosts", "%w", err)
	}
	if c.Origins != nil && c.Hosts != nil {
		bad("Hosts", "%q and Origins are both set: set one of them", c.Hosts)
	}
	if c.FramesPerSecond < 0 || c.FramesPerSecond > maxFrames {
		bad("FramesPerSecond", "%d is not in 0..%d", c.FramesPerSecond, maxFrames)
	}
	if (c.ClientAddrHeader == "") != (len(c.TrustedProxies) == 0) {
		bad("ClientAddrHeader", "%q with %d TrustedProxies: set both or neither", c.ClientAddrHeader, len(c.TrustedProxies))
	}
	if slices.ContainsFunc(c.TrustedProxies, func(p netip.Prefix) bool { return !p.IsValid() }) {
		bad("TrustedProxies", "%v contains an invalid prefix", c.TrustedProxies)
	}
	return errors.Join(errs...)
}

// withDefaults returns the configuration with zero values replaced by their defaults.
func (c WebSocketConfig) withDefaults() WebSocketConfig {
	c.Connections = orDefault(c.Connections, defaultConnections)
	c.HalfOpen = orDefault(c.HalfOpen, max(c.Connections/2, minHalfOpen))
	c.Handshake = orDefault(c.Handshake, defaultHandshake)
	c.HandshakeTimeout = orDefault(c.HandshakeTimeout, defaultHandshakeTimeout)
	c.AnswerTimeout = orDefault(c.AnswerTimeout, defaultAnswerTimeout)
	c.FramesPerSecond = orDefault(c.FramesPerSecond, defaultFrames)
	c.IdleTimeout = orDefault(c.IdleTimeout, defaultIdleTimeout)
	c.StuckTimeout = orDefault(c.StuckTimeout, defaultStuckTimeout)
	c.Outbound = orDefault(c.Outbound, defaultOutbound)
	return c
}

// perAddress returns the most connections of a network, as returned by [network].
func (c WebSocketConfig) perAddress(network netip.Addr) int {
	switch {
	case c.PerAddress > 0:
		return c.PerAddress
	case network.IsLoopback():
		return c.Connections
	}
	return defaultPerAddress
}

// guard returns the rule for host names.
func (c WebSocketConfig) guard() hostname.Guard {
	return hostname.Guard{Hosts: c.Hosts, Proxies: c.TrustedProxies}
}

// WebSocketStats counts what happened on the WebSocket side of a [Listener].
type WebSocketStats struct {
	// Connections is the current number of connections. HalfOpen is the number of those without a valid first message.
	Connections, HalfOpen int
	// Accepted counts successful handshakes.
	Accepted uint64
	// Refused counts handshakes that got an error or no answer: malformed, too long, or from a page that may not connect.
	Refused uint64
	// AcceptErrors counts failed attempts to accept a connection, such as without a free file descriptor. The listener tries again.
	AcceptErrors uint64
	// Crowded counts connections closed because there were too many connections or too many half-open ones.
	Crowded uint64
	// CrowdedAddress counts connections closed because their address had too many.
	CrowdedAddress uint64
	// Expired counts connections closed by HandshakeTimeout or IdleTimeout.
	Expired uint64
	// Strangers counts connections closed because their first message could not start or resume a session.
	Strangers uint64
	// Unanswered counts connections closed by AnswerTimeout.
	Unanswered uint64
	// Violations counts connections closed because the client sent a frame that is not allowed.
	Violations uint64
	// TooFast counts connections closed because they kept exceeding FramesPerSecond.
	TooFast uint64
	// Slow counts connections closed by StuckTimeout.
	Slow uint64
	// Flooded counts frames lost because one connection sent too many in a second, between two polls, or before anything was
	// sent to it.
	Flooded uint64
	// Stale counts datagrams that newer ones displaced while a socket accepted no more.
	Stale uint64
}
