//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package eventloop

import (
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/internal/sendto"
)

// setBuffers asks for buffers.
func setBuffers(fd, read, write int) {
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, read)
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF, write)
}

// collecting are senders of systems that send one datagram in a call; they collect nothing.
type collecting struct{}

func (*collecting) senders(l *Listener, n int) []netsys.Sender {
	all := make([]netsys.Sender, n)
	for i := range all {
		all[i] = &single{l: l, out: sendto.Socket{V6: l.out.V6}}
	}
	return all
}

func (*collecting) flush(time.Time) {}

func (*collecting) errors() uint64 { return 0 }

// single sends at once.
type single struct {
	l    *Listener
	out  sendto.Socket
	room [netsys.MaxDatagram]byte
}

func (s *single) Send(_ time.Time, to netip.AddrPort, b []byte) error {
	return s.l.sendUDP(&s.out, to, b)
}
func (s *single) Room() []byte    { return s.room[:] }
func (s *single) Flush(time.Time) {}
