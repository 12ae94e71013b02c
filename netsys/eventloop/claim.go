//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package eventloop

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/netsys"
)

// portClaim holds a UDP port until gnet has bound it. gnet binds with SO_REUSEPORT. A second server on the same port would
// therefore start without an error and receive the datagrams of some clients. The kernel checks this option on both sockets
// at the time of the later bind, which makes an exclusive claim possible without a lock file:
//
//  1. A plain socket binds the port without the option. This fails if any other socket has the port.
//  2. The option is set on the plain socket, so that gnet can bind the port too.
//  3. gnet binds. The option is cleared on gnet's socket, so that no further socket can bind the port.
//  4. The plain socket is closed. Datagrams that reached it in the meantime are lost.
//
// From the first step until the listener closes, at least one socket holds the port. Two listeners cannot both pass the
// first step. Another process of the same user that sets the option can bind the port only between steps 2 and 3.
type portClaim struct {
	conn  *net.UDPConn
	local netip.AddrPort
}

// claimPort binds an address.
func claimPort(addr string) (portClaim, error) {
	if addr == "" {
		return portClaim{}, errors.New(`eventloop: Listen "": the address has no port; use ":0" for any free port`)
	}
	pc, err := net.ListenPacket("udp", addr)
	if err != nil {
		return portClaim{}, listenError(addr, err)
	}
	c := portClaim{conn: pc.(*net.UDPConn), local: pc.LocalAddr().(*net.UDPAddr).AddrPort()}
	raw, err := c.conn.SyscallConn()
	if err == nil {
		var inner error
		err = raw.Control(func(fd uintptr) { inner = setSharing(int(fd), true) })
		err = errors.Join(err, inner)
	}
	if err != nil {
		c.release()
		return portClaim{}, fmt.Errorf("eventloop: Listen %q: %w", addr, err)
	}
	return c, nil
}

// listenError returns the error of [ListenConfig.Listen] for an error of binding an address.
func listenError(addr string, err error) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%w: Listen %q", netsys.ErrAddrInUse, addr)
	}
	return fmt.Errorf("eventloop: Listen %q: %w", addr, err)
}

// address returns the claimed address in gnet's form. gnet serves IPv4 and IPv6 in one socket only for the empty host. It
// serves IPv6 alone for "[::]".
func (c portClaim) address() string {
	if c.local.Addr().IsUnspecified() && c.local.Addr().Is6() {
		return fmt.Sprintf(":%d", c.local.Port())
	}
	return c.local.String()
}

// proto returns the network and the claimed address in gnet's form.
func (c portClaim) proto() string { return "udp://" + c.address() }

func (c portClaim) release() { _ = c.conn.Close() }

func setSharing(fd int, on bool) error {
	v := 0
	if on {
		v = 1
	}
	return unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, v)
}
