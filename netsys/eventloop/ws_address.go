package eventloop

import (
	"net/netip"

	"github.com/tactusgo/tactus/netsys/internal/marked"
)

// webMark marks the addresses of WebSocket connections.
const webMark marked.Mark = "/ws"

// IsWebSocket says whether an address that a [Listener] delivered from is that of a WebSocket connection.
func IsWebSocket(from netip.AddrPort) bool { return webMark.Has(from) }

// PeerAddr is the ordinary form of an address that a [Listener] delivered from: for logs, bans and look-ups.
// WebSocket connections lose their mark; behind a proxy their port means nothing. Other addresses are
// returned as they are.
func PeerAddr(from netip.AddrPort) netip.AddrPort { return webMark.Off(from) }

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
