// Command bindings writes the bindings of the yard for its page into this folder: run go generate.
package main

import (
	"fmt"
	"os"

	"github.com/tactusgo/tactus/examples/more/physics/game"
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
func config() bind.Config { return bind.Config{Name: "physics", Protocol: game.Protocol(false)} }
