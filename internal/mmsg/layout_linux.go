package mmsg

import (
	"encoding/binary"
	"net/netip"

	"golang.org/x/sys/unix"
)

// BatchSize is how many datagrams one system call receives or sends: enough that the call itself costs
// little, few enough that a batch stays in the second-level cache.
const BatchSize = 64

// Reader and Writer call the kernel by RawSyscall6, since neither call waits. One that is announced to Go's scheduler,
// and then takes the 100 µs of a batch, loses its processor to a thread that is woken for nothing: at 1,000 clients that
// was 1,600 switches of threads a second in place of 300, and 5 % of the server's time.

// message is the kernel's struct mmsghdr. The padding behind size is that of the C compiler, because the
// pointers in hdr align both alike.
type message struct {
	hdr  unix.Msghdr
	size uint32 // bytes received or sent, set by the kernel
}

// sockaddr is a struct sockaddr_in or sockaddr_in6:
//
//	IPv4: family 2 | port 2 | address 4
//	IPv6: family 2 | port 2 | flow 4 | address 16 | scope 4
//
// Port and addresses are in network order, family and scope in the machine's.
type sockaddr struct {
	family uint16
	port   [2]byte
	body   [24]byte
}

const (
	sizeInet4 = unix.SizeofSockaddrInet4
	sizeInet6 = unix.SizeofSockaddrInet6
)

// set writes an address for a socket of IPv6, which knows IPv4 by mapped addresses, or of IPv4.
func (s *sockaddr) set(a netip.AddrPort, v6 bool, z *zones) {
	binary.BigEndian.PutUint16(s.port[:], a.Port())
	if !v6 {
		s.family = unix.AF_INET
		v4 := a.Addr().Unmap().As4()
		copy(s.body[:4], v4[:])
		return
	}
	s.family = unix.AF_INET6
	b := a.Addr().As16()
	copy(s.body[4:20], b[:])
	binary.NativeEndian.PutUint32(s.body[20:], z.id(a.Addr().Zone()))
}

// addr reads an address that the kernel wrote; the zero AddrPort when it is of no known family.
func (s *sockaddr) addr(z *zones) netip.AddrPort {
	port := binary.BigEndian.Uint16(s.port[:])
	switch s.family {
	case unix.AF_INET:
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte(s.body[:4])), port)
	case unix.AF_INET6:
		a := netip.AddrFrom16([16]byte(s.body[4:20])).Unmap()
		if scope := binary.NativeEndian.Uint32(s.body[20:]); scope != 0 {
			a = a.WithZone(z.name(scope))
		}
		return netip.AddrPortFrom(a, port)
	}
	return netip.AddrPort{}
}
