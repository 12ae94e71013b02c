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
// sends many in one call, and WebSocket messages straight to their connections, those that follow each other in one call.
type sender struct {
	netsys.Sender
	l   *Listener
	web pending
}

// Send implements [netsys.Sender].
func (s *sender) Send(now time.Time, to netip.AddrPort, b []byte) error {
	l := s.l
	if err := l.sends(b); err != nil {
		return err
	}
	if l.web != nil && IsWebSocket(to) {
		s.web.add(now, to, b)
		return nil
	}
	if !to.IsValid() || l.fd < 0 {
		return fmt.Errorf("eventloop: Send to %v: %w", to, unix.EDESTADDRREQ)
	}
	return s.Sender.Send(now, to, b)
}

// Flush implements [netsys.Sender].
func (s *sender) Flush(now time.Time) {
	s.web.flush(now)
	s.Sender.Flush(now)
}

// pending is messages to one connection that were not written yet.
type pending struct {
	web    *web
	to     netip.AddrPort
	conn   *webConn // nil: it is gone
	frames []byte
	ends   []int // of the frames
}

// pendingMost is how many messages wait for the rest of what a tick has for a connection.
const pendingMost = 8

// add takes a message in.
func (p *pending) add(now time.Time, to netip.AddrPort, b []byte) {
	if to != p.to || len(p.ends) == pendingMost {
		p.flush(now)
		p.to, p.conn = to, p.web.of(to)
	}
	if p.conn == nil {
		return
	}
	p.frames = appendFrame(p.frames, binaryFrame, b)
	p.ends = append(p.ends, len(p.frames))
}

// flush writes.
func (p *pending) flush(now time.Time) {
	if len(p.ends) > 0 {
		p.web.sent(p.conn, p.conn.sendAll(now, p.frames, p.ends))
	}
	p.to, p.conn, p.frames, p.ends = netip.AddrPort{}, nil, p.frames[:0], p.ends[:0]
}
