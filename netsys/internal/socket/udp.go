//go:build !js

package socket

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"syscall"
)

// kernelBuffer is what is asked of the kernel in each direction; it may give less.
const kernelBuffer = 1 << 20

// ErrClosed is wrapped by errors of a socket that was closed.
var ErrClosed = net.ErrClosed

// UDP is a socket. One goroutine may read while another one sends.
type UDP struct {
	conn *net.UDPConn
	out  sender
	// Local is the address that it is bound to, Remote the one that it was dialed to, if it was.
	Local, Remote netip.AddrPort
}

// Dial opens a socket to one address, given as "host:port".
func Dial(ctx context.Context, server string) (*UDP, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "udp", server)
	if err != nil {
		return nil, err
	}
	udp := conn.(*net.UDPConn)
	return open(udp, udp.RemoteAddr().(*net.UDPAddr).AddrPort())
}

// Listen opens a socket that is bound to an address.
func Listen(addr string) (*UDP, error) {
	local, err := net.ResolveUDPAddr("udp", addr)
	if err != nil {
		return nil, err
	}
	conn, err := net.ListenUDP("udp", local)
	if err != nil {
		return nil, err
	}
	return open(conn, netip.AddrPort{})
}

// InUse reports whether an error of [Listen] is that another socket holds the address. It also knows the number that
// Windows has for it.
func InUse(err error) bool {
	const wsaeaddrinuse = syscall.Errno(10048)
	return errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, wsaeaddrinuse)
}

// Refused reports whether an error of [UDP.Send] answers an earlier datagram.
func Refused(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }

func open(conn *net.UDPConn, remote netip.AddrPort) (*UDP, error) {
	// Smaller buffers than asked for lose datagrams earlier, nothing else.
	_ = conn.SetReadBuffer(kernelBuffer)
	_ = conn.SetWriteBuffer(kernelBuffer)
	u := &UDP{conn: conn, Local: conn.LocalAddr().(*net.UDPAddr).AddrPort(), Remote: remote}
	if err := u.out.init(conn, remote.IsValid(), !u.Local.Addr().Is4()); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return u, nil
}

// Read waits for a datagram.
func (u *UDP) Read(b []byte) (n int, from netip.AddrPort, err error) {
	return u.conn.ReadFromUDPAddrPort(b)
}

// Send sends a datagram, where the socket was dialed to that address.
func (u *UDP) Send(to netip.AddrPort, b []byte) error { return u.out.send(to, b) }

// Close closes the socket, which ends Read.
func (u *UDP) Close() error { return u.conn.Close() }
