//go:build !js

package webtransport

import (
	"errors"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// Beside is one wire of two, for a server that players reach in several ways: what comes to this listener, and what comes to
// another wire, such as UDP and WebSocket of package eventloop. It owns both. Several goroutines cannot send on it at a time.
func (l *Listener) Beside(first netsys.Wire) netsys.Wire { return &beside{first, l} }

// beside is a wire of two.
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

// LocalAddr implements [netsys.Wire]: it is that of the first wire.
func (b *beside) LocalAddr() netip.AddrPort { return b.first.LocalAddr() }

// LocalAddrs are all addresses at which players come: servers look at them before they let everybody in, and connect tokens
// name one of them.
func (b *beside) LocalAddrs() []netip.AddrPort {
	if w, ok := b.first.(interface{ LocalAddrs() []netip.AddrPort }); ok {
		return append(w.LocalAddrs(), b.l.LocalAddr())
	}
	return []netip.AddrPort{b.first.LocalAddr(), b.l.LocalAddr()}
}

// PeerAddr is the ordinary form of an address.
func (b *beside) PeerAddr(from netip.AddrPort) netip.AddrPort {
	if w, ok := b.first.(interface {
		PeerAddr(from netip.AddrPort) netip.AddrPort
	}); ok {
		from = w.PeerAddr(from)
	}
	return b.l.PeerAddr(from)
}

func (b *beside) Close() error { return errors.Join(b.first.Close(), b.l.Close()) }
