//go:build wasm

// Command wasm is the platformer's client without a window, for pages, workers and Node:
//
//	GOOS=js GOARCH=wasm go build -trimpath -ldflags='-s -w' ./examples/platformer/wasm
//
// Package wasm of systems/host says what it exports. Who draws needs one thing more, where platforms are: it follows from
// the time, so the rules say it, and no page writes them again.
package main

import (
	"github.com/tactusgo/tactus/examples/platformer/game"
	"github.com/tactusgo/tactus/systems/host/wasm"
)

func main() { wasm.Serve(wasm.Game{Protocol: game.Protocol, Config: game.Host}) }

// below is an axis (0 for X, 1 for Y, 2 for Z) of the middle of what somebody is on, Body.On, so many seconds after the
// start of the world: of a platform, else of the world.
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
