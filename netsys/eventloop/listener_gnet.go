//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package eventloop

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/panjf2000/gnet/v2"
	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/internal/sendto"
)

// Listener is a server's UDP socket in a gnet event loop; it is a [netsys.Wire]. The loop's goroutine copies
// arrivals into a bounded queue, the goroutine that polls takes them out and sends on a duplicate of the
// loop's descriptor.
type Listener struct {
	inbox *netsys.Inbox
	local netip.AddrPort
	proto string // the address as gnet knows it

	engine gnet.Engine
	fd     int // a duplicate of the socket, for sending; −1 when closed
	out    sendto.Socket

	loop   chan struct{} // closed when the loop has ended
	failed atomic.Pointer[error]
}

var _ netsys.Wire = (*Listener)(nil)

// Listen binds addr, such as "127.0.0.1:7777", ":7777" (IPv4 and IPv6) or "127.0.0.1:0" (any free port, see
// [Listener.LocalAddr]), and starts the event loop. Errors are those of [ListenConfig.Validate], of the
// address, [netsys.ErrAddrInUse] when another socket holds the address, or the operating system's.
func (c ListenConfig) Listen(addr string) (*Listener, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	claim, err := claimPort(addr)
	if err != nil {
		return nil, err
	}
	defer claim.release()

	l := &Listener{
		inbox: netsys.NewInbox(orDefault(c.Queue, defaultQueue)),
		proto: claim.proto(),
		fd:    -1,
		loop:  make(chan struct{}),
	}
	h := &handler{listener: l, inbox: l.inbox, config: c, started: make(chan struct{})}
	go func() {
		defer close(l.loop)
		// 64 KiB hold any datagram: with less, gnet cuts long ones without a word.
		err := gnet.Run(h, l.proto, gnet.WithNumEventLoop(1), gnet.WithReadBufferCap(1<<16),
			gnet.WithTicker(true), gnet.WithLogger(logger{c.Logger}))
		if err == nil {
			err = netsys.ErrClosed
		}
		l.failed.Store(&err)
	}()
	select {
	case <-h.started:
		return l, nil
	case <-l.loop:
		l.closeFD()
		return nil, fmt.Errorf("eventloop: Listen %q: %w", addr, errors.Join(h.failed, *l.failed.Load()))
	}
}

// Poll implements [netsys.Wire]; now must come from time.Now.
func (l *Listener) Poll(now time.Time, deliver func(netsys.Datagram)) { l.inbox.Drain(now, deliver) }

// Send implements [netsys.Wire]. It also fails when the event loop has failed, since nothing would answer.
func (l *Listener) Send(_ time.Time, to netip.AddrPort, b []byte) error {
	if len(b) > netsys.MaxDatagram {
		return netsys.ErrTooLarge
	}
	if l.fd < 0 {
		return netsys.ErrClosed
	}
	if err := l.failed.Load(); err != nil {
		return fmt.Errorf("eventloop: the event loop has ended: %w", *err)
	}
	if !to.IsValid() {
		return fmt.Errorf("eventloop: Send: %w", unix.EDESTADDRREQ)
	}
	err := l.out.Send(l.fd, to, b)
	if err == nil {
		return nil
	}
	if errors.Is(err, sendto.ErrFull) {
		return netsys.ErrFull
	}
	return fmt.Errorf("eventloop: Send: %w", err)
}

// LocalAddr implements [netsys.Wire].
func (l *Listener) LocalAddr() netip.AddrPort { return l.local }

// Dropped is the number of arrivals lost because the queue was full.
func (l *Listener) Dropped() uint64 { return l.inbox.Dropped() }

// Close implements [netsys.Wire]. It returns when the loop has ended and the address is free again.
func (l *Listener) Close() error {
	if l.fd < 0 {
		return nil
	}
	// With a context that has ended, Stop asks the loop to end and returns the context's error, or that the
	// loop has ended already; waiting for the loop itself saves the half second by which Stop polls.
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_ = l.engine.Stop(ended)
	<-l.loop
	// gnet keeps every engine in a global table by address, buffers and all. The only call that removes an
	// entry is the deprecated Stop.
	//lint:ignore SA1019 see above
	_ = gnet.Stop(ended, l.proto)
	return l.closeFD()
}

func (l *Listener) closeFD() error {
	if l.fd < 0 {
		return nil
	}
	err := unix.Close(l.fd)
	l.fd = -1
	return err
}

// handler is what gnet calls. It keeps no Conn: for UDP each lives during one call only.
type handler struct {
	gnet.BuiltinEventEngine

	listener *Listener
	inbox    *netsys.Inbox
	config   ListenConfig
	started  chan struct{}
	failed   error
}

// OnBoot runs after the socket is bound and before the loop starts.
func (h *handler) OnBoot(e gnet.Engine) gnet.Action {
	l := h.listener
	l.engine = e
	if h.failed = h.adopt(e); h.failed != nil {
		return gnet.Shutdown
	}
	return gnet.None
}

// adopt takes a descriptor for sending, ends the sharing of the port, and reads the address that is in use;
// gnet itself reports port 0 as 0.
func (h *handler) adopt(e gnet.Engine) (err error) {
	l := h.listener
	if l.fd, err = e.Dup(); err != nil {
		l.fd = -1
		return err
	}
	if err := setSharing(l.fd, false); err != nil {
		return err
	}
	// Smaller buffers than asked for lose datagrams earlier, nothing else.
	_ = unix.SetsockoptInt(l.fd, unix.SOL_SOCKET, unix.SO_RCVBUF, orDefault(h.config.ReadBuffer, defaultKernelBuffer))
	_ = unix.SetsockoptInt(l.fd, unix.SOL_SOCKET, unix.SO_SNDBUF, orDefault(h.config.WriteBuffer, defaultKernelBuffer))
	name, err := unix.Getsockname(l.fd)
	if err != nil {
		return err
	}
	switch sa := name.(type) {
	case *unix.SockaddrInet4:
		l.local = netip.AddrPortFrom(netip.AddrFrom4(sa.Addr), uint16(sa.Port))
	case *unix.SockaddrInet6:
		l.local = netip.AddrPortFrom(netip.AddrFrom16(sa.Addr), uint16(sa.Port))
		l.out.V6 = true
	}
	return nil
}

// OnTick runs once, when the loop runs: gnet has no other sign that it started.
func (h *handler) OnTick() (time.Duration, gnet.Action) {
	select {
	case <-h.started:
	default:
		close(h.started)
	}
	return 1 << 62, gnet.None
}

// OnTraffic copies one datagram. Its bytes are the loop's read buffer and its zone is a string whose memory
// gnet recycles, so nothing of c may outlive the call; AddrPort copies the zone.
func (h *handler) OnTraffic(c gnet.Conn) gnet.Action {
	at := time.Now()
	b, err := c.Next(-1)
	from, ok := c.RemoteAddr().(*net.UDPAddr)
	if err == nil && ok {
		h.inbox.Put(from.AddrPort(), at, b)
	}
	return gnet.None
}
