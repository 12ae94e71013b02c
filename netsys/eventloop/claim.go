//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package eventloop

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/netsys"
)

// claim holds a port until gnet has it. gnet binds with SO_REUSEPORT, so that a second server on the same
// port would start without an error and take some of the clients. The kernel looks at that option of both
// sockets at the time of the later bind, which makes an exclusive hold possible without any lock file:
//
//  1. A plain socket, without the option, binds the port: this fails whenever anybody has it.
//  2. The plain socket gets the option, so that gnet may bind beside it.
//  3. gnet binds and its socket loses the option, so that nobody may bind beside gnet.
//  4. The plain socket closes, and with it go the datagrams that reached it meanwhile: lost, as datagrams may be.
//
// From the first step to the end of the listener at least one socket holds the port. Two listeners cannot
// both pass the first step; a stranger with the option and the same user can slip in only between 2 and 3.
//
// TCP ports work alike, with a socket that listens in the first step, as sockets of the net package do. There
// the third step does not keep out a stranger with the option and the same user: Linux remembers the option.
type claim struct {
	conn interface {
		syscall.Conn
		io.Closer
	}
	network string // "udp" or "tcp"
	local   netip.AddrPort
}

func claimPort(network, addr string) (claim, error) {
	if addr == "" {
		return claim{}, errors.New(`eventloop: Listen "": address without a port; ":0" takes a free one`)
	}
	c := claim{network: network}
	var err error
	if network == "tcp" {
		var ln net.Listener
		if ln, err = net.Listen(network, addr); err == nil {
			c.conn, c.local = ln.(*net.TCPListener), ln.Addr().(*net.TCPAddr).AddrPort()
		}
	} else {
		var pc net.PacketConn
		if pc, err = net.ListenPacket(network, addr); err == nil {
			c.conn, c.local = pc.(*net.UDPConn), pc.LocalAddr().(*net.UDPAddr).AddrPort()
		}
	}
	if errors.Is(err, syscall.EADDRINUSE) {
		return claim{}, fmt.Errorf("%w: Listen %q", netsys.ErrAddrInUse, addr)
	}
	if err != nil {
		return claim{}, fmt.Errorf("eventloop: Listen %q: %w", addr, err)
	}
	raw, err := c.conn.SyscallConn()
	if err == nil {
		var inner error
		err = raw.Control(func(fd uintptr) { inner = setSharing(int(fd), true) })
		err = errors.Join(err, inner)
	}
	if err != nil {
		c.release()
		return claim{}, fmt.Errorf("eventloop: Listen %q: %w", addr, err)
	}
	return c, nil
}

// address is what was claimed, for gnet. For gnet only the empty host is IPv4 and IPv6 in one socket; "[::]"
// would be IPv6 alone.
func (c claim) address() string {
	if c.local.Addr().IsUnspecified() && c.local.Addr().Is6() {
		return fmt.Sprintf(":%d", c.local.Port())
	}
	return c.local.String()
}

// proto is the claimed address in gnet's form, with the network.
func (c claim) proto() string { return c.network + "://" + c.address() }

func (c claim) release() { _ = c.conn.Close() }

// enoughFiles reports an error when the process may not have so many connections besides other open files. Go
// has raised the limit as far as it goes.
func enoughFiles(connections int) error {
	const others = 64
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return nil // nothing is known
	}
	if uint64(connections)+others > uint64(limit.Cur) {
		return fmt.Errorf("eventloop: WebSocketConfig.Connections %d: the process may have %d files open (ulimit -n)", connections, limit.Cur)
	}
	return nil
}

func setSharing(fd int, on bool) error {
	v := 0
	if on {
		v = 1
	}
	return unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, v)
}
