package stage

import (
	"context"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/websocket"
)

// OpenWire begins to connect to a server.
func OpenWire(_ context.Context, address string) (netsys.Wire, netip.AddrPort, error) {
	w, err := websocket.DialConfig{Redial: 250 * time.Millisecond}.Begin(address)
	if err != nil {
		return nil, netip.AddrPort{}, err
	}
	return w, w.RemoteAddr(), nil
}
