package systems_test

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems"
)

// Chat is a chat line of a player.
type Chat struct {
	From uint32 `net:"raw"`
	Text struct {
		N     uint8    `net:"count"`
		Bytes [80]byte `net:"text"`
	}
}

// messages returns the message types of the game. Server and client call it.
func messages() (*channel.Registry, *channel.Type[Chat]) {
	r := channel.NewRegistry(channel.Config{})
	return r, channel.Register[Chat](r, "event")
}

// Channels carry data that must arrive: a client sends a chat line, and the server sends it to all clients.
func ExampleServer_Session() {
	network := netsys.NewNetwork()
	address := netip.MustParseAddrPort("127.0.0.1:7777")
	now := time.Unix(0, 0)

	atServer, chat := messages()
	said := channel.NewDispatcher[*systems.Server](atServer)
	channel.Handle(said, chat, func(s *systems.Server, m *Chat) {
		for c := range s.Clients {
			_ = chat.Send(s.Session(c.ID).Channels(), m) // refused by a client that does not keep up
		}
	})
	server, err := systems.NewServer(network.Node(address), lane(), systems.ServerConfig{
		Start: now, Session: systems.ServerSession{
			Messages: atServer,
			OnMessage: func(s *systems.Server, _ uint32, number int, message []byte) error {
				return said.Deliver(s, number, message)
			},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	atClient, line := messages()
	heard := channel.NewDispatcher[*systems.Client](atClient)
	channel.Handle(heard, line, func(_ *systems.Client, m *Chat) {
		fmt.Printf("client %d says: %s\n", m.From, m.Text.Bytes[:m.Text.N])
	})
	client, err := systems.NewClient(network.Node(netip.AddrPort{}), address, lane(), systems.ClientConfig{
		Start: now, Session: systems.ClientSession{
			Messages: atClient,
			OnMessage: func(c *systems.Client, number int, message []byte) error {
				return heard.Deliver(c, number, message)
			},
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}

	for n := range 60 {
		now = now.Add(time.Second / 60)
		server.Advance(now)
		client.Advance(now)
		if n == 30 {
			m := Chat{From: client.ID()}
			m.Text.N = uint8(copy(m.Text.Bytes[:], "good game"))
			if err := line.Send(client.Session().Channels(), &m); err != nil {
				fmt.Println(err)
			}
		}
	}
	// Output:
	// client 1 says: good game
}
