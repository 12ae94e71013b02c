//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package eventloop

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"sync/atomic"
	"time"

	"github.com/panjf2000/gnet/v2"
	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/internal/sendto"
)

// Listener is a server's UDP socket, its WebSocket port, or both, in a gnet event loop; it is a [netsys.Wire].
// The loop's goroutine copies arrivals into a bounded queue, the goroutine that polls takes them out and sends
// straight to the sockets.
type Listener struct {
	inbox  *netsys.Inbox
	local  netip.AddrPort
	protos []string // the addresses as gnet knows them
	closed bool

	engine     gnet.Engine
	senders    []*sender
	fd         int // a duplicate of the UDP socket, for sending; −1 when there is none
	out        sendto.Socket
	collecting collecting
	gather     *gather // nil when datagrams go one by one
	wakes      atomic.Uint64

	web      *web // nil when WebSocket is not served
	webLocal netip.AddrPort

	loop   chan struct{} // closed when the loop has ended
	failed atomic.Pointer[error]
}

var (
	_ netsys.ParallelWire = (*Listener)(nil)
	_ netsys.Flusher      = (*Listener)(nil)
)

// Listen binds addr, such as "127.0.0.1:7777", ":7777" (IPv4 and IPv6) or "127.0.0.1:0" (any free port, see
// [Listener.LocalAddr]), for UDP, and the address in [ListenConfig.WebSocket], when there is one, for
// WebSocket; then addr may be "", which is no UDP. It starts the event loop. Errors are those of
// [ListenConfig.Validate], of the addresses, [netsys.ErrAddrInUse] when another socket holds one of them, or the
// operating system's.
func (c ListenConfig) Listen(addr string) (*Listener, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	l := &Listener{
		inbox: netsys.NewInbox(orDefault(c.Queue, defaultQueue)),
		fd:    -1,
		loop:  make(chan struct{}),
	}
	h := &handler{listener: l, inbox: l.inbox, config: c, started: make(chan struct{})}
	if addr != "" || c.WebSocket.Addr == "" {
		claim, err := claimPort("udp", addr)
		if err != nil {
			return nil, err
		}
		defer claim.release()
		h.udp = claim.address()
		if c.Coalesce >= 0 {
			l.gather = newGather(c.coalesce(), c.WebSocket.Addr == "", l.inbox, orDefault(c.Queue, defaultQueue))
		}
		l.protos = append(l.protos, claim.proto())
	}
	if c.WebSocket.Addr != "" {
		if err := enoughFiles(orDefault(c.WebSocket.Connections, defaultConnections)); err != nil {
			return nil, err
		}
		claim, err := claimPort("tcp", c.WebSocket.Addr)
		if err != nil {
			return nil, err
		}
		defer claim.release()
		h.tcp = claim.address()
		l.protos = append(l.protos, claim.proto())
		l.web, l.webLocal = newWeb(c.WebSocket, l.inbox, logger{c.Logger}), claim.local
	}
	go func() {
		defer close(l.loop)
		// 64 KiB hold any datagram: with less, gnet cuts long ones without a word.
		err := gnet.Rotate(h, l.protos, gnet.WithNumEventLoop(1), gnet.WithReadBufferCap(1<<16), gnet.WithReusePort(true),
			gnet.WithReuseAddr(l.web != nil), gnet.WithTicker(true), gnet.WithLogger(logger{c.Logger}))
		if err == nil {
			err = netsys.ErrClosed
		}
		l.failed.Store(&err)
	}()
	select {
	case <-h.started:
		return l, nil
	case <-l.loop:
		l.endReader()
		_ = l.closeFD()
		return nil, fmt.Errorf("eventloop: Listen %q: %w", l.protos, errors.Join(h.failed, *l.failed.Load()))
	}
}

// Poll implements [netsys.Wire]; now must come from time.Now. An arrival between now and the end of the call may be
// delivered as having come at now.
func (l *Listener) Poll(now time.Time, deliver func(netsys.Datagram)) {
	switch {
	case l.web == nil || l.web.reader == nil:
		l.drain(now, deliver)
	case !l.closed:
		l.web.reader.poll(l, now, deliver)
	}
	if l.web != nil {
		l.web.polled(now)
	}
}

// drain delivers what the event loop took in, and the UDP datagrams that it would.
func (l *Listener) drain(now time.Time, deliver func(netsys.Datagram)) {
	if l.gather != nil && l.fd >= 0 {
		l.gather.poll(l.fd, now, deliver)
	} else {
		l.inbox.Drain(now, deliver)
	}
}

