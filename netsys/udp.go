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

// UDP is a [Wire] on a socket of package net. Clients use it, and servers that do not use package eventloop. A goroutine reads
// datagrams into a bounded [Inbox]. UDP builds on all systems; in a browser, [DialUDP] and [ListenUDP] return an error.
type UDP struct {
	conn    *udpSocket
	local   netip.AddrPort
	remote  netip.AddrPort
	inbox   *Inbox
	reading chan struct{}
	closed  atomic.Bool
}

var _ Wire = (*UDP)(nil)

// DialUDP opens a wire to one server, given as "host:port". Looking up the host may block until ctx ends. The kernel discards
// datagrams from other addresses. An unreachable server causes no error, because it looks the same as a slow one; the session
// times out.
func DialUDP(ctx context.Context, server string) (*UDP, error) {
	conn, err := dialSocket(ctx, server)
	if err != nil {
		return nil, fmt.Errorf("netsys: DialUDP %q: %w", server, err)
	}
	return newUDP(conn), nil
}

// ListenUDP opens a wire on an address such as "127.0.0.1:7777" or ":7777". It receives from and sends to any address. Port 0
// means any free port. It returns [ErrAddrInUse] if another socket has the address.
func ListenUDP(addr string) (*UDP, error) {
	if addr == "" {
		return nil, errors.New(`netsys: ListenUDP "": the address has no port; use ":0" for any free port`)
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

// read reads datagrams into the inbox until the socket is closed. Any other error concerns one datagram, such as an ICMP refusal
// of an earlier one because the server is not up yet. After consecutive errors it waits up to 100 ms, so that a broken socket
// does not use a whole processor.
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

// Send implements [Wire]. A wire from [DialUDP] returns an error for any address but its server's.
func (u *UDP) Send(_ time.Time, to netip.AddrPort, b []byte) error {
	if len(b) > MaxDatagram {
		return ErrTooLarge
	}
	if u.closed.Load() {
		return ErrClosed
	}
	if u.remote.IsValid() && unmap(to) != u.remote {
		return fmt.Errorf("netsys: UDP.Send to %v: the wire is connected to %v and sends to no other address", to, u.remote)
	}
	err := u.conn.send(to, b)
	switch {
	case err == nil || isRefused(err):
		return nil // a refusal concerns an earlier datagram; this one may arrive
	case errors.Is(err, errSocketFull):
		return ErrFull
	}
	return fmt.Errorf("netsys: UDP.Send: %w", err)
}

// LocalAddr implements [Wire].
func (u *UDP) LocalAddr() netip.AddrPort { return u.local }

// RemoteAddr returns the server's address, for [NewClient]. On a wire from [ListenUDP] it returns the zero AddrPort.
func (u *UDP) RemoteAddr() netip.AddrPort { return u.remote }

// Dropped returns the number of datagrams lost because 4,096 others waited for a Poll.
func (u *UDP) Dropped() uint64 { return u.inbox.Dropped() }

// Close implements [Wire]. It returns after the reading goroutine has ended.
func (u *UDP) Close() error {
	if u.closed.Swap(true) {
		return nil
	}
	err := u.conn.close()
	<-u.reading
	return err
}
