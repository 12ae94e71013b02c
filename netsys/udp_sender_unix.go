//go:build unix

package netsys

import (
	"net"
	"net/netip"
	"syscall"

	"github.com/tactusgo/tactus/netsys/internal/sendto"
)

// udpSender sends by the descriptor, because [net.UDPConn] waits for room when the send buffer is full.
type udpSender struct {
	raw    syscall.RawConn
	socket sendto.Socket
	step   func(fd uintptr) bool
	dialed bool

	to  netip.AddrPort
	b   []byte
	err error
}

func (s *udpSender) init(conn *net.UDPConn, dialed, v6 bool) (err error) {
	s.raw, err = conn.SyscallConn()
	s.socket.V6 = v6
	s.dialed = dialed
	s.step = s.write
	return err
}

// write reports true in any case: false would make the runtime wait until the socket is writable.
func (s *udpSender) write(fd uintptr) bool {
	s.err = s.socket.Send(int(fd), s.to, s.b)
	return true
}

func (s *udpSender) send(to netip.AddrPort, b []byte) error {
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

// errSocketFull means that the send buffer has no room.
var errSocketFull = sendto.ErrFull
