//go:build unix

package sendto_test

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys/internal/sendto"
)

// A link-local address is sent by the interface that its zone names by name or number. An unknown zone is an error.
func TestZones(t *testing.T) {
	all, err := net.Interfaces()
	if err != nil || len(all) == 0 {
		t.Skip("no interfaces", err)
	}
	loopback := all[0]
	fd, err := syscall.Socket(syscall.AF_INET6, syscall.SOCK_DGRAM, 0)
	if err != nil {
		t.Skip(err)
	}
	defer syscall.Close(fd)
	if err := syscall.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	s := sendto.Socket{V6: true}
	send := func(zone string) error {
		return s.Send(fd, netip.AddrPortFrom(netip.MustParseAddr("fe80::1").WithZone(zone), 9), []byte("x"))
	}
	number := strconv.Itoa(loopback.Index)
	kernel := func(zone uint32) error {
		return syscall.Sendto(fd, []byte("x"), 0, &syscall.SockaddrInet6{
			Addr: netip.MustParseAddr("fe80::1").As16(), Port: 9, ZoneId: zone,
		})
	}
	none, there := kernel(0), kernel(uint32(loopback.Index))
	if errors.Is(none, there) {
		t.Skipf("to this system a zone makes no difference: %v", none)
	}
	for range 2 { // the second time from memory
		for zone, want := range map[string]error{"": none, "nowhere0": none, loopback.Name: there, number: there} {
			if err := send(zone); !errors.Is(err, want) {
				t.Errorf("zone %q: %v, want %v", zone, err, want)
			}
		}
	}
}

// An IPv4 socket sends to IPv4 addresses, mapped ones too, and to no others.
func TestFamilies(t *testing.T) {
	in, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	var s sendto.Socket
	to := in.LocalAddr().(*net.UDPAddr).AddrPort()
	for _, a := range []netip.AddrPort{to, netip.AddrPortFrom(netip.AddrFrom16(to.Addr().As16()), to.Port())} {
		b, n := make([]byte, 100), 0
		for range 10 { // UDP may lose it
			if err := s.Send(fd, a, []byte(a.String())); err != nil {
				t.Fatalf("%v: %v", a, err)
			}
			_ = in.SetReadDeadline(time.Now().Add(2 * time.Second))
			if n, _, err = in.ReadFromUDPAddrPort(b); !errors.Is(err, os.ErrDeadlineExceeded) {
				break
			}
		}
		if err != nil || string(b[:n]) != a.String() {
			t.Errorf("%q, %v", b[:n], err)
		}
	}
	if err := s.Send(fd, netip.MustParseAddrPort("[::1]:9"), nil); !errors.Is(err, syscall.EAFNOSUPPORT) {
		t.Errorf("[::1]: %v", err)
	}
}
