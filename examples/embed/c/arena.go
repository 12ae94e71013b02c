//go:build cgo

package main

import (
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/examples/embed/c/capi"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/host"
)

// The main function of a library does not run, so Provide runs when the library is loaded.
var _ = capi.Provide(capi.Game{Protocol: game.CombatProtocol, Config: config})

// config returns the configuration of a new client.
func config() host.Config {
	m := game.NewMessages()
	return host.Config{
		Client: systems.ClientConfig{Session: systems.ClientSession{Messages: m.Registry}},
		Input:  host.InputOf(func(c *systems.Client, in *game.Action) { in.Seen = c.Claim(in.Buttons&game.Fire != 0) }),
		Book:   m.Book(),
	}
}
