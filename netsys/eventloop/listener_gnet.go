//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package eventloop

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"sync/atomic"
	"time"

	"github.com/panjf2000/gnet/v2"
	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/internal/sendto"
)

// Listener is a [netsys.Wire] that serves UDP, WebSocket or both with a gnet event loop. The loop's goroutine copies arrivals
// into a bounded queue. The goroutine that polls reads the queue and sends directly to the sockets.
type Listener struct {
	inbox *netsys.Inbox
	local netip.AddrPort
	log   *slog.Logger // nil: no logging

	engine     gnet.Engine
	proto      string // network and address in gnet's form; "" if UDP is not served
	senders    []*sender
	fd         int // a duplicate of the UDP socket; −1 if UDP is not served
	out        sendto.Socket
	udpSenders udpSenders
	udpReader  *udpReader // nil if gnet reads every datagram
	wakeUps    atomic.Uint64

	web      *connections // nil if WebSocket is not served
	webLoop  *webLoop     // nil if WebSocket is not served
	webLocal netip.AddrPort

	closed atomic.Bool
	loop   chan struct{} // closed when the UDP loop has ended
	failed atomic.Pointer[error]
}

var (
	_ netsys.ParallelWire = (*Listener)(nil)
	_ netsys.Flusher      = (*Listener)(nil)
)

