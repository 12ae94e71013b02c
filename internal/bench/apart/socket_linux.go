package apart

import (
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/netsys"
)

// Socket is a [netsys.Wire]: a client's connected UDP socket. No goroutine waits for the socket, so a datagram of the server
// wakes no goroutine, as if the client were on another machine.
type Socket struct {
	fd     int
	server netip.AddrPort
	in     []byte
}

var _ netsys.Wire = (*Socket)(nil)

// Dial opens a socket to a server on IPv4.
func Dial(server netip.AddrPort) (*Socket, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if err := unix.Connect(fd, &unix.SockaddrInet4{Port: int(server.Port()), Addr: server.Addr().As4()}); err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	return &Socket{fd: fd, server: server, in: make([]byte, netsys.MaxDatagram+1)}, nil
}

// Poll implements [netsys.Wire].
func (s *Socket) Poll(now time.Time, deliver func(netsys.Datagram)) {
	for {
		b, ok := s.Read()
		if !ok {
			return
		}
		deliver(netsys.Datagram{From: s.server, At: now, Data: b})
	}
}

// Read returns a received datagram, which is valid until the next call. ok is false if there is none.
func (s *Socket) Read() (b []byte, ok bool) {
	n, err := unix.Read(s.fd, s.in)
	if err != nil {
		return nil, false
	}
	return s.in[:n], true
}

// Send implements [netsys.Wire]. It ignores the address and sends to the server.
func (s *Socket) Send(_ time.Time, _ netip.AddrPort, b []byte) error {
	_, err := unix.Write(s.fd, b)
	return err
}

// LocalAddr implements [netsys.Wire]. The address is invalid if the system does not know it.
func (s *Socket) LocalAddr() netip.AddrPort {
	a, err := unix.Getsockname(s.fd)
	if v4, ok := a.(*unix.SockaddrInet4); err == nil && ok {
		return netip.AddrPortFrom(netip.AddrFrom4(v4.Addr), uint16(v4.Port))
	}
	return netip.AddrPort{}
}

// Close implements [netsys.Wire].
func (s *Socket) Close() error {
	if s.fd < 0 {
		return nil
	}
	err := unix.Close(s.fd)
	s.fd = -1
	return err
}
