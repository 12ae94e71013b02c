//go:build wasm

// Command wasm is the client of the page, which loads it and draws: npm run dev and npm run build make it.
package main

import (
	"github.com/tactusgo/tactus/systems/host"
	"github.com/tactusgo/tactus/systems/host/wasm"

	"github.com/tactusgo/tactus/examples/starter-ts/game"
)

func main() {
	wasm.Serve(wasm.Game{Protocol: game.Protocol, Config: func() host.Config {
		return host.Config{Input: host.InputOf[game.Move](nil), Partial: true}
	}})
}