// Listen serves UDP at addr, such as "127.0.0.1:7777", ":7777" (IPv4 and IPv6) or "127.0.0.1:0" (any free port, see
// [Listener.LocalAddr]). It serves WebSocket at [ListenConfig.WebSocket].Addr unless that is empty; then addr may be "" for no
// UDP. It starts the event loop. It returns the errors of [ListenConfig.Validate], [netsys.ErrAddrInUse] if another socket has
// one of the addresses, an error for an invalid address, or an error of the operating system.
func (c ListenConfig) Listen(addr string) (*Listener, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	l := &Listener{inbox: netsys.NewInbox(orDefault(c.Queue, defaultQueue)), log: c.Logger, fd: -1, loop: make(chan struct{})}
	if c.WebSocket.Addr != "" {
		l.web = newConnections(c.WebSocket, l.inbox, logger{c.Logger})
		loop, err := listenWeb(c.WebSocket.Addr, l.web, l.fail)
		if err != nil {
			l.closeReader()
			return nil, err
		}
		l.webLoop, l.webLocal = loop, loop.tcp.Addr().(*net.TCPAddr).AddrPort()
	}
	if addr == "" && l.web != nil {
		close(l.loop)
		return l, nil
	}
	if err := c.listenUDP(l, addr); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// listenUDP binds a UDP address and starts the loop that reads it.
func (c ListenConfig) listenUDP(l *Listener, addr string) error {
	claim, err := claimPort(addr)
	if err != nil {
		close(l.loop)
		return err
	}
	defer claim.release()
	h := &handler{listener: l, inbox: l.inbox, config: c, udp: claim.address(), started: make(chan struct{})}
	if c.Coalesce >= 0 {
		l.udpReader = newUDPReader(orDefault(c.Coalesce, defaultCoalesce), l.inbox, orDefault(c.Queue, defaultQueue))
	}
	l.proto = claim.proto()
	go func() {
		defer close(l.loop)
		// Every datagram fits into 64 KiB. A smaller buffer would make gnet truncate long datagrams silently.
		l.fail(gnet.Run(h, l.proto, gnet.WithNumEventLoop(1), gnet.WithReadBufferCap(1<<16), gnet.WithReusePort(true),
			gnet.WithTicker(true), gnet.WithLogger(logger{c.Logger})))
	}()
	select {
	case <-h.started:
		return nil
	case <-l.loop:
		return fmt.Errorf("eventloop: Listen %q: %w", l.proto, errors.Join(h.failed, *l.failed.Load()))
	}
}

// fail records that the listener can receive no more, unless it is being closed. err may be nil.
func (l *Listener) fail(err error) {
	if l.closed.Load() {
		return
	}
	if err == nil {
		err = netsys.ErrClosed
	}
	err = fmt.Errorf("eventloop: the event loop has ended: %w", err)
	if l.failed.CompareAndSwap(nil, &err) && l.log != nil {
		l.log.Error("the transport has failed: start the server again", "error", err)
	}
}

// Err implements [netsys.Failing]. A moment without file descriptors or memory is no failure: connections then wait.
func (l *Listener) Err() error {
	if err := l.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// AcceptErrors returns WebSocketStats.AcceptErrors, for rooms.Server.AcceptErrors.
func (l *Listener) AcceptErrors() uint64 { return l.WebSocketStats().AcceptErrors }

// Poll implements [netsys.Wire]. now must come from time.Now. A datagram that arrives between now and the end of the call may be
// delivered with the time of arrival now.
func (l *Listener) Poll(now time.Time, deliver func(netsys.Datagram)) {
	switch {
	case l.web == nil || l.web.reader == nil:
		l.drain(now, deliver)
	case !l.closed.Load():
		l.web.reader.poll(l, now, deliver)
	}
	if l.web != nil {
		l.web.flushBacklogged(now)
	}
}

// drain delivers the datagrams in the inbox, and the UDP datagrams that wait in the kernel while the loop is suspended.
func (l *Listener) drain(now time.Time, deliver func(netsys.Datagram)) {
	if l.udpReader != nil && l.fd >= 0 {
		l.udpReader.poll(l.fd, now, deliver)
	} else {
		l.inbox.Drain(now, deliver)
	}
}

// Send implements [netsys.Wire]. It also returns an error if the event loop has failed, because no answer would be received. It
// sends nothing to a WebSocket connection that has ended, and returns nil, as for a UDP peer that no longer exists.
func (l *Listener) Send(now time.Time, to netip.AddrPort, b []byte) error {
	if err := l.checkSend(b); err != nil {
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

// sendUDP sends a datagram immediately.
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

// checkSend returns an error if the listener cannot send a datagram.
func (l *Listener) checkSend(b []byte) error {
	if len(b) > netsys.MaxDatagram {
		return netsys.ErrTooLarge
	}
	if l.closed.Load() {
		return netsys.ErrClosed
	}
	return l.Err()
}

// Senders implements [netsys.ParallelWire].
func (l *Listener) Senders(n int) []netsys.Sender {
	all := l.udpSenders.add(l, n)
	for i, udp := range all {
		s := &sender{Sender: udp, l: l, web: pendingFrames{connections: l.web}}
		l.senders = append(l.senders, s)
		all[i] = s
	}
	return all
}

// Flush implements [netsys.Flusher]. It sends the datagrams that the senders have collected. Send does not collect.
func (l *Listener) Flush(now time.Time) {
	for _, s := range l.senders {
		s.web.flush(now)
	}
	l.udpSenders.flush(now)
}

// LocalAddr implements [netsys.Wire]. Without UDP it returns [Listener.WebSocketAddr].
func (l *Listener) LocalAddr() netip.AddrPort {
	if !l.local.IsValid() {
		return l.webLocal
	}
	return l.local
}

// WebSocketAddr returns the TCP address for WebSocket. It returns the zero AddrPort if WebSocket is not served.
func (l *Listener) WebSocketAddr() netip.AddrPort { return l.webLocal }

// LocalAddrs returns the addresses that are served: for UDP, for WebSocket or both. A server checks them before it allows
// development mode, and connect tokens name one of them.
func (l *Listener) LocalAddrs() []netip.AddrPort {
	return slices.DeleteFunc([]netip.AddrPort{l.local, l.webLocal}, func(a netip.AddrPort) bool { return !a.IsValid() })
}

// Dropped returns the number of datagrams lost because the queue was full.
func (l *Listener) Dropped() uint64 { return l.inbox.Dropped() }

// WakeUps returns the number of UDP datagrams that woke the loop up. gnet read these itself, with five allocations each.
// WakeUps is safe for concurrent use.
func (l *Listener) WakeUps() uint64 { return l.wakeUps.Load() }

// SendErrors returns the number of datagrams that a sender of [Listener.Senders] accepted and the kernel did not. For their
// sessions they count as lost.
func (l *Listener) SendErrors() uint64 { return l.udpSenders.errors() }

// WebSocketStats returns the statistics of the WebSocket side. It is safe for concurrent use.
func (l *Listener) WebSocketStats() WebSocketStats {
	if l.web == nil {
		return WebSocketStats{}
	}
	return l.web.currentStats()
}

// Close implements [netsys.Wire]. It returns after the loops have ended and the addresses are free.
func (l *Listener) Close() error {
	if l.closed.Load() {
		return nil
	}
	l.Flush(time.Now())
	l.closed.Store(true)
	if l.udpReader != nil {
		l.udpReader.stop()
	}
	// With a canceled context, Stop asks the loop to end and returns immediately. Stop itself would poll every half second
	// until the loop has ended; waiting for the loop here is faster.
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_ = l.engine.Stop(ended)
	if l.webLoop != nil {
		l.webLoop.close()
	}
	<-l.loop
	l.closeReader()
	// gnet keeps every engine and its buffers in a global table. Only the deprecated Stop removes an entry.
	//lint:ignore SA1019 see above
	_ = gnet.Stop(ended, l.proto)
	return l.closeFD()
}

func (l *Listener) closeReader() {
	if l.web != nil && l.web.reader != nil {
		l.web.reader.close()
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
