package netsys

import (
	"net/netip"
	"testing"
	"time"
)

// One tick of a server with 64 clients on a virtual network: 64 datagrams of 100 bytes in, 64 of 400 out,
// both ends counted.
func BenchmarkTick64(b *testing.B) {
	network := NewNetwork()
	server, err := NewServer(network.Node(netip.AddrPort{}), ServerConfig{})
	if err != nil {
		b.Fatal(err)
	}
	var clients []*Client
	for range 64 {
		c, err := NewClient(network.Node(netip.AddrPort{}), server.LocalAddr(), ClientConfig{})
		if err != nil {
			b.Fatal(err)
		}
		clients = append(clients, c)
	}
	now, h := epoch, &log{}
	up, down := make([]byte, 100), make([]byte, 400)
	tick := func() {
		now = now.Add(time.Second / 60)
		for _, c := range clients {
			_, _ = c.Session().Send(now, up)
			c.Poll(now, h)
		}
		server.Poll(now, h)
		for s := range server.Sessions() {
			_, _ = s.Send(now, down)
		}
	}
	for range 100 {
		tick()
	}
	if server.Len() != 64 {
		b.Fatalf("%d connected", server.Len())
	}
	b.ReportAllocs()
	for b.Loop() {
		tick()
	}
}

// One datagram through a conditioner that does everything it can.
func BenchmarkConditioner(b *testing.B) {
	network := NewNetwork()
	to := network.Node(netip.AddrPort{})
	c, err := Condition(network.Node(netip.AddrPort{}), ConditionerConfig{Out: Link{
		Latency: 100 * time.Millisecond, Jitter: 50 * time.Millisecond, Loss: 0.05, Burst: 50 * time.Millisecond, Duplicate: 0.05,
	}})
	if err != nil {
		b.Fatal(err)
	}
	now, data, sink := epoch, make([]byte, 400), func(Datagram) {}
	b.ReportAllocs()
	for b.Loop() {
		now = now.Add(time.Millisecond)
		_ = c.Send(now, to.LocalAddr(), data)
		to.Poll(now, sink)
	}
}
