//go:build !js

package websocket

import (
	"context"
	"net"
	"net/http/httptrace"
	"time"

	"github.com/coder/websocket"
)

// dial connects. Closing the TCP connection is the only thing that ends a closing handshake early.
func dial(ctx context.Context, url string) (link, error) {
	var tcp net.Conn
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(i httptrace.GotConnInfo) { tcp = i.Conn },
	})
	conn, _, err := websocket.Dial(ctx, url, nil)
	return link{Conn: conn, abort: func() { _ = tcp.Close() }}, err
}

// shut waits for the polite end of the connection if that goes fast, and makes it abrupt if not. No goroutine is left
// when it returns.
func (w *Wire) shut() {
	rude := time.AfterFunc(closeTime, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.link.abort()
	})
	defer rude.Stop()
	<-w.ended
}
