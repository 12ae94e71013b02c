package netcode_test

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// greeter answers each payload and lives in the server; listener prints and lives in the client.
type greeter struct{}

func (greeter) Connected(_ time.Time, p *netcode.Peer) { fmt.Println("server:", p) }
func (greeter) Payload(now time.Time, p *netcode.Peer, payload []byte) {
	_ = p.Send(now, append([]byte("hello, "), payload...))
}
func (greeter) Disconnected(_ time.Time, p *netcode.Peer, reason error) {
	fmt.Println("server:", p, reason)
}

type listener struct{}

func (listener) Connected(now time.Time, c *netcode.Client) { _ = c.Send(now, []byte("Ada")) }
func (listener) Payload(now time.Time, c *netcode.Client, payload []byte) {
	fmt.Printf("client: %s\n", payload)
	c.Disconnect(now)
}
func (listener) Disconnected(_ time.Time, _ *netcode.Client, reason error) {
	fmt.Println("client:", reason)
}

// A server, a login service and a client, on a network of two slices.
func Example() {
	type datagram []byte
	var up, down []datagram
	here, there := netip.MustParseAddrPort("192.0.2.1:40000"), netip.MustParseAddrPort("198.51.100.7:5000")
	const game = 0x1122334455667788
	key := netcode.GenerateKey(nil)

	server, err := netcode.NewServer(netcode.ServerConfig{
		Key: key, ProtocolID: game, Addresses: []netip.AddrPort{here},
	}, func(_ netip.AddrPort, b []byte) error {
		down = append(down, append(datagram(nil), b...))
		return nil
	})
	if err != nil {
		panic(err)
	}

	// The login service knows the key, and says who the client is.
	now := time.Now()
	token, err := netcode.TokenConfig{
		Key: key, ProtocolID: game, ClientID: 1815, Servers: []netip.AddrPort{here},
	}.Issue(now)
	if err != nil {
		panic(err)
	}

	client, err := netcode.NewClient(token, func(_ netip.AddrPort, b []byte) error {
		up = append(up, append(datagram(nil), b...))
		return nil
	})
	if err != nil {
		panic(err)
	}
	for client.State() != netcode.Ended || len(up) > 0 {
		client.Update(now, listener{})
		server.Update(now, greeter{})
		arrived := up
		up = nil
		for _, b := range arrived {
			server.Receive(now, there, b, greeter{})
		}
		arrived = down
		down = nil
		for _, b := range arrived {
			client.Receive(now, here, b, listener{})
		}
		now = now.Add(time.Second / 60)
	}
	// Output:
	// server: client 1815 at 198.51.100.7:5000 in slot 0
	// client: hello, Ada
	// server: client 1815 at 198.51.100.7:5000 in slot 0 netcode: disconnected by the peer
}
