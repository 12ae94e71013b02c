//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package eventloop

import (
	"errors"
	"fmt"
	"net/netip"
	"runtime"

	"github.com/tactusgo/tactus/netsys"
)

// Listener is a server's UDP socket; it is a [netsys.Wire]. On this system gnet has no event loop of its own
// and calls its port for development only, so the listener is a [netsys.UDP], and WebSocket is not served.
type Listener struct{ *netsys.UDP }

var _ netsys.Wire = (*Listener)(nil)

// Listen binds addr, such as "127.0.0.1:7777", ":7777" (IPv4 and IPv6) or "127.0.0.1:0" (any free port). On
// this system the sizes of the configuration are checked and not used. Errors are those of
// [ListenConfig.Validate], of the address, [netsys.ErrAddrInUse] when another socket holds the address, one that
// wraps [errors.ErrUnsupported] for WebSocket, or the operating system's.
func (c ListenConfig) Listen(addr string) (*Listener, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.WebSocket.Addr != "" {
		return nil, fmt.Errorf("eventloop: WebSocket at %q: %w on %s", c.WebSocket.Addr, errors.ErrUnsupported, runtime.GOOS)
	}
	udp, err := netsys.ListenUDP(addr)
	if err != nil {
		return nil, err
	}
	return &Listener{udp}, nil
}

// WebSocketAddr is the zero AddrPort.
func (l *Listener) WebSocketAddr() netip.AddrPort { return netip.AddrPort{} }

// WakeUps is zero: there is no loop.
func (l *Listener) WakeUps() uint64 { return 0 }

// SendErrors is zero: nothing is collected.
func (l *Listener) SendErrors() uint64 { return 0 }

// WebSocketStats are zero.
func (l *Listener) WebSocketStats() WebSocketStats { return WebSocketStats{} }
