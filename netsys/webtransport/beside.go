//go:build !js

package webtransport

import (
	"errors"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// Beside combines first, such as the UDP and WebSocket transport of package eventloop, and the listener into one transport,
// for a server that players reach in several ways. The result owns both. Only one goroutine at a time may send on it.
func (l *Listener) Beside(first netsys.Wire) netsys.Wire { return &beside{first, l} }

// beside is a transport made of two.
type beside struct {
	first netsys.Wire
	l     *Listener
}

var _ netsys.Flusher = (*beside)(nil)

func (b *beside) Poll(now time.Time, deliver func(netsys.Datagram)) {
	b.first.Poll(now, deliver)
	b.l.Poll(now, deliver)
}

func (b *beside) Send(now time.Time, to netip.AddrPort, data []byte) error {
	if mark.Has(to) {
		return b.l.Send(now, to, data)
	}
	return b.first.Send(now, to, data)
}

// Flush implements [netsys.Flusher].
func (b *beside) Flush(now time.Time) {
	if f, ok := b.first.(netsys.Flusher); ok {
		f.Flush(now)
	}
}

// LocalAddr implements [netsys.Wire] with the address of the first transport.
func (b *beside) LocalAddr() netip.AddrPort { return b.first.LocalAddr() }

// LocalAddrs returns the addresses of both transports. Servers check them before they accept players without tokens, and
// connect tokens must name one of them.
func (b *beside) LocalAddrs() []netip.AddrPort {
	if w, ok := b.first.(interface{ LocalAddrs() []netip.AddrPort }); ok {
		return append(w.LocalAddrs(), b.l.LocalAddr())
	}
	return []netip.AddrPort{b.first.LocalAddr(), b.l.LocalAddr()}
}

// PeerAddr returns the plain form of an address.
func (b *beside) PeerAddr(from netip.AddrPort) netip.AddrPort {
	if w, ok := b.first.(interface {
		PeerAddr(from netip.AddrPort) netip.AddrPort
	}); ok {
		from = w.PeerAddr(from)
	}
	return b.l.PeerAddr(from)
}

// Err implements [netsys.Failing].
func (b *beside) Err() error { return errors.Join(netsys.WireError(b.first), b.l.Err()) }

// AcceptErrors returns the number of the first wire, because WebTransport accepts no connections of the system.
func (b *beside) AcceptErrors() uint64 {
	if w, ok := b.first.(interface{ AcceptErrors() uint64 }); ok {
		return w.AcceptErrors()
	}
	return 0
}

// WakeUps returns the number of the first wire, because QUIC reads its socket without the event loop.
func (b *beside) WakeUps() uint64 {
	if w, ok := b.first.(interface{ WakeUps() uint64 }); ok {
		return w.WakeUps()
	}
	return 0
}

func (b *beside) Close() error { return errors.Join(b.first.Close(), b.l.Close()) }
