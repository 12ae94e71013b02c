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
	defaultHalfOpen         = 128
	defaultHandshake        = 8 << 10
	defaultHandshakeTimeout = 5 * time.Second
	defaultAnswerTimeout    = 3 * time.Second
	defaultFrames           = 1000
	maxFrames               = 1_000_000
	defaultIdleTimeout      = 20 * time.Second
	defaultStuckTimeout     = 5 * time.Second
	defaultOutbound         = 64
	// defaultPerAddress is for a household or a small school; loopback is not counted by default.
	defaultPerAddress = 32
)

// WebSocketConfig configures the WebSocket side of a [Listener]. The zero value serves none; with an Addr alone
// it serves pages from the same host, and native clients. A message is a datagram and the other way round.
//
// The listener speaks plain WebSocket. Pages that came over TLS need a proxy in front that ends TLS.
type WebSocketConfig struct {
	// Addr is the TCP address to serve, such as ":7778"; port 0 takes a free one, see
	// [Listener.WebSocketAddr]. "" serves no WebSocket.
	Addr string

	// Origins are the pages that may connect, as scheme://host or scheme://host:port; "*" is any page. nil is
	// pages from the host that the browser connected to, whatever their scheme and port, and over loopback pages
	// from any name of this machine. That host must then be one that no web site can make lead here: over loopback
	// localhost or a loopback address, else any address, and always one of Hosts; TrustedProxies may pass on any
	// where there are no Hosts. Clients that send no origin are no browsers, hence are free to claim any, and
	// always let in.
	Origins []string
	// Hosts are the names of this server, such as game.example, without ports, from which pages may connect besides.
	// They go with Origins nil alone.
	Hosts []string

	// ClientAddrHeader is the header in which a proxy says whose connection it passes on: usually
	// X-Forwarded-For, or Forwarded as in RFC 7239. It counts when the connection comes from TrustedProxies, which
	// must say it then: the last address in it that is not among them is the client's. From anybody else it is
	// ignored. "" takes every address from the connection.
	ClientAddrHeader string
	// TrustedProxies are the addresses of those proxies. They need a ClientAddrHeader.
	TrustedProxies []netip.Prefix

	// Connections bounds the connections, finished handshakes or not; more are closed at once. 0 means 1,024.
	// More than the process may have open files, less 64 for others, are refused: running out of them ends
	// the event loop.
	Connections int
	// PerAddress bounds the connections of one IPv4 address or one IPv6 network of 64 bits; more are closed at
	// once. 0 means 32, and no bound for loopback, where proxies and tests are.
	PerAddress int

	// HalfOpen bounds the connections that have begun and not sent a valid first message: a connection request of
	// package netcode, or, on a connection in place of one that broke, a packet of a session. When one more begins,
	// the oldest is closed. A connection whose first message is something else is closed at once. 0 means 128.
	HalfOpen int
	// Handshake bounds the bytes of a request. 0 means 8,192; less than 512 is refused.
	Handshake int
	// HandshakeTimeout ends a connection that did not finish its handshake and send that message. 0 means 5 s.
	HandshakeTimeout time.Duration
	// AnswerTimeout ends a connection to which nothing was sent for so long after its first message, since what it
	// sent was good for nothing. Until then it may bring 4 frames between two polls. 0 means 3 s.
	AnswerTimeout time.Duration
	// FramesPerSecond is how many frames of one connection are taken, datagrams, pings and pongs alike, with bursts of
	// one second's worth; more are lost. A connection that is two seconds' worth above that is closed. 0 means 1,000, as
	// many as the packets of a session; negative values and more than a million are refused.
	FramesPerSecond int
	// IdleTimeout ends a connection that brought no datagram for so long; pings do not count, nor does time in which nobody
	// polls. 0 means 20 s, twice the timeout of a session.
	IdleTimeout time.Duration

	// Outbound bounds the datagrams that wait for one connection's socket. When one more is sent, the oldest
	// goes: what it said is old news. 0 means 64; 1 is refused.
	Outbound int
	// StuckTimeout ends a connection whose socket took no byte for so long while datagrams waited for it: a
	// client that does not read. 0 means 5 s.
	StuckTimeout time.Duration
}

