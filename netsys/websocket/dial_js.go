package websocket

import (
	"context"

	"github.com/coder/websocket"
)

// dial connects. The browser knows when to give a connection up.
func dial(ctx context.Context, url string) (conn *websocket.Conn, abort func(), err error) {
	conn, _, err = websocket.Dial(ctx, url, nil)
	return conn, nil, err
}

// shut leaves the end to the browser: what is queued is written first, and nobody may wait for that here, on
// what may be the goroutine of an event.
func (w *Wire) shut() {}
