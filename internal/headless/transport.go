package headless

import (
	"context"
	"net/netip"
	"strings"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/batch"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/netsys/websocket"
)

// transport is a way over real sockets.
type transport struct {
	name   string
	listen func(addr string) (netsys.Wire, error)
	dial   func(ctx context.Context, addr string) (client netsys.Wire, server netip.AddrPort, err error)
}

// gnetAllocations is what gnet allocates for each datagram that wakes its loop up.
const gnetAllocations = 5

// woken is a wire that counts these datagrams.
type woken interface{ WakeUps() uint64 }

// transports are the values of -transport.
var transports = []transport{
	{name: "udp", listen: listenGnet, dial: dialUDP},
	{name: "batch", listen: listenBatch, dial: dialUDP},
	{name: "ws", listen: listenWebSocket, dial: dialWebSocket},
}

// transport is the way that -transport names; false when there is none of that name.
func (o *Options) transport() (transport, bool) {
	for _, t := range transports {
		if t.name == o.Transport {
			return t, true
		}
	}
	return transport{}, false
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
