package game

import (
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/host"
)

// Book lists the events that the page receives, for its bindings.
func Book() *host.Book {
	b := &host.Book{}
	host.Event[Taken](b, event.FromServer)
	return b
}

// Host returns the configuration of the page's client.
func Host() host.Config {
	return host.Config{
		Client:  systems.ClientConfig{Events: event.NewClient(Events(), event.ClientConfig{})},
		Input:   host.InputOf[Move](nil),
		Partial: true,
		Book:    Book(),
	}
}
