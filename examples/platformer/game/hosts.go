package game

import (
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/host"
)

// Book is what hosts of [Protocol] are told: its bindings and its module have the same.
func Book() *host.Book {
	b := &host.Book{}
	host.Event[Taken](b, event.FromServer)
	return b
}

// Host is one more player of a host.
func Host() host.Config {
	return host.Config{
		Client: systems.ClientConfig{Events: event.NewClient(newEvents(), event.ClientConfig{})},
		Input:  host.InputOf[Input](nil),
		Book:   Book(),
	}
}
