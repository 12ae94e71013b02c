// Command bindings writes the bindings with which pages and C programs play the arena. Run it in this folder by go generate.
package main

import (
	"fmt"
	"os"

	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/systems/host/bind"
)

//go:generate go run .

func main() {
	if err := bind.Write(config()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// config returns the configuration of the bindings, which go to the working directory.
func config() bind.Config {
	return bind.Config{
		Name:     "arena",
		Protocol: game.CombatProtocol(),
		Book:     game.NewMessages().Book(),
		Header:   true,
		Enums: []bind.Enum{{Name: "Buttons", Fields: []string{"Action.Buttons"}, Values: []bind.Value{
			{Name: "Up", Number: game.Up}, {Name: "Down", Number: game.Down}, {Name: "Left", Number: game.Left},
			{Name: "Right", Number: game.Right}, {Name: "Fire", Number: game.Fire},
		}}},
	}
}
