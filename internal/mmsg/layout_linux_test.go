package mmsg

import (
	"net"
	"net/netip"
	"strconv"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The layouts are the kernel's on every architecture that the tests run on.
func TestLayouts(t *testing.T) {
	var m message
	pointer := unsafe.Sizeof(uintptr(0))
	if got, want := unsafe.Sizeof(m), (unsafe.Offsetof(m.size)+4+pointer-1)/pointer*pointer; got != want || unsafe.Offsetof(m.size) != unsafe.Sizeof(unix.Msghdr{}) {
		t.Errorf("message has %d bytes, want %d", got, want)
	}
	if pointer == 8 && unsafe.Sizeof(m) != 64 {
		t.Errorf("message has %d bytes, want 64", unsafe.Sizeof(m))
	}
	var s sockaddr
	var v6 unix.RawSockaddrInet6
	var v4 unix.RawSockaddrInet4
	if unsafe.Sizeof(s) != unsafe.Sizeof(v6) || unsafe.Offsetof(s.port) != unsafe.Offsetof(v6.Port) || unsafe.Offsetof(s.port) != unsafe.Offsetof(v4.Port) ||
		unsafe.Offsetof(s.body)+4 != unsafe.Offsetof(v6.Addr) || unsafe.Offsetof(s.body)+20 != unsafe.Offsetof(v6.Scope_id) || unsafe.Offsetof(s.body) != unsafe.Offsetof(v4.Addr) {
		t.Error("sockaddr differs from the kernel's")
	}
	if int(sizeStamped) != unix.CmsgSpace(int(unsafe.Sizeof(unix.Timespec{}))) || unsafe.Offsetof(stamped{}.stamp) != uintptr(unix.CmsgLen(0)) {
		t.Errorf("a stamp has %d bytes, want %d", sizeStamped, unix.CmsgSpace(int(unsafe.Sizeof(unix.Timespec{}))))
	}
	if int(sizeLocated) != unix.CmsgSpace(unix.SizeofInet4Pktinfo) || unsafe.Offsetof(located{}.info) != uintptr(unix.CmsgLen(0)) {
		t.Errorf("an address has %d bytes, want %d", sizeLocated, unix.CmsgSpace(unix.SizeofInet4Pktinfo))
	}
}

func TestSockaddr(t *testing.T) {
	for _, c := range []struct {
		to   string
		v6   bool
		back string
	}{
		{"192.0.2.7:7777", false, "192.0.2.7:7777"},
		{"[::ffff:192.0.2.7]:7777", false, "192.0.2.7:7777"},
		{"192.0.2.7:7777", true, "192.0.2.7:7777"},
		{"[::ffff:192.0.2.7]:65535", true, "192.0.2.7:65535"},
		{"[2001:db8::1]:1", true, "[2001:db8::1]:1"},
		{"[fe80::1%4000000000]:9", true, "[fe80::1%4000000000]:9"},
	} {
		var s sockaddr
		for i := range s.body {
			s.body[i] = 0xa5 // of the datagram before
		}
		var z zones
		s.set(netip.MustParseAddrPort(c.to), c.v6, &z)
		if got := s.addr(&z); got.String() != c.back {
			t.Errorf("%s (v6 %v) came back as %v", c.to, c.v6, got)
		}
	}
	var z zones
	if got := (&sockaddr{family: unix.AF_UNIX}).addr(&z); got.IsValid() {
		t.Errorf("an address of no family is %v", got)
	}
}

func TestZones(t *testing.T) {
	all, err := net.Interfaces()
	if err != nil || len(all) == 0 {
		t.Skip("no interfaces")
	}
	var z zones
	for range 2 {
		for _, i := range all {
			if got := z.id(i.Name); got != uint32(i.Index) {
				t.Errorf("%s has id %d, want %d", i.Name, got, i.Index)
			}
			if got := z.name(uint32(i.Index)); got != i.Name {
				t.Errorf("%d is %q, want %q", i.Index, got, i.Name)
			}
			if got := z.id(strconv.Itoa(i.Index)); got != uint32(i.Index) {
				t.Errorf("%d has id %d", i.Index, got)
			}
		}
	}
	if z.id("") != 0 || z.name(0) != "" || z.id("no such interface") != 0 {
		t.Error("a zone came out of nothing")
	}
}
