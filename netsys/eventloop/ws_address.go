package eventloop

import (
	"net/netip"

	"github.com/tactusgo/tactus/netsys/internal/marked"
)

// webMark marks the addresses of WebSocket connections.
const webMark marked.Mark = "/ws"

// IsWebSocket reports whether an address that a [Listener] delivered belongs to a WebSocket connection.
func IsWebSocket(from netip.AddrPort) bool { return webMark.Has(from) }

// PeerAddr returns the ordinary form of an address that a [Listener] delivered, for logs, bans and lookups. It removes the mark
// of WebSocket connections; behind a proxy the port of such an address is meaningless. It returns other addresses unchanged.
func PeerAddr(from netip.AddrPort) netip.AddrPort { return webMark.Off(from) }

// PeerAddr calls the function [PeerAddr]. [netsys.Server] uses it to log refused clients.
func (*Listener) PeerAddr(from netip.AddrPort) netip.AddrPort { return PeerAddr(from) }

// network returns the unit that [WebSocketConfig.PerAddress] counts: an IPv4 address, or the 64-bit network of an IPv6 address.
func network(a netip.Addr) netip.Addr {
	a = a.Unmap().WithZone("")
	if a.Is4() || a.IsLoopback() {
		return a
	}
	p, _ := a.Prefix(64) // a has at least 64 bits
	return p.Addr()
}
