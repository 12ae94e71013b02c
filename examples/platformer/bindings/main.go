// Command bindings writes the bindings of the platformer for pages and C programs into this folder: run go generate. It also
// writes level.json, the level, which both sides know and no message contains.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/tactusgo/tactus/examples/platformer/game"
	"github.com/tactusgo/tactus/systems/host/bind"
)

//go:generate go run .

func main() {
	if err := errors.Join(bind.Write(config()), os.WriteFile(levelFile, level(), 0o644)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// config configures the bindings, in the working directory.
func config() bind.Config {
	return bind.Config{
		Name:     "platformer",
		Protocol: game.Protocol(),
		Book:     game.Book(),
		Enums: []bind.Enum{{Name: "Ground", Fields: []string{"Body.On"}, Values: []bind.Value{
			{Name: "InAir", Number: game.InAir}, {Name: "OnGround", Number: game.OnGround}, {Name: "OnPlatform", Number: game.OnPlatform},
		}}},
	}
}

const levelFile = "level.json"

// level returns the solids and coins of the level in metres: X east, Y up, Z south. Platforms is the number of moving
// platforms; the WebAssembly module returns their positions.
func level() []byte {
	b, err := json.MarshalIndent(struct {
		Radius, Height float32 // of characters
		Half           float32 // half the width of platforms
		Platforms      int
		Solids         any
		Coins          any
	}{game.Radius, game.Height, game.Half, len(game.Platforms), game.Solids, game.Coins}, "", " ")
	if err != nil {
		panic(err) // numbers alone
	}
	return append(b, '\n')
}
