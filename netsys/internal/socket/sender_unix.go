//go:build unix

package socket

import (
	"net"
	"net/netip"
	"syscall"

	"github.com/tactusgo/tactus/netsys/internal/sendto"
)

// sender sends by the descriptor, because [net.UDPConn] waits for room when the send buffer is full.
type sender struct {
	raw    syscall.RawConn
	socket sendto.Socket
	step   func(fd uintptr) bool
	dialed bool

	to  netip.AddrPort
	b   []byte
	err error
}

func (s *sender) init(conn *net.UDPConn, dialed, v6 bool) (err error) {
	s.raw, err = conn.SyscallConn()
	s.socket.V6 = v6
	s.dialed = dialed
	s.step = s.write
	return err
}

// write reports true in any case: false would make the runtime wait until the socket is writable.
func (s *sender) write(fd uintptr) bool {
	s.err = s.socket.Send(int(fd), s.to, s.b)
	return true
}

func (s *sender) send(to netip.AddrPort, b []byte) error {
	if s.dialed {
		to = netip.AddrPort{}
	}
	s.to, s.b = to, b
	err := s.raw.Write(s.step)
	s.b = nil
	if err != nil {
		return err
	}
	return s.err
}

// ErrFull means that the send buffer has no room.
var ErrFull = sendto.ErrFull
