//go:build wasm

// Command wasm is the client of examples/more/physics without graphics. The page in examples/stage draws.
package main

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/more/physics/game"
	"github.com/tactusgo/tactus/systems/host/wasm"
)

func main() {
	wasm.Serve(wasm.Game{Protocol: func() *ecs.Protocol { return game.Protocol(false) }, Config: game.Host})
}
