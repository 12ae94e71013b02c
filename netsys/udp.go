package netsys

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// udpQueue bounds the datagrams that wait for a Poll.
	udpQueue = 4096
	// udpKernelBuffer is what is asked of the kernel in each direction; it may give less.
	udpKernelBuffer = 1 << 20
)

// UDP is a [Wire] on a socket of the net package: what clients use, and servers where the event loop of
// package eventloop is not wanted. A goroutine reads datagrams into a bounded [Inbox]. It builds everywhere;
// browsers cannot open it.
type UDP struct {
	conn    *net.UDPConn
	local   netip.AddrPort
	remote  netip.AddrPort
	inbox   *Inbox
	out     udpSender
	reading chan struct{}
	closed  atomic.Bool
}

var _ Wire = (*UDP)(nil)

// DialUDP opens a wire to one server, given as "host:port". Looking the host up may block until ctx ends. The
// kernel discards what others send to this socket. An unreachable server is not an error here or later: it
// cannot be told from a slow one, so sessions time out instead.
func DialUDP(ctx context.Context, server string) (*UDP, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "udp", server)
	if err != nil {
		return nil, fmt.Errorf("netsys: DialUDP %q: %w", server, err)
	}
	udp := conn.(*net.UDPConn)
	return newUDP(udp, unmap(udp.RemoteAddr().(*net.UDPAddr).AddrPort()))
}

// ListenUDP opens a wire that talks to anybody, bound to an address such as "127.0.0.1:7777" or ":7777";
// port 0 takes a free one. The error is [ErrAddrInUse] when another socket holds the address.
func ListenUDP(addr string) (*UDP, error) {
	if addr == "" {
		return nil, errors.New(`netsys: ListenUDP "": address without a port; ":0" takes a free one`)
	}
	local, err := net.ResolveUDPAddr("udp", addr)
	if err != nil {
		return nil, fmt.Errorf("netsys: ListenUDP %q: %w", addr, err)
	}
	conn, err := net.ListenUDP("udp", local)
	if addrInUse(err) {
		return nil, fmt.Errorf("%w: ListenUDP %q", ErrAddrInUse, addr)
	}
	if err != nil {
		return nil, fmt.Errorf("netsys: ListenUDP %q: %w", addr, err)
	}
	return newUDP(conn, netip.AddrPort{})
}

// addrInUse also knows the number that Windows has for it.
func addrInUse(err error) bool {
	const wsaeaddrinuse = syscall.Errno(10048)
	return errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, wsaeaddrinuse)
}

func newUDP(conn *net.UDPConn, remote netip.AddrPort) (*UDP, error) {
	// Smaller buffers than asked for lose datagrams earlier, nothing else.
	_ = conn.SetReadBuffer(udpKernelBuffer)
	_ = conn.SetWriteBuffer(udpKernelBuffer)
	local := conn.LocalAddr().(*net.UDPAddr).AddrPort()
	u := &UDP{
		conn:    conn,
		local:   unmap(local),
		remote:  remote,
		inbox:   NewInbox(udpQueue),
		reading: make(chan struct{}),
	}
	if err := u.out.init(conn, remote, !local.Addr().Is4()); err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("netsys: UDP socket: %w", err)
	}
	go u.read()
	return u, nil
}

// read fills the inbox until the socket is closed. Any other error concerns one datagram: an ICMP refusal of
// an earlier send (a server that is not up yet), a datagram too long for the buffer. Pauses that grow to
// 100 ms keep a broken socket from taking a whole core.
func (u *UDP) read() {
	defer close(u.reading)
	b := make([]byte, 2*MaxDatagram)
	for failures := 0; ; {
		n, from, err := u.conn.ReadFromUDPAddrPort(b)
		switch {
		case err == nil:
			failures = 0
			u.inbox.Put(from, time.Now(), b[:n])
		case u.closed.Load() || errors.Is(err, net.ErrClosed):
			return
		default:
			failures = min(failures+1, 100)
			time.Sleep(time.Duration(failures) * time.Millisecond)
		}
	}
}

// Poll implements [Wire]; now must come from time.Now.
func (u *UDP) Poll(now time.Time, deliver func(Datagram)) { u.inbox.Drain(now, deliver) }

// Send implements [Wire]. A wire from [DialUDP] sends to its server only and returns an error for any other
// address.
func (u *UDP) Send(_ time.Time, to netip.AddrPort, b []byte) error {
	if len(b) > MaxDatagram {
		return ErrTooLarge
	}
	if u.closed.Load() {
		return ErrClosed
	}
	if u.remote.IsValid() && unmap(to) != u.remote {
		return fmt.Errorf("netsys: UDP.Send to %v on a wire that was dialed to %v", to, u.remote)
	}
	err := u.out.send(to, b)
	if err == nil || errors.Is(err, ErrFull) || errors.Is(err, syscall.ECONNREFUSED) {
		// A refusal answers an earlier datagram; whether this one arrives is unknown, as always.
		if errors.Is(err, ErrFull) {
			return ErrFull
		}
		return nil
	}
	return fmt.Errorf("netsys: UDP.Send: %w", err)
}

// LocalAddr implements [Wire].
func (u *UDP) LocalAddr() netip.AddrPort { return u.local }

// RemoteAddr is the server of a wire from [DialUDP], the zero AddrPort for one from [ListenUDP]. Pass it to
// [NewClient].
func (u *UDP) RemoteAddr() netip.AddrPort { return u.remote }

// Dropped is the number of arrivals lost because 4,096 waited for a Poll.
func (u *UDP) Dropped() uint64 { return u.inbox.Dropped() }

// Close implements [Wire] and returns when the reading goroutine has ended.
func (u *UDP) Close() error {
	if u.closed.Swap(true) {
		return nil
	}
	err := u.conn.Close()
	<-u.reading
	return err
}
