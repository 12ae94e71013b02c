//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package eventloop_test

import (
	"context"
	"fmt"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/netsys/netsystest"
	"github.com/tactusgo/tactus/netsys/websocket"
)

// One wire for native clients and browsers.
func ExampleListenConfig_webSocket() {
	config := eventloop.ListenConfig{WebSocket: eventloop.WebSocketConfig{
		Addr:    "127.0.0.1:0",
		Origins: []string{"https://game.example"},
	}}
	wire, err := config.Listen("127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	server, err := netsys.NewServer(wire, netsys.ServerConfig{})
	if err != nil {
		panic(err)
	}
	defer server.Close(time.Now())

	browser, err := websocket.Dial(context.Background(), fmt.Sprintf("ws://%v", wire.WebSocketAddr()))
	if err != nil {
		panic(err)
	}
	client, err := netsys.NewClient(browser, browser.RemoteAddr(), netsys.ClientConfig{})
	if err != nil {
		panic(err)
	}
	defer client.Close(time.Now())

	var atServer, atClient netsystest.Recorder
	for len(atServer.Sessions) == 0 && len(atClient.Reasons) == 0 {
		now := time.Now()
		client.Poll(now, &atClient)
		server.Poll(now, &atServer)
		time.Sleep(time.Millisecond)
	}
	from := atServer.Sessions[0].RemoteAddr()
	fmt.Println("from", eventloop.PeerAddr(from).Addr(), "by WebSocket:", eventloop.IsWebSocket(from))
	// Output:
	// from 127.0.0.1 by WebSocket: true
}
