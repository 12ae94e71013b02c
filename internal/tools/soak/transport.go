package main

import (
	"context"
	"net/netip"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/netsys/websocket"
	"github.com/tactusgo/tactus/systems/devtools/runner"
)

// transport listens and dials on real sockets of this machine. dial also returns the server's address on the client's wire.
type transport struct {
	listen func(addr string) (netsys.Wire, error)
	dial   func(ctx context.Context, addr string) (client netsys.Wire, server netip.AddrPort, err error)
}

// transportByName returns a transport. It returns false for an unknown name.
func transportByName(name string) (transport, bool) {
	switch name {
	case "udp":
		return transport{runner.Wire(eventloop.Listen), dialUDP}, true
	case "ws":
		return transport{runner.Wire(eventloop.ListenWebSocket), dialWebSocket}, true
	}
	return transport{}, false
}

func dialUDP(ctx context.Context, addr string) (netsys.Wire, netip.AddrPort, error) {
	w, err := netsys.DialUDP(ctx, addr)
	if err != nil {
		return nil, netip.AddrPort{}, err
	}
	return w, w.RemoteAddr(), nil
}

func dialWebSocket(ctx context.Context, addr string) (netsys.Wire, netip.AddrPort, error) {
	w, err := websocket.Dial(ctx, "ws://"+addr)
	if err != nil {
		return nil, netip.AddrPort{}, err
	}
	return w, w.RemoteAddr(), nil
}
