package game

import (
	"fmt"
	"maps"
	"strings"
	"unicode"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems"
)

// Line is a line of a chat: what a player says.
type Line = components.Text[[80]byte]

// Say is what a client sends to say something.
type Say struct{ Text Line }

// Rename is the command to get another name.
type Rename struct {
	Name components.Text[[16]byte]
}

// Said is what the server tells all clients that somebody said.
type Said struct {
	Client uint32 `net:"raw"`
	Name   components.Text[[16]byte]
	Text   Line
}

// Messages are the types of messages of [CombatProtocol], alike on server and
// clients. They travel on the channel "event" of the default channels.
type Messages struct {
	Registry *channel.Registry
	Say      *channel.Type[Say]
	Said     *channel.Type[Said]
}

// NewMessages makes them.
func NewMessages() *Messages {
	r := channel.NewRegistry(channel.Config{})
	return &Messages{
		Registry: r,
		Say:      channel.Register[Say](r, "event"),
		Said:     channel.Register[Said](r, "event"),
	}
}

// talker is a client that sent a message.
type talker struct {
	server *systems.Server
	client uint32
}

// rename gives a player another name, where that can be read.
func rename(w *ecs.World, client uint32, r *Rename) {
	for _, p := range ecs.EachInOrder[named](w) {
		if name := printable(r.Name.String()); p.Owner.Client == client && name != "" {
			p.Who.Name.Set(name)
		}
	}
}

// Serve makes a server take in what clients say.
func (m *Messages) Serve(c *systems.ServerConfig) {
	d := channel.NewDispatcher[talker](m.Registry)
	spoken := make(map[uint32]uint32) // when each client may speak again, in ticks
	channel.Handle(d, m.Say, func(t talker, s *Say) {
		text, now := printable(s.Text.String()), t.server.Tick()
		if text == "" || now < spoken[t.client] {
			return
		}
		maps.DeleteFunc(spoken, func(client, again uint32) bool { return now >= again })
		spoken[t.client] = now + uint32(t.server.World().TickRate())/2
		said := Said{Client: t.client}
		said.Text.Set(text)
		for _, p := range ecs.All[struct {
			Owner components.Owner
			Who   Player
		}](t.server.World()) {
			if p.Owner.Client == t.client {
				said.Name = p.Who.Name
			}
		}
		m.tell(t.server, &said)
	})
	c.Messages = m.Registry
	c.OnMessage = func(s *systems.Server, client uint32, number int, message []byte) error {
		return d.Deliver(talker{s, client}, number, message)
	}
}

// Announce tells all clients a line that no player has said. The error says that it is too long, and nobody is told.
// It is for the server's goroutine.
func (m *Messages) Announce(s *systems.Server, by, text string) error {
	var said Said
	said.Name.Set(by)
	if !said.Text.Set(text) {
		return fmt.Errorf("a line has %d bytes at most", said.Text.Cap())
	}
	m.tell(s, &said)
	return nil
}

// tell tells all clients what was said.
func (m *Messages) tell(s *systems.Server, said *Said) {
	for c := range s.Clients {
		// Who has too much waiting for it misses a line.
		_ = m.Said.Send(s.Session(c.ID).Channels(), said)
	}
}

// Play makes a client one for [CombatProtocol], under any model, which takes in what others
// say; heard may be nil.
func (m *Messages) Play(c *systems.ClientConfig, heard func(*Said)) {
	d := channel.NewDispatcher[*systems.Client](m.Registry)
	channel.Handle(d, m.Said, func(_ *systems.Client, s *Said) {
		if heard != nil {
			heard(s)
		}
	})
	c.Messages = m.Registry
	c.OnMessage = func(c *systems.Client, number int, message []byte) error { return d.Deliver(c, number, message) }
}

// named is a player's entity by name.
type named struct {
	Owner *components.Owner
	Who   *Player
}

// printable is text without what cannot be seen, and without space around it.
func printable(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, s))
}

// callName is what a player is called who has said no name.
func callName(client uint32) string {
	names := [...]string{"Allegro", "Presto", "Vivace", "Andante", "Largo", "Scherzo", "Rondo", "Adagio",
		"Fuga", "Coda", "Forte", "Dolce", "Legato", "Tutti", "Rubato", "Brio"}
	return names[int(client-1)%len(names)]
}
