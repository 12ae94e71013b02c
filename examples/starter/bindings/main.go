// Command bindings writes the game's types for the page into this folder. Run it by go generate ./...
package main

import (
	"fmt"
	"os"

	"github.com/tactusgo/tactus/systems/host/bind"

	"github.com/tactusgo/tactus/examples/starter/game"
)

//go:generate go run .

func main() {
	if err := bind.Write(config()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// config returns the configuration of the bindings. It names the numbers that have a meaning.
func config() bind.Config {
	colours := bind.Enum{Name: "Colour", Fields: []string{"Player.Colour", "Paint.Colour"}}
	for n, c := range game.Colours {
		colours.Values = append(colours.Values, bind.Value{Name: c.Name, Number: int64(n)})
	}
	return bind.Config{Name: "game", Protocol: game.Protocol(), Book: game.Book(), Enums: []bind.Enum{colours}}
}
