//go:build wasm

// Command wasm is the client of examples/snowball without graphics. The page in examples/stage draws.
package main

import (
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/snowball/game"
	"github.com/tactusgo/tactus/systems/host/wasm"
)

// All hosts of the module share the protocol, so a switch changes how each of them draws.
var (
	protocol = game.Protocol(false)
	place    = ecs.ComponentOf[components.Position](protocol)
	beyond   = place.Beyond
)

func main() {
	wasm.Serve(wasm.Game{Protocol: func() *ecs.Protocol { return protocol }, Config: game.Host})
}

// extrapolate switches ecs.Extrapolate on (1) or off (0).
//
//go:wasmexport snowball_extrapolate
func extrapolate(on int32) { place.Beyond = beyond * time.Duration(on) }
