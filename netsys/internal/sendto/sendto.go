//go:build unix

package sendto

import (
	"errors"
	"net"
	"net/netip"
	"strconv"
	"syscall"
)

// ErrFull means that the kernel's send buffer is full.
var ErrFull = errors.New("send buffer is full")

// Socket sends on one socket. It does not own the descriptor. The zero value serves an IPv4 socket. Only one goroutine may
// use it.
type Socket struct {
	// V6 is true for an IPv6 socket, which reaches IPv4 peers by mapped addresses.
	V6 bool

	v4    syscall.SockaddrInet4
	v6    syscall.SockaddrInet6
	zones map[string]uint32
}

// Send sends b to an address, or to the connected peer of fd if the address is the zero AddrPort. The call does not wait,
// so no signal interrupts it.
func (s *Socket) Send(fd int, to netip.AddrPort, b []byte) (err error) {
	switch {
	case !to.IsValid():
		_, err = syscall.Write(fd, b)
	case s.V6:
		s.v6.Addr = to.Addr().As16()
		s.v6.Port = int(to.Port())
		s.v6.ZoneId = s.zone(to.Addr().Zone())
		err = syscall.Sendto(fd, b, 0, &s.v6)
	case to.Addr().Unmap().Is4():
		s.v4.Addr = to.Addr().Unmap().As4()
		s.v4.Port = int(to.Port())
		err = syscall.Sendto(fd, b, 0, &s.v4)
	default:
		return syscall.EAFNOSUPPORT
	}
	switch err {
	case syscall.EAGAIN, syscall.ENOBUFS, syscall.ENOMEM:
		return ErrFull
	}
	return err
}

// zone returns the interface number of the zone of a link-local address. It caches existing interfaces.
func (s *Socket) zone(name string) uint32 {
	if name == "" {
		return 0
	}
	if id, ok := s.zones[name]; ok {
		return id
	}
	if s.zones == nil {
		s.zones = make(map[string]uint32)
	}
	if ifi, err := net.InterfaceByName(name); err == nil {
		s.zones[name] = uint32(ifi.Index)
		return s.zones[name]
	}
	id, _ := strconv.ParseUint(name, 10, 32)
	return uint32(id)
}
