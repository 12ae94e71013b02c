//go:build !js

package websocket

import (
	"context"
	"net"
	"net/http/httptrace"
	"time"

	"github.com/coder/websocket"
)

// dial connects. abort closes the TCP connection: the only thing that ends a closing handshake early.
func dial(ctx context.Context, url string) (conn *websocket.Conn, abort func(), err error) {
	var tcp net.Conn
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(i httptrace.GotConnInfo) { tcp = i.Conn },
	})
	conn, _, err = websocket.Dial(ctx, url, nil)
	return conn, func() { _ = tcp.Close() }, err
}

// shut ends the connection politely if that goes fast, else abruptly. No goroutine is left when it returns.
func (w *Wire) shut() {
	rude := time.AfterFunc(closeTime, w.abort)
	defer rude.Stop()
	<-w.wrote
	_ = w.conn.Close(websocket.StatusNormalClosure, "")
	<-w.read
}
