//go:build wasm

// Command wasm is the client of examples/fog without graphics. The page in examples/stage draws.
package main

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/examples/fog/game"
	"github.com/tactusgo/tactus/systems/host/wasm"
)

func main() { wasm.Serve(wasm.Game{Protocol: game.Protocol, Config: game.Host}) }

// free returns the share of the line between two places, from 0 to 1, that is in front of the first wall.
//
//go:wasmexport fog_free
func free(x0, y0, x1, y1 float32) float32 {
	return game.Free(components.Position{X: x0, Y: y0}, components.Position{X: x1, Y: y1})
}
