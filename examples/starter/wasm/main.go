//go:build wasm

// Command wasm is the client that the page loads. The page draws. npm run dev and npm run build compile it.
package main

import (
	"github.com/tactusgo/tactus/systems/host/wasm"

	"github.com/tactusgo/tactus/examples/starter/game"
)

func main() { wasm.Serve(wasm.Game{Protocol: game.Protocol, Config: game.Host}) }
