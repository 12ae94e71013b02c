//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package eventloop

import (
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/internal/sendto"
)

// setBuffers requests buffer sizes.
func setBuffers(fd, read, write int) {
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, read)
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF, write)
}

// udpSenders are senders that send each datagram immediately, in one system call.
type udpSenders struct{}

func (*udpSenders) add(l *Listener, n int) []netsys.Sender {
	all := make([]netsys.Sender, n)
	for i := range all {
		all[i] = &directSender{l: l, out: sendto.Socket{V6: l.out.V6}}
	}
	return all
}

func (*udpSenders) flush(time.Time) {}

func (*udpSenders) errors() uint64 { return 0 }

// directSender sends each datagram immediately.
type directSender struct {
	l    *Listener
	out  sendto.Socket
	room [netsys.MaxDatagram]byte
}

func (s *directSender) Send(_ time.Time, to netip.AddrPort, b []byte) error {
	return s.l.sendUDP(&s.out, to, b)
}
func (s *directSender) Room() []byte    { return s.room[:] }
func (s *directSender) Flush(time.Time) {}
