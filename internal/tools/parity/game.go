package main

import (
	"fmt"

	arena "github.com/tactusgo/tactus/examples/arena/game"
	platformer "github.com/tactusgo/tactus/examples/platformer/game"
	"github.com/tactusgo/tactus/systems/devtools/runner"
	"github.com/tactusgo/tactus/systems/host"
)

// game is a game with a WebAssembly module.
type game struct {
	world   runner.Game
	options runner.Options
	host    func() host.Config
}

func gameOf(name string) (game, error) {
	switch name {
	case "arena":
		return game{arena.World(), runner.Options{Clients: 4, NPCs: 24}, arena.Host}, nil
	case "platformer":
		w := platformer.World()
		return game{w, runner.Options{Clients: 4, NPCs: w.Defaults.NPCs}, platformer.Host}, nil
	}
	return game{}, fmt.Errorf("unknown game %q: use arena or platformer", name)
}
