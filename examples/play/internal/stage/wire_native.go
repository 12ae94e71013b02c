//go:build !js

package stage

import (
	"context"
	"net/netip"
	"strings"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/websocket"
)

// OpenWire opens a socket for a server, or begins to connect to a URL.
func OpenWire(ctx context.Context, address string) (netsys.Wire, netip.AddrPort, error) {
	if strings.Contains(address, "://") {
		w, err := websocket.DialConfig{Redial: 250 * time.Millisecond}.Begin(address)
		if err != nil {
			return nil, netip.AddrPort{}, err
		}
		return w, w.RemoteAddr(), nil
	}
	w, err := netsys.DialUDP(ctx, address)
	if err != nil {
		return nil, netip.AddrPort{}, err
	}
	return w, w.RemoteAddr(), nil
}
