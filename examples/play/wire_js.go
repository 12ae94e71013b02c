package main

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/websocket"
)

// openWire connects to a server. It blocks, so not on the goroutine of an event.
func openWire(ctx context.Context, address string) (netsys.Wire, netip.AddrPort, error) {
	w, err := websocket.DialConfig{Redial: 250 * time.Millisecond}.Dial(ctx, address)
	if err != nil {
		return nil, netip.AddrPort{}, err
	}
	return w, w.RemoteAddr(), nil
}

// host is for windows only: a page cannot listen.
func host(*options) (address string, stop func(), err error) {
	return "", nil, errors.New("a page needs the address of a server, by -connect")
}