// Validate returns an error for negative values, for values that are refused, for malformed origins and hosts,
// for Hosts beside Origins, and for a ClientAddrHeader without TrustedProxies or the other way round.
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
		bad("Hosts", "%q with Origins: those alone decide then", c.Hosts)
	}
	if c.FramesPerSecond < 0 || c.FramesPerSecond > maxFrames {
		bad("FramesPerSecond", "%d is not in 0..%d", c.FramesPerSecond, maxFrames)
	}
	if (c.ClientAddrHeader == "") != (len(c.TrustedProxies) == 0) {
		bad("ClientAddrHeader", "%q with %d TrustedProxies: one needs the other", c.ClientAddrHeader, len(c.TrustedProxies))
	}
	if slices.ContainsFunc(c.TrustedProxies, func(p netip.Prefix) bool { return !p.IsValid() }) {
		bad("TrustedProxies", "%v has one that is not valid", c.TrustedProxies)
	}
	return errors.Join(errs...)
}

// withDefaults replaces zeros.
func (c WebSocketConfig) withDefaults() WebSocketConfig {
	c.Connections = orDefault(c.Connections, defaultConnections)
	c.HalfOpen = orDefault(c.HalfOpen, defaultHalfOpen)
	c.Handshake = orDefault(c.Handshake, defaultHandshake)
	c.HandshakeTimeout = orDefault(c.HandshakeTimeout, defaultHandshakeTimeout)
	c.AnswerTimeout = orDefault(c.AnswerTimeout, defaultAnswerTimeout)
	c.FramesPerSecond = orDefault(c.FramesPerSecond, defaultFrames)
	c.IdleTimeout = orDefault(c.IdleTimeout, defaultIdleTimeout)
	c.StuckTimeout = orDefault(c.StuckTimeout, defaultStuckTimeout)
	c.Outbound = orDefault(c.Outbound, defaultOutbound)
	return c
}

// perAddress is the bound for a network, as [network] returns it.
func (c WebSocketConfig) perAddress(network netip.Addr) int {
	switch {
	case c.PerAddress > 0:
		return c.PerAddress
	case network.IsLoopback():
		return c.Connections
	}
	return defaultPerAddress
}

// guard is the rule for names.
func (c WebSocketConfig) guard() hostname.Guard {
	return hostname.Guard{Hosts: c.Hosts, Proxies: c.TrustedProxies}
}

// WebSocketStats counts what happened on the WebSocket side of a [Listener].
type WebSocketStats struct {
	// Connections is how many there are now, HalfOpen how many of them have not sent a valid first message.
	Connections, HalfOpen int
	// Accepted is the handshakes that succeeded.
	Accepted uint64
	// Refused is the handshakes that were answered with an error or not at all: malformed, too long, or from
	// a page that may not connect.
	Refused uint64
	// Crowded is the connections closed because there were too many, or too many half open.
	Crowded uint64
	// CrowdedAddress is the connections closed because there were too many from their address.
	CrowdedAddress uint64
	// Expired is the connections closed for the time that it took to begin or that nothing came.
	Expired uint64
	// Strangers is the connections closed because their first message was none that a session begins with.
	Strangers uint64
	// Unanswered is the connections closed because nothing was sent in answer to what they brought.
	Unanswered uint64
	// Violations is the connections closed because a client must not send what it sent.
	Violations uint64
	// TooFast is the connections closed because they went on above their rate.
	TooFast uint64
	// Slow is the connections closed because the client did not read.
	Slow uint64
	// Flooded is the frames lost because one connection brought too many in a second, between two polls, or before
	// anything was sent to it.
	Flooded uint64
	// Stale is the datagrams that newer ones pushed out while a socket had no room.
	Stale uint64
}
