package marked

import (
	"net/netip"
	"strings"
)

// Mark is a kind of connection: a slash and letters, such as /ws.
type Mark string

// On returns the address with the mark.
func (m Mark) On(a netip.AddrPort) netip.AddrPort {
	addr := a.Addr().Unmap()
	if !addr.Is4() {
		return netip.AddrPortFrom(addr.WithZone(addr.Zone()+string(m)), a.Port())
	}
	b := [16]byte{0: 0x20, 1: 0x02}
	v4 := addr.As4()
	copy(b[2:], v4[:])
	return netip.AddrPortFrom(netip.AddrFrom16(b).WithZone(m.four()), a.Port())
}

// four returns the zone of marked IPv4 addresses.
func (m Mark) four() string { return string(m) + "4" }

// Has reports whether an address has the mark.
func (m Mark) Has(a netip.AddrPort) bool {
	zone := a.Addr().Zone()
	return strings.HasSuffix(zone, string(m)) || zone == m.four()
}

// Off returns a marked address without its mark. It returns any other address unchanged.
func (m Mark) Off(a netip.AddrPort) netip.AddrPort {
	addr := a.Addr()
	if addr.Zone() == m.four() {
		b := addr.As16()
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte(b[2:6])), a.Port())
	}
	if zone, ok := strings.CutSuffix(addr.Zone(), string(m)); ok {
		return netip.AddrPortFrom(addr.WithZone(zone), a.Port())
	}
	return a
}
