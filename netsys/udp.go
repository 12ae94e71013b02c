package netsys

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync/atomic"
	"time"
)

// udpQueue bounds the datagrams that wait for a Poll.
const udpQueue = 4096

// UDP is a [Wire] on a socket of the net package: what clients use, and servers where the event loop of
// package eventloop is not wanted. A goroutine reads datagrams into a bounded [Inbox]. It builds everywhere;
// in a browser opening it is an error.
type UDP struct {
	conn    *udpSocket
	local   netip.AddrPort
	remote  netip.AddrPort
	inbox   *Inbox
	reading chan struct{}
	closed  atomic.Bool
}

var _ Wire = (*UDP)(nil)

// DialUDP opens a wire to one server, given as "host:port". Looking the host up may block until ctx ends. The
// kernel discards what others send to this socket. An unreachable server is not an error here or later: it
// cannot be told from a slow one, so sessions time out instead.
func DialUDP(ctx context.Context, server string) (*UDP, error) {
	conn, err := dialSocket(ctx, server)
	if err != nil {
		return nil, fmt.Errorf("netsys: DialUDP %q: %w", server, err)
	}
	return newUDP(conn), nil
}

// ListenUDP opens a wire that talks to anybody, bound to an address such as "127.0.0.1:7777" or ":7777";
// port 0 takes a free one. The error is [ErrAddrInUse] when another socket holds the address.
func ListenUDP(addr string) (*UDP, error) {
	if addr == "" {
		return nil, errors.New(`netsys: ListenUDP "": address without a port; ":0" takes a free one`)
	}
	conn, err := listenSocket(addr)
	if isAddrInUse(err) {
		return nil, fmt.Errorf("%w: ListenUDP %q", ErrAddrInUse, addr)
	}
	if err != nil {
		return nil, fmt.Errorf("netsys: ListenUDP %q: %w", addr, err)
	}
	return newUDP(conn), nil
}

func newUDP(conn *udpSocket) *UDP {
	u := &UDP{
		conn:    conn,
		local:   unmap(conn.local),
		remote:  unmap(conn.remote),
		inbox:   NewInbox(udpQueue),
		reading: make(chan struct{}),
	}
	go u.read()
	return u
}

// read fills the inbox until the socket is closed. Any other error concerns one datagram: an ICMP refusal of
// an earlier send (a server that is not up yet), a datagram too long for the buffer. Pauses that grow to
// 100 ms keep a broken socket from taking a whole core.
func (u *UDP) read() {
	defer close(u.reading)
	b := make([]byte, 2*MaxDatagram)
	for failures := 0; ; {
		n, from, err := u.conn.read(b)
		switch {
		case err == nil:
			failures = 0
			u.inbox.Put(from, time.Now(), b[:n])
		case u.closed.Load() || errors.Is(err, errSocketClosed):
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
	err := u.conn.send(to, b)
	switch {
	case err == nil || isRefused(err):
		return nil // a refusal answers an earlier datagram; whether this one arrives is unknown, as always
	case errors.Is(err, errSocketFull):
		return ErrFull
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
	err := u.conn.close()
	<-u.reading
	return err
}
