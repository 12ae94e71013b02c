package headless

import (
	"context"
	"net/netip"
	"slices"
	"strings"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/batch"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/netsys/websocket"
)

// Transport is a way over real sockets of this machine. Dial takes an address, and says how the client's wire calls the
// server there.
type Transport struct {
	name   string
	Listen func(addr string) (netsys.Wire, error)
	Dial   func(ctx context.Context, addr string) (client netsys.Wire, server netip.AddrPort, err error)
}

// gnetAllocations is what gnet allocates for each datagram that wakes its loop up.
const gnetAllocations = 5

// woken is a wire that counts these datagrams.
type woken interface{ WakeUps() uint64 }

// transports are the values of -transport.
var transports = []Transport{
	{name: "udp", Listen: listenGnet, Dial: dialUDP},
	{name: "batch", Listen: listenBatch, Dial: dialUDP},
	{name: "ws", Listen: listenWebSocket, Dial: dialWebSocket},
}

// TransportOf is the one of a name: udp, batch, which is Linux's, or ws; false when there is none.
func TransportOf(name string) (Transport, bool) {
	i := slices.IndexFunc(transports, func(t Transport) bool { return t.name == name })
	if i < 0 {
		return Transport{}, false
	}
	return transports[i], true
}

// transportNames lists what is allowed.
func transportNames() string {
	var names []string
	for _, t := range transports {
		names = append(names, t.name)
	}
	return strings.Join(names, ", ")
}

func listenGnet(addr string) (netsys.Wire, error)      { return eventloop.Listen(addr) }
func listenBatch(addr string) (netsys.Wire, error)     { return batch.Listen(addr) }
func listenWebSocket(addr string) (netsys.Wire, error) { return eventloop.ListenWebSocket(addr) }

func dialUDP(ctx context.Context, addr string) (netsys.Wire, netip.AddrPort, error) {
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
