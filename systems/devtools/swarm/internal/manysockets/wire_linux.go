package manysockets

import (
	"fmt"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/netsys"
)

// wire is the transport of one client.
type wire struct {
	set    *Set
	number int
	socket int
	from   netip.Addr // if the socket is shared
	local  netip.AddrPort
	closed bool

	waiting netsys.Datagram // valid while waits
	waits   bool
}

var _ netsys.Wire = (*wire)(nil)

// Poll implements [netsys.Wire].
func (w *wire) Poll(_ time.Time, deliver func(netsys.Datagram)) {
	if w.waits {
		w.waits = false
		deliver(w.waiting)
	}
}

// Send implements [netsys.Wire].
func (w *wire) Send(_ time.Time, to netip.AddrPort, b []byte) error {
	f := w.set
	s := &f.sockets[w.socket]
	switch {
	case len(b) > netsys.MaxDatagram:
		return netsys.ErrTooLarge
	case w.closed || f.closed:
		return netsys.ErrClosed
	case to != f.remote:
		return fmt.Errorf("manysockets: Send to %v by a set that was dialed to %v", to, f.remote)
	case f.shared:
		return s.out.AddFrom(s.fd, w.from, to, b)
	}
	full := s.out.Full
	if err := s.out.Add(s.fd, to, b); err != nil {
		return err
	}
	if s.out.Flush(s.fd); s.out.Full > full {
		return netsys.ErrFull
	}
	return nil
}

// LocalAddr implements [netsys.Wire].
func (w *wire) LocalAddr() netip.AddrPort { return w.local }

// where asks the kernel for the local address.
func (w *wire) where() netip.AddrPort {
	name, err := unix.Getsockname(w.set.sockets[w.socket].fd)
	if err != nil {
		return netip.AddrPort{}
	}
	switch sa := name.(type) {
	case *unix.SockaddrInet4:
		if w.from.IsValid() {
			return netip.AddrPortFrom(w.from, uint16(sa.Port))
		}
		return netip.AddrPortFrom(netip.AddrFrom4(sa.Addr), uint16(sa.Port))
	case *unix.SockaddrInet6:
		return netip.AddrPortFrom(netip.AddrFrom16(sa.Addr).Unmap(), uint16(sa.Port))
	}
	return netip.AddrPort{}
}

// Close implements [netsys.Wire]. A shared socket stays open.
func (w *wire) Close() error {
	f := w.set
	if w.closed || f.closed {
		return nil
	}
	w.closed = true
	if f.shared {
		return nil
	}
	fd := f.sockets[w.socket].fd
	f.sockets[w.socket].fd = -1
	return unix.Close(fd)
}
