//go:build wasm

// Command wasm is the platformer's client without a window, for pages, workers and Node:
//
//	GOOS=js GOARCH=wasm go build -trimpath -ldflags='-s -w' ./examples/platformer/wasm
//
// Package wasm of systems/host documents the exports. One more export returns the positions of platforms, which follow from
// the time, so that pages need not repeat the rule. Another one switches how players are drawn.
package main

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/platformer/game"
	"github.com/tactusgo/tactus/systems/host/wasm"
)

// All hosts of the module share the protocol, so a switch changes how each of them draws.
var (
	protocol = game.Protocol()
	body     = ecs.ComponentOf[game.Body](protocol)
)

func main() {
	wasm.Serve(wasm.Game{Protocol: func() *ecs.Protocol { return protocol }, Config: game.Host})
}

// curves switches ecs.Hermite on (1) or off (0).
//
//go:wasmexport platformer_curves
func curves(on int32) { body.Speeds = [...]*ecs.Component{nil, body}[on&1] }

// below returns one coordinate (0 for X, 1 for Y, 2 for Z) of the middle of the platform with the number Body.On, or of the
// world, at a time in seconds after the start.
//
//go:wasmexport platformer_below
func below(on, axis int32, seconds float64) float32 {
	at := game.Below(uint8(on), seconds)
	switch axis {
	case 0:
		return at.X
	case 1:
		return at.Y
	default:
		return at.Z
	}
}
