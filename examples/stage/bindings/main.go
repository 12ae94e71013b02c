// Command bindings writes the bindings of the worlds whose pages are the only programs that need them, and levels.json with
// what both sides of these worlds know and no message contains. Run it in this folder by go generate.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	arena "github.com/tactusgo/tactus/examples/arena/game"
	custom "github.com/tactusgo/tactus/examples/custom/game"
	duel "github.com/tactusgo/tactus/examples/duel/game"
	fog "github.com/tactusgo/tactus/examples/fog/game"
	snake "github.com/tactusgo/tactus/examples/snake/game"
	snowball "github.com/tactusgo/tactus/examples/snowball/game"
	"github.com/tactusgo/tactus/systems/host/bind"
)

//go:generate go run .

func main() {
	err := os.WriteFile(levelsFile, levels(), 0o644)
	for _, c := range configs() {
		err = errors.Join(err, bind.Write(c))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// configs returns the configurations of the bindings, which go to the working directory.
func configs() []bind.Config {
	return []bind.Config{
		{Name: "custom", Protocol: custom.Protocol()},
		{Name: "duel", Protocol: duel.Protocol(), Enums: []bind.Enum{{Name: "Phase", Fields: []string{"Fighter.Phase"}, Values: []bind.Value{
			{Name: "Ready", Number: int64(duel.Ready)}, {Name: "Windup", Number: int64(duel.Windup)}, {Name: "Strike", Number: int64(duel.Strike)},
			{Name: "Recovery", Number: int64(duel.Recovery)}, {Name: "Staggered", Number: int64(duel.Staggered)}, {Name: "Fallen", Number: int64(duel.Fallen)},
		}}}},
		{Name: "fog", Protocol: fog.Protocol()},
		{Name: "snake", Protocol: snake.Protocol(), Book: snake.Book()},
		{Name: "snowball", Protocol: snowball.Protocol(false)},
	}
}

const levelsFile = "levels.json"

// levels returns the fixed objects of the worlds, in their units.
func levels() []byte {
	yard := custom.NewLevel(1)
	b, err := json.MarshalIndent(map[string]any{
		"arena":    map[string]any{"Size": arena.Size, "Radius": arena.Radius, "Range": arena.Range, "Respawn": arena.Respawn, "Cover": arena.Cover},
		"custom":   map[string]any{"Width": custom.SizeX, "Height": custom.SizeY, "Walls": yard.Walls, "Door": yard.Door.Box, "Platforms": yard.Platforms},
		"duel":     map[string]any{"Width": duel.Width, "Reach": duel.Reach, "Lives": duel.Lives},
		"fog":      map[string]any{"Size": fog.Size, "Radius": fog.Radius, "Sight": fog.Sight, "Cone": fog.Cone, "Walls": fog.Walls},
		"snake":    map[string]any{"Width": snake.SizeX, "Height": snake.SizeY, "Thick": snake.Width, "Spacing": snake.Spacing, "Away": snake.Away},
		"snowball": map[string]any{"Width": snowball.Width, "Height": snowball.Height, "Radius": snowball.Radius, "Flake": snowball.Flake, "Trees": snowball.Trees, "Safe": snowball.Safe},
	}, "", " ")
	if err != nil {
		panic(err) // numbers alone
	}
	return append(b, '\n')
}
