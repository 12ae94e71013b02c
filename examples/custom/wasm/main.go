//go:build wasm

// Command wasm is the client of examples/custom without graphics. The page in examples/stage draws.
package main

import (
	"github.com/tactusgo/tactus/examples/custom/game"
	"github.com/tactusgo/tactus/systems/host/wasm"
)

// level is the level at the tick rate of the last call: a page calls for every frame.
var level, levelRate = (*game.Level)(nil), int32(0)

func levelAt(tickRate int32) *game.Level {
	if level == nil || levelRate != tickRate {
		level, levelRate = game.NewLevel(int(tickRate)), tickRate
	}
	return level
}

func main() { wasm.Serve(wasm.Game{Protocol: game.Protocol, Config: game.Host}) }

// platform returns one coordinate (0 for X, 1 for Y) of the middle of a moving platform in the state after tick ticks.
//
//go:wasmexport custom_platform
func platform(n, axis int32, tick uint32, tickRate int32) float32 {
	at := levelAt(tickRate).Platforms[n].At(tick)
	if axis == 0 {
		return at.X
	}
	return at.Y
}

// closed returns 1 if the door is closed in the state after tick ticks, and 0 if it is open.
//
//go:wasmexport custom_closed
func closed(tick uint32, tickRate int32) int32 {
	if door := levelAt(tickRate).Door; door.Closed(tick) {
		return 1
	}
	return 0
}
