package eventloop

import (
	"net/netip"
	"strings"
)

// The addresses of WebSocket connections are IPv6 addresses in a zone of their own. UDP peers are in zones that
// are named like a network interface, which cannot contain a slash, or in none: the two cannot clash. IPv4
// addresses take their 6to4 form (RFC 3056), in which every IPv4 address has 64 network bits of its own, so
// that whoever counts by network still tells them apart.
const (
	webZone6 = "/ws"
	webZone4 = "/ws4"
)

// webAddr is the address under which a listener knows the connection from a TCP address.
func webAddr(a netip.AddrPort) netip.AddrPort {
	addr := a.Addr().Unmap()
	if !addr.Is4() {
		return netip.AddrPortFrom(addr.WithZone(addr.Zone()+webZone6), a.Port())
	}
	b := [16]byte{0: 0x20, 1: 0x02}
	v4 := addr.As4()
	copy(b[2:], v4[:])
	return netip.AddrPortFrom(netip.AddrFrom16(b).WithZone(webZone4), a.Port())
}

// IsWebSocket says whether an address that a [Listener] delivered from is that of a WebSocket connection.
func IsWebSocket(from netip.AddrPort) bool {
	zone := from.Addr().Zone()
	return strings.HasSuffix(zone, webZone6) || zone == webZone4
}

// PeerAddr is the ordinary form of an address that a [Listener] delivered from: for logs, bans and look-ups.
// WebSocket connections lose their mark; behind a proxy their port means nothing. Other addresses are
// returned as they are.
func PeerAddr(from netip.AddrPort) netip.AddrPort {
	addr := from.Addr()
	zone := addr.Zone()
	if zone == webZone4 {
		b := addr.As16()
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte(b[2:6])), from.Port())
	}
	if zone, ok := strings.CutSuffix(zone, webZone6); ok {
		return netip.AddrPortFrom(addr.WithZone(zone), from.Port())
	}
	return from
}

// PeerAddr is [PeerAddr], for a server that logs whom it refuses.
func (*Listener) PeerAddr(from netip.AddrPort) netip.AddrPort { return PeerAddr(from) }

// network is what connections are counted by: an IPv4 address, or the 64 bits of an IPv6 address that name a network.
func network(a netip.Addr) netip.Addr {
	a = a.Unmap().WithZone("")
	if a.Is4() || a.IsLoopback() {
		return a
	}
	p, _ := a.Prefix(64) // a has so many bits
	return p.Addr()
}
