package game

import (
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/host"
)

// Book returns the messages that hosts of [CombatProtocol] send and receive. The bindings and the WebAssembly module use
// the same ones.
func (m *Messages) Book() *host.Book {
	b := &host.Book{}
	host.Message(b, m.Say)
	host.Message(b, m.Said)
	return b
}

// Host returns the configuration of a player in a host program.
func Host() host.Config {
	m := NewMessages()
	return host.Config{
		Client: systems.ClientConfig{Session: systems.ClientSession{Messages: m.Registry}},
		Input:  host.InputOf(func(c *systems.Client, in *Action) { in.Seen = c.Claim(in.Buttons&Fire != 0) }),
		Book:   m.Book(),
	}
}
