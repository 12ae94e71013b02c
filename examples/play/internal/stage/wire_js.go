package stage

import (
	"context"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/websocket"
)

// OpenWire connects to a server. It blocks, so not on the goroutine of an event.
func OpenWire(ctx context.Context, address string) (netsys.Wire, netip.AddrPort, error) {
	w, err := websocket.DialConfig{Redial: 250 * time.Millisecond}.Dial(ctx, address)
	if err != nil {
		return nil, netip.AddrPort{}, err
	}
	return w, w.RemoteAddr(), nil
}
