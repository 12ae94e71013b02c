package netsys_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys"
)

// game is the handler of an application.
type game struct{ name string }

func (g *game) Connected(now time.Time, s netsys.Session) {
	fmt.Println(g.name, "connected", s.ID())
}

func (g *game) Received(now time.Time, s netsys.Session, p netsys.Packet) {
	fmt.Printf("%s received %q\n", g.name, p.Data)
}

func (g *game) Message(_ time.Time, s netsys.Session, channel int, message []byte) {}

func (g *game) Acked(s netsys.Session, seq uint16) {
	fmt.Println(g.name, "knows that", seq, "arrived")
}

func (g *game) Disconnected(now time.Time, s netsys.Session, reason error) {
	fmt.Println(g.name, "disconnected:", reason)
}

// A server and a client in one process, in virtual time.
func Example() {
	network := netsys.NewNetwork()
	server, err := netsys.NewServer(network.Node(netip.AddrPort{}), netsys.ServerConfig{})
	if err != nil {
		panic(err)
	}
	client, err := netsys.NewClient(network.Node(netip.AddrPort{}), server.LocalAddr(), netsys.ClientConfig{})
	if err != nil {
		panic(err)
	}
	now := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	atServer, atClient := &game{"server"}, &game{"client"}
	step := func() {
		now = now.Add(20 * time.Millisecond)
		client.Poll(now, atClient)
		server.Poll(now, atServer)
	}
	for !client.Connected() || server.Len() == 0 {
		step()
	}
	for s := range server.Sessions() {
		_, _ = s.Send(now, []byte("good evening"))
	}
	for range 10 {
		step()
	}
	_ = client.Close(now)
	step()
	// Output:
	// client connected 1
	// server connected 1
	// client received "good evening"
	// server knows that 0 arrived
	// client disconnected: netsys: closed: left
	// server disconnected: netsys: closed by the peer: left
}

// The same packets over a bad link. Every run with the same seed has the same result.
func ExampleCondition() {
	network := netsys.NewNetwork()
	receiver := network.Node(netip.AddrPort{})
	sender, err := netsys.Condition(network.Node(netip.AddrPort{}), netsys.ConditionerConfig{
		Seed: 6,
		Out:  netsys.Link{Latency: 50 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.25},
	})
	if err != nil {
		panic(err)
	}
	start := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 8 {
		now := start.Add(time.Duration(i) * 10 * time.Millisecond)
		_ = sender.Send(now, receiver.LocalAddr(), []byte{'a' + byte(i)})
	}
	sender.Flush(start.Add(time.Second))
	receiver.Poll(start.Add(time.Second), func(d netsys.Datagram) {
		fmt.Printf("%s after %v\n", d.Data, d.At.Sub(start).Round(time.Millisecond))
	})
	// Output:
	// a after 44ms
	// b after 50ms
	// d after 60ms
	// c after 85ms
	// e after 102ms
	// f after 108ms
}

// A server on a real socket and a client that was built with another schema.
func ExampleSchemaError() {
	listener, err := netsys.ListenUDP("127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	server, err := netsys.NewServer(listener, netsys.ServerConfig{Schema: []string{"Position{X f32; Y f32}"}})
	if err != nil {
		panic(err)
	}
	defer server.Close(time.Now())

	wire, err := netsys.DialUDP(context.Background(), server.LocalAddr().String())
	if err != nil {
		panic(err)
	}
	client, err := netsys.NewClient(wire, wire.RemoteAddr(), netsys.ClientConfig{Schema: []string{"Position{X f32}"}})
	if err != nil {
		panic(err)
	}
	defer client.Close(time.Now())

	end := &ending{}
	for end.reason == nil {
		now := time.Now()
		client.Poll(now, end)
		server.Poll(now, &ending{})
		time.Sleep(time.Millisecond)
	}
	var schema *netsys.SchemaError
	if errors.As(end.reason, &schema) {
		fmt.Println("line", schema.Line, "of the server:", schema.Server)
	}
	fmt.Println(end.reason)
	// Output:
	// line 1 of the server: Position{X f32; Y f32}
	// netsys: refused: schema differs at line 1: server has "Position{X f32; Y f32}", client has "Position{X f32}"
}

// ending remembers why a session ended.
type ending struct{ reason error }

func (e *ending) Connected(time.Time, netsys.Session)                      {}
func (e *ending) Received(time.Time, netsys.Session, netsys.Packet)        {}
func (e *ending) Message(time.Time, netsys.Session, int, []byte)           {}
func (e *ending) Acked(netsys.Session, uint16)                             {}
func (e *ending) Disconnected(_ time.Time, _ netsys.Session, reason error) { e.reason = reason }
