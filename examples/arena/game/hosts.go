package game

import (
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/host"
)

// Book is what hosts of [CombatProtocol] are told and send: its bindings and its module have the same.
func (m *Messages) Book() *host.Book {
	b := &host.Book{}
	host.Message(b, m.Say)
	host.Message(b, m.Said)
	return b
}

// Host is one more player of a host.
func Host() host.Config {
	m := NewMessages()
	return host.Config{
		Client: systems.ClientConfig{Messages: m.Registry},
		Input:  host.InputOf(func(c *systems.Client, in *Action) { in.Seen = c.Claim(in.Buttons&Fire != 0) }),
		Book:   m.Book(),
	}
}
