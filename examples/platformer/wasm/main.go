//go:build wasm

// Command wasm is the platformer's client without a window, for pages, workers and Node:
//
//	GOOS=js GOARCH=wasm go build -trimpath -ldflags='-s -w' ./examples/platformer/wasm
//
// Package wasm of systems/host documents the exports. One more export returns the positions of platforms, which follow from
// the time, so that pages need not repeat the rule.
package main

import (
	"github.com/tactusgo/tactus/examples/platformer/game"
	"github.com/tactusgo/tactus/systems/host/wasm"
)

func main() { wasm.Serve(wasm.Game{Protocol: game.Protocol, Config: game.Host}) }

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