// Send implements [netsys.Wire]. It also fails when the event loop has failed, since nothing would answer. To
// a WebSocket connection that has ended it sends nothing, as to a UDP peer that has.
func (l *Listener) Send(now time.Time, to netip.AddrPort, b []byte) error {
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
	return l.sendUDP(&l.out, to, b)
}

// sendUDP sends at once.
func (l *Listener) sendUDP(out *sendto.Socket, to netip.AddrPort, b []byte) error {
	err := out.Send(l.fd, to, b)
	if err == nil {
		return nil
	}
	if errors.Is(err, sendto.ErrFull) {
		return netsys.ErrFull
	}
	return fmt.Errorf("eventloop: Send: %w", err)
}

// sends reports whether the listener still sends, and such a datagram.
func (l *Listener) sends(b []byte) error {
	if len(b) > netsys.MaxDatagram {
		return netsys.ErrTooLarge
	}
	if l.closed {
		return netsys.ErrClosed
	}
	if err := l.failed.Load(); err != nil {
		return fmt.Errorf("eventloop: the event loop has ended: %w", *err)
	}
	return nil
}

// Senders implements [netsys.ParallelWire].
func (l *Listener) Senders(n int) []netsys.Sender {
	all := l.collecting.senders(l, n)
	for i, udp := range all {
		s := &sender{Sender: udp, l: l, web: pending{web: l.web}}
		l.senders = append(l.senders, s)
		all[i] = s
	}
	return all
}

// Flush implements [netsys.Flusher]: it sends what senders collected. Send does not collect.
func (l *Listener) Flush(now time.Time) {
	for _, s := range l.senders {
		s.web.flush(now)
	}
	l.collecting.flush(now)
}

// LocalAddr implements [netsys.Wire]. Without UDP it is [Listener.WebSocketAddr].
func (l *Listener) LocalAddr() netip.AddrPort {
	if !l.local.IsValid() {
		return l.webLocal
	}
	return l.local
}

// WebSocketAddr is the TCP address for WebSocket; the zero AddrPort when none is served.
func (l *Listener) WebSocketAddr() netip.AddrPort { return l.webLocal }

// LocalAddrs are both of these, or the one that is served: servers look at them before they let everybody in, and connect
// tokens name one.
func (l *Listener) LocalAddrs() []netip.AddrPort {
	return slices.DeleteFunc([]netip.AddrPort{l.local, l.webLocal}, func(a netip.AddrPort) bool { return !a.IsValid() })
}

// Dropped is the number of arrivals lost because the queue was full.
func (l *Listener) Dropped() uint64 { return l.inbox.Dropped() }

// WakeUps is how many UDP datagrams have woken the loop up: those that gnet itself read, with five allocations each.
// It may be called from any goroutine.
func (l *Listener) WakeUps() uint64 { return l.wakes.Load() }

// SendErrors is the number of datagrams that a sender of [Listener.Senders] took and the kernel did not. The sessions
// that they were of learn it as loss.
func (l *Listener) SendErrors() uint64 { return l.collecting.errors() }

// WebSocketStats counts what happened so far on the WebSocket side. It may be called from any goroutine.
func (l *Listener) WebSocketStats() WebSocketStats {
	if l.web == nil {
		return WebSocketStats{}
	}
	return l.web.snapshot()
}

// Close implements [netsys.Wire]. It returns when the loop has ended and the addresses are free again.
func (l *Listener) Close() error {
	if l.closed {
		return nil
	}
	l.Flush(time.Now())
	l.closed = true
	if l.web != nil {
		l.web.shut()
	}
	if l.gather != nil {
		l.gather.end()
	}
	// With a context that has ended, Stop asks the loop to end and returns the context's error, or that the
	// loop has ended already; waiting for the loop itself saves the half second by which Stop polls.
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_ = l.engine.Stop(ended)
	<-l.loop
	l.endReader()
	// gnet keeps every engine in a global table by address, buffers and all. The only call that removes an
	// entry is the deprecated Stop.
	for _, proto := range l.protos {
		//lint:ignore SA1019 see above
		_ = gnet.Stop(ended, proto)
	}
	return l.closeFD()
}

func (l *Listener) endReader() {
	if l.web != nil && l.web.reader != nil {
		l.web.reader.end()
	}
}

func (l *Listener) closeFD() error {
	if l.fd < 0 {
		return nil
	}
	err := unix.Close(l.fd)
	l.fd = -1
	return err
}
