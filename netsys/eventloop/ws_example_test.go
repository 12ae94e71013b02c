//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package eventloop_test

import (
	"context"
	"fmt"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/netsys/websocket"
)

// One wire for native clients and browsers.
func ExampleListenConfig_webSocket() {
	config := eventloop.ListenConfig{WebSocket: eventloop.WebSocketConfig{
		Addr:    "127.0.0.1:0",
		Origins: []string{"https://game.example"},
	}}
	server, err := config.Listen("127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer server.Close()

	client, err := websocket.Dial(context.Background(), fmt.Sprintf("ws://%v", server.WebSocketAddr()))
	if err != nil {
		panic(err)
	}
	defer client.Close()
	_ = client.Send(time.Now(), client.RemoteAddr(), []byte("hello"))

	arrived := false
	for !arrived {
		server.Poll(time.Now(), func(d netsys.Datagram) {
			arrived = true
			fmt.Println(string(d.Data), "from", eventloop.PeerAddr(d.From).Addr(), "by WebSocket:", eventloop.IsWebSocket(d.From))
		})
		time.Sleep(time.Millisecond)
	}
	// Output:
	// hello from 127.0.0.1 by WebSocket: true
}
