//go:build wasm

// Command wasm is the client of examples/duel without graphics. The page in examples/stage draws.
package main

import (
	"github.com/tactusgo/tactus/examples/duel/game"
	"github.com/tactusgo/tactus/systems/host/wasm"
)

func main() { wasm.Serve(wasm.Game{Protocol: game.Protocol, Config: game.Host}) }
