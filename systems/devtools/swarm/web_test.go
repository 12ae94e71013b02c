package swarm

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
)

// Over WebSocket each client has a connection, which is made before its turn to connect.
func TestWebSocket(t *testing.T) {
	on, err := eventloop.ListenWebSocket("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	key := netcode.GenerateKey(nil)
	server, err := systems.NewServer(on, plaza(), systems.ServerConfig{Session: systems.ServerSession{Key: key}, Overload: systems.Overload{Off: true}}) // a slow machine refuses nobody
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Run(ctx) }()
	const clients = 60
	r, err := Run(t.Context(), Config{
		Protocol: plaza, Addr: on.LocalAddr().String(), Transport: WebSocket, Clients: clients, Thin: 2, Ramp: 1000, Sockets: clients,
		Input: walk(), Token: Issue(key, on.LocalAddr()), Warmup: -1, Duration: time.Second,
	})
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err != nil || r.Connected != clients || r.Lost+r.Refused != 0 || r.Sockets != clients || r.Decoded == 0 || r.Different != 0 {
		t.Errorf("%v: %+v", err, r)
	}
	if consumed := server.Stats().Inputs.Consumed; consumed < clients {
		t.Errorf("%d inputs consumed", consumed)
	}
}

// More connections than sockets are an error at once. If there is no server, the error says that no client was accepted.
func TestWebSocketMistakes(t *testing.T) {
	config := Config{Protocol: plaza, Addr: "127.0.0.1:1", Transport: WebSocket, Clients: 3, Sockets: 2}
	if _, err := New(t.Context(), config); err == nil || !strings.Contains(err.Error(), "3 clients to ws://127.0.0.1:1 need a socket each") {
		t.Errorf("error %v", err)
	}
	config.Sockets = 3
	r, err := Run(t.Context(), config)
	if err == nil || !strings.Contains(err.Error(), "none of 3 clients was let in by 127.0.0.1:1") || r.Refused != 3 {
		t.Errorf("%v: %+v", err, r)
	}
}

// A swarm that is closed while its clients connect leaves no connection open.
func TestWebSocketClosedEarly(t *testing.T) {
	on, err := eventloop.ListenConfig{WebSocket: eventloop.WebSocketConfig{Addr: "127.0.0.1:0", HandshakeTimeout: time.Hour}}.Listen("")
	if err != nil {
		t.Fatal(err)
	}
	defer on.Close()
	s, err := New(t.Context(), Config{Protocol: plaza, Addr: on.LocalAddr().String(), Transport: WebSocket, Clients: 100})
	if err != nil {
		t.Fatal(err)
	}
	connections := func() int { return on.WebSocketStats().Connections }
	until := func(what string, holds func() bool) {
		t.Helper()
		for end := time.Now().Add(20 * time.Second); !holds(); time.Sleep(time.Millisecond) {
			if on.Poll(time.Now(), func(netsys.Datagram) {}); time.Now().After(end) {
				t.Fatalf("%s: never; %+v", what, on.WebSocketStats())
			}
		}
	}
	until("connections ahead of their clients", func() bool { return connections() >= issuedAhead })
	if err := s.Close(time.Now()); err != nil {
		t.Error(err)
	}
	until("none is left", func() bool { return connections() == 0 })
}
