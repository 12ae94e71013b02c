//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package eventloop

import (
	"errors"
	"fmt"
	"net/netip"
	"runtime"

	"github.com/tactusgo/tactus/netsys"
)

// Listener is a [netsys.Wire] that serves UDP. gnet supports this system for development only, so the listener wraps
// [netsys.UDP] and serves no WebSocket.
type Listener struct{ *netsys.UDP }

var _ netsys.Wire = (*Listener)(nil)

// Listen serves UDP at addr, such as "127.0.0.1:7777", ":7777" (IPv4 and IPv6) or "127.0.0.1:0" (any free port). On this system
// it validates the sizes in the configuration and does not use them. It returns the errors of [ListenConfig.Validate],
// [netsys.ErrAddrInUse] if another socket has the address, an error that wraps [errors.ErrUnsupported] for WebSocket, an error
// for an invalid address, or an error of the operating system.
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

// WebSocketAddr returns the zero AddrPort.
func (l *Listener) WebSocketAddr() netip.AddrPort { return netip.AddrPort{} }

// Err returns nil: [netsys.UDP] goes on after every error of its socket.
func (l *Listener) Err() error { return nil }

// AcceptErrors returns 0.
func (l *Listener) AcceptErrors() uint64 { return 0 }

// WakeUps returns 0, because there is no event loop.
func (l *Listener) WakeUps() uint64 { return 0 }

// SendErrors returns 0, because Send returns all errors.
func (l *Listener) SendErrors() uint64 { return 0 }

// WebSocketStats returns the zero value.
func (l *Listener) WebSocketStats() WebSocketStats { return WebSocketStats{} }
