//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package eventloop

import (
	"fmt"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/netsys"
)

// sender is how one goroutine sends: UDP datagrams by a [netsys.Sender] of its own, which collects them where the system
// sends many in one call, and WebSocket messages straight to their connections.
type sender struct {
	netsys.Sender
	l *Listener
}

// Send implements [netsys.Sender].
func (s *sender) Send(now time.Time, to netip.AddrPort, b []byte) error {
	l := s.l
	if err := l.sends(b); err != nil {
		return err
	}
	if l.web != nil && IsWebSocket(to) {
		l.web.send(now, to, b)
		return nil
	}
	if !to.IsValid() || l.fd < 0 {
		return fmt.Errorf("eventloop: Send to %v: %w", to, unix.EDESTADDRREQ)
	}
	return s.Sender.Send(now, to, b)
}
