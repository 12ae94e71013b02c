//go:build wasm

// Command wasm is the arena's client without a window, for pages, workers and Node:
//
//	GOOS=js GOARCH=wasm go build -trimpath -ldflags='-s -w' ./examples/arena/wasm
//
// It predicts and reconciles as every client of the arena does; whoever loads it draws. Package wasm of systems/host says
// what it exports.
package main

import (
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/host"
	"github.com/tactusgo/tactus/systems/host/wasm"
)

func main() {
	wasm.Serve(wasm.Game{Protocol: game.CombatProtocol, Config: config})
}

// config is one more player.
func config() host.Config {
	m := game.NewMessages()
	return host.Config{
		Client: systems.ClientConfig{Messages: m.Registry},
		Input:  host.InputOf(func(c *systems.Client, in *game.Action) { in.Seen = c.Claim(in.Buttons&game.Fire != 0) }),
		Book:   m.Book(),
	}
}
