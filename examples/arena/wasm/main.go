//go:build wasm

// Command wasm is the arena's client without a window, for pages, workers and Node:
//
//	GOOS=js GOARCH=wasm go build -trimpath -ldflags='-s -w' ./examples/arena/wasm
//
// It predicts and reconciles as every client of the arena does; whoever loads it draws. Package wasm of systems/host says
// what it exports.
package main

import (
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/systems/host/wasm"
)

func main() { wasm.Serve(wasm.Game{Protocol: game.CombatProtocol, Config: game.Host}) }
