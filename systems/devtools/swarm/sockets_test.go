package swarm

import (
	"context"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// With Run on real sockets, all clients connect, play, and say goodbye.
func TestRunOnSockets(t *testing.T) {
	on, err := netsys.ListenUDP("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server, err := systems.NewServer(on, plaza(), systems.ServerConfig{MaxClients: 300, Overload: systems.Overload{Off: true}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := make(chan error, 1)
	const clients = 200
	var consumed uint64
	go func() {
		consume := func() {
			server.Advance(time.Now())
			consumed = server.Stats().Inputs.Consumed
		}
		for ctx.Err() == nil {
			consume()
			time.Sleep(time.Until(server.Next()))
		}
		left := clients
		for tick := 0; tick < 600 && left > 0; tick++ { // goodbyes arrive
			consume()
			time.Sleep(time.Until(server.Next()))
			left = 0
			for range server.Clients {
				left++
			}
		}
		if left != 0 {
			t.Errorf("%d clients did not say goodbye", left)
		}
		done <- server.Close(time.Now())
	}()
	r, err := Run(t.Context(), Config{
		Protocol: plaza, Addr: on.LocalAddr().String(), Clients: clients, Input: walk(), Threads: 2, Ramp: 1000, Warmup: -1, Duration: time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if r.Connected != clients || r.Lost+r.Refused != 0 || r.Seconds == 0 || r.Sockets == 0 || consumed < clients {
		t.Errorf("%d inputs consumed; %+v", consumed, r)
	}
}
