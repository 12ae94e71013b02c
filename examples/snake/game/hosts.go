package game

import (
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/host"
	"github.com/tactusgo/tactus/systems/outcome"
)

// Book returns the types that hosts of [Protocol] receive, for the bindings and the module.
func Book() *host.Book {
	b := &host.Book{}
	host.Event[Fallen](b, event.FromServer)
	return b
}

// Host returns the configuration of a host.
func Host() host.Config {
	return host.Config{
		Client: systems.ClientConfig{
			Outcomes: func(l *outcome.Log) { outcome.Handle(l, outcome.Handlers[Death]{}) },
			Events:   event.NewClient(newEvents(), event.ClientConfig{}),
		},
		Input: host.InputOf[Input](nil),
		Book:  Book(),
	}
}
