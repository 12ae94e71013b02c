package game

import (
	"fmt"
	"maps"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/names"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems"
)

// Line is the text of a chat message.
type Line = components.Text[[80]byte]

// Say is the message of a client with a line of chat.
type Say struct{ Text Line }

// Said is the message of the server that forwards a line of chat to all clients.
type Said struct {
	Client uint32 `net:"raw"`
	Name   names.Text
	Text   Line
}

// Messages holds the message types of [CombatProtocol]. Server and clients register the same ones, on the channel "event"
// of the default channels.
type Messages struct {
	Registry *channel.Registry
	Say      *channel.Type[Say]
	Said     *channel.Type[Said]
}

// NewMessages returns a registry with the message types.
func NewMessages() *Messages {
	r := channel.NewRegistry(channel.Config{})
	return &Messages{
		Registry: r,
		Say:      channel.Register[Say](r, "event"),
		Said:     channel.Register[Said](r, "event"),
	}
}

// sender is the client that sent a message, and the server that received it.
type sender struct {
	server *systems.Server
	client uint32
}

// Serve makes a server forward the chat of its clients. It drops lines that follow the previous line of the same client
// within half a second.
func (m *Messages) Serve(c *systems.ServerConfig) {
	d := channel.NewDispatcher[sender](m.Registry)
	spoken := make(map[uint32]uint32) // the tick from which each client may send the next line
	channel.Handle(d, m.Say, func(t sender, s *Say) {
		text, now := names.Printable(s.Text.String()), t.server.Tick()
		if text == "" || now < spoken[t.client] {
			return
		}
		maps.DeleteFunc(spoken, func(client, again uint32) bool { return now >= again })
		spoken[t.client] = now + uint32(t.server.World().TickRate())/2
		said := Said{Client: t.client}
		said.Text.Set(text)
		for _, p := range ecs.All[struct {
			Owner components.Owner
			Who   names.Named
		}](t.server.World()) {
			if p.Owner.Client == t.client {
				said.Name = p.Who.Name
			}
		}
		m.broadcast(t.server, &said)
	})
	c.Session.Messages = m.Registry
	c.Session.OnMessage = func(s *systems.Server, client uint32, number int, message []byte) error {
		return d.Deliver(sender{s, client}, number, message)
	}
}

// Announce sends all clients a line under the name by. It sends nothing and returns an error if the line is too long.
// Call it on the server's goroutine.
func (m *Messages) Announce(s *systems.Server, by, text string) error {
	var said Said
	said.Name.Set(by)
	if !said.Text.Set(text) {
		return fmt.Errorf("the line is too long: shorten it to %d bytes", said.Text.Cap())
	}
	m.broadcast(s, &said)
	return nil
}

// broadcast sends a line of chat to all clients.
func (m *Messages) broadcast(s *systems.Server, said *Said) {
	for c := range s.Clients {
		// A client whose send queue is full misses the line.
		_ = m.Said.Send(s.Session(c.ID).Channels(), said)
	}
}

// Play adds to a client's configuration what [CombatProtocol] needs under any netcode model. It calls heard with each
// line of chat; heard may be nil.
func (m *Messages) Play(c *systems.ClientConfig, heard func(*Said)) {
	d := channel.NewDispatcher[*systems.Client](m.Registry)
	channel.Handle(d, m.Said, func(_ *systems.Client, s *Said) {
		if heard != nil {
			heard(s)
		}
	})
	c.Session.Messages = m.Registry
	c.Session.OnMessage = func(c *systems.Client, number int, message []byte) error { return d.Deliver(c, number, message) }
}

// callName returns the name of a player who has not chosen one.
func callName(client uint32) string {
	all := [...]string{"Allegro", "Presto", "Vivace", "Andante", "Largo", "Scherzo", "Rondo", "Adagio",
		"Fuga", "Coda", "Forte", "Dolce", "Legato", "Tutti", "Rubato", "Brio"}
	return all[int(client-1)%len(all)]
}
