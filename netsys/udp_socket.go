//go:build !js

package netsys

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"syscall"
)

// kernelBuffer is the requested size of the kernel's buffer in each direction, in bytes. The kernel may use a smaller one.
const kernelBuffer = 1 << 20

// errSocketClosed is wrapped by errors of a socket that was closed.
var errSocketClosed = net.ErrClosed

// udpSocket is a UDP socket of package net. One goroutine may read while another one sends. Browsers have no UDP sockets, and
// a client for browsers does not link package net, which would add half a megabyte.
type udpSocket struct {
	conn   *net.UDPConn
	out    udpSender
	local  netip.AddrPort
	remote netip.AddrPort // the zero AddrPort unless the socket was dialed
}

// dialSocket opens a socket to one address, given as "host:port".
func dialSocket(ctx context.Context, server string) (*udpSocket, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "udp", server)
	if err != nil {
		return nil, err
	}
	udp := conn.(*net.UDPConn)
	return newSocket(udp, udp.RemoteAddr().(*net.UDPAddr).AddrPort())
}

// listenSocket opens a socket that is bound to an address.
func listenSocket(addr string) (*udpSocket, error) {
	local, err := net.ResolveUDPAddr("udp", addr)
	if err != nil {
		return nil, err
	}
	conn, err := net.ListenUDP("udp", local)
	if err != nil {
		return nil, err
	}
	return newSocket(conn, netip.AddrPort{})
}

// isAddrInUse reports whether an error of listenSocket means that another socket has the address. It also recognizes the error
// number of Windows.
func isAddrInUse(err error) bool {
	const wsaeaddrinuse = syscall.Errno(10048)
	return errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, wsaeaddrinuse)
}

// isRefused reports whether an error of [udpSocket.send] concerns an earlier datagram.
func isRefused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }

func newSocket(conn *net.UDPConn, remote netip.AddrPort) (*udpSocket, error) {
	// Ignore errors: with a smaller buffer, datagrams are only lost earlier.
	_ = conn.SetReadBuffer(kernelBuffer)
	_ = conn.SetWriteBuffer(kernelBuffer)
	u := &udpSocket{conn: conn, local: conn.LocalAddr().(*net.UDPAddr).AddrPort(), remote: remote}
	if err := u.out.init(conn, remote.IsValid(), !u.local.Addr().Is4()); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return u, nil
}

// read waits for a datagram.
func (u *udpSocket) read(b []byte) (n int, from netip.AddrPort, err error) {
	return u.conn.ReadFromUDPAddrPort(b)
}

// send sends a datagram. to must be the address that the socket was dialed to, if it was dialed.
func (u *udpSocket) send(to netip.AddrPort, b []byte) error { return u.out.send(to, b) }

// close closes the socket, which ends read.
func (u *udpSocket) close() error { return u.conn.Close() }
