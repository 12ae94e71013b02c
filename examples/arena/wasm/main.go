//go:build wasm

// Command wasm is the arena's client without graphics, for pages, workers and Node:
//
//	GOOS=js GOARCH=wasm go build -trimpath -ldflags='-s -w' ./examples/arena/wasm
//
// The client predicts and reconciles like every client of the arena. The page draws. Package systems/host/wasm documents
// the exports.
package main

import (
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/systems/host/wasm"
)

func main() { wasm.Serve(wasm.Game{Protocol: game.CombatProtocol, Config: game.Host}) }
