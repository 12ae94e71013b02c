package batch

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"

	"github.com/tactusgo/tactus/internal/mmsg"
	"github.com/tactusgo/tactus/netsys"
)

// socket is a bound descriptor with its properties as reported by the kernel.
type socket struct {
	fd                      int
	v6                      bool
	local                   netip.AddrPort
	readBuffer, writeBuffer int // bytes
}

// openSocket binds a non-blocking UDP socket with time stamps. As in package net, an address with no host or an unspecified
// host serves both families if the system has IPv6.
func openSocket(addr string, readBuffer, writeBuffer int) (socket, error) {
	if addr == "" {
		return socket{}, errors.New(`batch: Listen "": address without a port; ":0" takes a free one`)
	}
	resolved, err := net.ResolveUDPAddr("udp", addr)
	if err != nil {
		return socket{}, fmt.Errorf("batch: Listen %q: %w", addr, err)
	}
	s, err := bind(resolved)
	if err != nil {
		if errors.Is(err, unix.EADDRINUSE) {
			return socket{}, fmt.Errorf("%w: Listen %q", netsys.ErrAddrInUse, addr)
		}
		return socket{}, fmt.Errorf("batch: Listen %q: %w", addr, err)
	}
	s.readBuffer = mmsg.ReadBuffer(s.fd, readBuffer)
	s.writeBuffer = mmsg.WriteBuffer(s.fd, writeBuffer)
	return s, nil
}

func bind(to *net.UDPAddr) (socket, error) {
	everywhere := len(to.IP) == 0 || to.IP.IsUnspecified()
	if v4 := to.IP.To4(); v4 != nil && !everywhere {
		return bindFamily(unix.AF_INET, &unix.SockaddrInet4{Port: to.Port, Addr: [4]byte(v4)})
	}
	sa := &unix.SockaddrInet6{Port: to.Port}
	if !everywhere {
		sa.Addr = [16]byte(to.IP.To16())
		sa.ZoneId = mmsg.ZoneID(to.Zone)
	}
	s, err := bindFamily(unix.AF_INET6, sa)
	if everywhere && (errors.Is(err, unix.EAFNOSUPPORT) || errors.Is(err, unix.EADDRNOTAVAIL)) {
		// The system has no IPv6.
		return bindFamily(unix.AF_INET, &unix.SockaddrInet4{Port: to.Port})
	}
	return s, err
}

func bindFamily(family int, to unix.Sockaddr) (s socket, err error) {
	fd, err := unix.Socket(family, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, unix.IPPROTO_UDP)
	if err != nil {
		return socket{}, os.NewSyscallError("socket", err)
	}
	defer func() {
		if err != nil {
			_ = unix.Close(fd)
		}
	}()
	if family == unix.AF_INET6 {
		if err := unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_V6ONLY, 0); err != nil {
			return socket{}, os.NewSyscallError("setsockopt IPV6_V6ONLY", err)
		}
	}
	// Stamps are switched on before bind, so that every arrival has one.
	if err := mmsg.Stamp(fd); err != nil {
		return socket{}, os.NewSyscallError("setsockopt SO_TIMESTAMPNS", err)
	}
	if err := unix.Bind(fd, to); err != nil {
		return socket{}, os.NewSyscallError("bind", err)
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		return socket{}, os.NewSyscallError("getsockname", err)
	}
	s = socket{fd: fd, v6: family == unix.AF_INET6}
	switch sa := name.(type) {
	case *unix.SockaddrInet4:
		s.local = netip.AddrPortFrom(netip.AddrFrom4(sa.Addr), uint16(sa.Port))
	case *unix.SockaddrInet6:
		a := netip.AddrFrom16(sa.Addr).Unmap().WithZone(mmsg.ZoneName(sa.ZoneId))
		s.local = netip.AddrPortFrom(a, uint16(sa.Port))
	}
	return s, nil
}
