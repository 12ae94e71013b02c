//go:build wasm

// Command wasm is the client of examples/snake without graphics. The page in examples/stage draws.
package main

import (
	"github.com/tactusgo/tactus/examples/snake/game"
	"github.com/tactusgo/tactus/systems/host/wasm"
)

func main() { wasm.Serve(wasm.Game{Protocol: game.Protocol, Config: game.Host}) }
