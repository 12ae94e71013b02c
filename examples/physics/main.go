// Command physics runs a yard of balls and crates: a page to play on in a browser, a server, and bots on a bad link. It is a module of its
// own: go -C examples/physics run .
package main

import (
	"os"

	"github.com/tactusgo/tactus/examples/pages"
	"github.com/tactusgo/tactus/examples/physics/game"
	"github.com/tactusgo/tactus/systems/devtools/runner"
)

// world returns the game with sockets, an inspector and a page to play on.
func world() runner.World {
	return pages.Beside(game.World(), "Roll about, and push the crates and the others.",
		[][2]string{{"A D or arrows", "roll"}, {"Space or W", "jump"}, {"F3", "network"}}, "Left thumb rolls; the round button jumps.")
}

func main() { os.Exit(pages.Main(world(), os.Args[1:], os.Stdout, os.Stderr)) }
