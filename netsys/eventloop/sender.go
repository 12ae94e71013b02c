//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package eventloop

import (
	"fmt"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/netsys"
)

// sender sends on behalf of one goroutine. Its own [netsys.Sender] sends UDP datagrams, many in one system call where the
// system supports that. Consecutive WebSocket messages to one connection are written in one call.
type sender struct {
	netsys.Sender
	l   *Listener
	web pendingFrames
}

// Send implements [netsys.Sender].
func (s *sender) Send(now time.Time, to netip.AddrPort, b []byte) error {
	l := s.l
	if err := l.checkSend(b); err != nil {
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

// pendingFrames are consecutive messages to one connection that are written together.
type pendingFrames struct {
	connections *connections
	to          netip.AddrPort
	conn        *webConn // nil: the connection is closed
	frames      []byte
	ends        []int // end of each frame in frames
}

// maxPending is the number of messages that are written together at most.
const maxPending = 8

// add adds a message. It writes the earlier messages first if they are for another connection or too many.
func (p *pendingFrames) add(now time.Time, to netip.AddrPort, b []byte) {
	if to != p.to || len(p.ends) == maxPending {
		p.flush(now)
		p.to, p.conn = to, p.connections.recipient(to)
	}
	if p.conn == nil {
		return
	}
	p.frames = appendFrame(p.frames, binaryFrame, b)
	p.ends = append(p.ends, len(p.frames))
}

// flush writes the messages.
func (p *pendingFrames) flush(now time.Time) {
	if len(p.ends) > 0 {
		p.connections.recordSend(p.conn, p.conn.sendFrames(now, p.frames, p.ends))
	}
	p.to, p.conn, p.frames, p.ends = netip.AddrPort{}, nil, p.frames[:0], p.ends[:0]
}
