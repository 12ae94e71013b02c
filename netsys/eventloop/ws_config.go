package eventloop

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"time"
)

const (
	defaultConnections      = 1024
	defaultHalfOpen         = 128
	defaultHandshake        = 8 << 10
	defaultHandshakeTimeout = 5 * time.Second
	defaultIdleTimeout      = 20 * time.Second
	defaultOutbound         = 64
	defaultStale            = 512
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
	// pages from the host name that the browser connected to, whatever their scheme and port, and over
	// loopback pages from any name of this machine. Clients that send no origin are no browsers, hence are
	// free to claim any, and always let in.
	Origins []string

	// ProxyHeader is the header in which a proxy says whose connection it passes on, usually
	// X-Forwarded-For. It counts when the connection comes from Proxies, which must say it then: the last
	// address in it that is not among Proxies is the client's. "" takes every address from the connection.
	ProxyHeader string
	// Proxies are the addresses of those proxies. They need a ProxyHeader.
	Proxies []netip.Prefix

	// Connections bounds the connections, finished handshakes or not; more are closed at once. 0 means 1,024.
	// More than the process may have open files, less 64 for others, are refused: running out of them ends
	// the event loop.
	Connections int
	// HalfOpen bounds the handshakes that have begun. When one more begins, the oldest is closed. 0 means 128.
	HalfOpen int
	// Handshake bounds the bytes of a request. 0 means 8,192; less than 512 is refused.
	Handshake int
	// HandshakeTimeout ends a handshake that is not finished. 0 means 5 s.
	HandshakeTimeout time.Duration
	// IdleTimeout ends a connection that brought no datagram for so long; pings do not count. 0 means 20 s,
	// twice the timeout of a session.
	IdleTimeout time.Duration

	// Outbound bounds the datagrams that wait for one connection's socket. When one more is sent, the oldest
	// goes: what it said is old news. 0 means 64; 1 is refused.
	Outbound int
	// Stale ends a connection when so many datagrams in a row went like that without the socket taking a
	// byte. 0 means 512.
	Stale int
}

// Validate returns an error for negative values, for values that are refused, for malformed origins, and for
// a ProxyHeader without Proxies or the other way round.
func (c WebSocketConfig) Validate() error {
	var errs []error
	bad := func(field, format string, args ...any) {
		errs = append(errs, fmt.Errorf("eventloop: WebSocketConfig."+field+" "+format, args...))
	}
	for _, f := range []struct {
		name         string
		value, least int
	}{
		{"Connections", c.Connections, 1}, {"HalfOpen", c.HalfOpen, 1}, {"Handshake", c.Handshake, 512},
		{"Outbound", c.Outbound, 2}, {"Stale", c.Stale, 1},
	} {
		if f.value != 0 && f.value < f.least {
			bad(f.name, "%d is less than %d", f.value, f.least)
		}
	}
	if c.HandshakeTimeout < 0 {
		bad("HandshakeTimeout", "%v is negative", c.HandshakeTimeout)
	}
	if c.IdleTimeout < 0 {
		bad("IdleTimeout", "%v is negative", c.IdleTimeout)
	}
	for _, origin := range c.Origins {
		u, err := url.Parse(origin)
		if origin != "*" && (err != nil || u.Scheme == "" || u.Host == "" || u.Scheme+"://"+u.Host != origin) {
			bad("Origins", "%q is not scheme://host", origin)
		}
	}
	if (c.ProxyHeader == "") != (len(c.Proxies) == 0) {
		bad("ProxyHeader", "%q with %d Proxies: one needs the other", c.ProxyHeader, len(c.Proxies))
	}
	if slices.ContainsFunc(c.Proxies, func(p netip.Prefix) bool { return !p.IsValid() }) {
		bad("Proxies", "%v has one that is not valid", c.Proxies)
	}
	return errors.Join(errs...)
}

// withDefaults replaces zeros.
func (c WebSocketConfig) withDefaults() WebSocketConfig {
	c.Connections = orDefault(c.Connections, defaultConnections)
	c.HalfOpen = orDefault(c.HalfOpen, defaultHalfOpen)
	c.Handshake = orDefault(c.Handshake, defaultHandshake)
	c.HandshakeTimeout = orDefault(c.HandshakeTimeout, defaultHandshakeTimeout)
	c.IdleTimeout = orDefault(c.IdleTimeout, defaultIdleTimeout)
	c.Outbound = orDefault(c.Outbound, defaultOutbound)
	c.Stale = orDefault(c.Stale, defaultStale)
	return c
}

// WebSocketStats counts what happened on the WebSocket side of a [Listener].
type WebSocketStats struct {
	// Connections is how many there are now, HalfOpen how many of them have not finished their handshake.
	Connections, HalfOpen int
	// Accepted is the handshakes that succeeded.
	Accepted uint64
	// Refused is the handshakes that were answered with an error or not at all: malformed, too long, or from
	// a page that is not among the origins.
	Refused uint64
	// Crowded is the connections closed because there were too many, or too many half open.
	Crowded uint64
	// Expired is the connections closed for the time that a handshake took or that nothing came.
	Expired uint64
	// Violations is the connections closed because a client must not send what it sent.
	Violations uint64
	// Slow is the connections closed because the client did not read.
	Slow uint64
	// Flooded is the arrivals lost because one connection brought too many between two polls.
	Flooded uint64
	// Stale is the datagrams that newer ones pushed out while a socket had no room.
	Stale uint64
}
