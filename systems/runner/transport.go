package runner

import (
	"context"
	"net/netip"
	"strings"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/websocket"
)

// gnetAllocations is what gnet allocates for each datagram that wakes its loop up.
const gnetAllocations = 5

// woken is a wire that counts these datagrams.
type woken interface{ WakeUps() uint64 }

// The names of -transport.
const (
	transportUDP   = "udp"
	transportBatch = "batch"
	transportWS    = "ws"
)

// transportNames are what -transport can be, the default first.
var transportNames = []string{transportUDP, transportBatch, transportWS}

// dial opens a client's wire to an address by a transport, and says how it calls the server there.
func dial(ctx context.Context, transport, addr string) (netsys.Wire, netip.AddrPort, error) {
	if transport == transportWS {
		return dialWebSocket(ctx, addr)
	}
	w, err := netsys.DialUDP(ctx, addr)
	if err != nil {
		return nil, netip.AddrPort{}, err
	}
	return w, w.RemoteAddr(), nil
}

// dialWebSocket takes an address or a URL.
func dialWebSocket(ctx context.Context, addr string) (netsys.Wire, netip.AddrPort, error) {
	if !strings.Contains(addr, "://") {
		addr = "ws://" + addr
	}
	w, err := websocket.Dial(ctx, addr)
	if err != nil {
		return nil, netip.AddrPort{}, err
	}
	return w, w.RemoteAddr(), nil
}
