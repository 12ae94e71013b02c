package game

import (
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/host"
)

// Book returns the types that hosts of [Protocol] receive, for the bindings and the module.
func Book() *host.Book {
	b := &host.Book{}
	host.Event[Taken](b, event.FromServer)
	return b
}

// Host returns the configuration of a host.
func Host() host.Config {
	return host.Config{
		Client: systems.ClientConfig{Events: event.NewClient(newEvents(), event.ClientConfig{})},
		Input:  host.InputOf[Input](nil),
		Book:   Book(),
	}
}
