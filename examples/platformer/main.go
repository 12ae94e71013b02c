// Command platformer runs a platformer in three dimensions: a page to play on in a browser, a server, and bots on a bad link.
package main

import (
	"os"

	"github.com/tactusgo/tactus/examples/pages"
	"github.com/tactusgo/tactus/examples/platformer/game"
	"github.com/tactusgo/tactus/systems/devtools/runner"
)

// world returns the game with sockets, an inspector and a page to play on.
func world() runner.World {
	return pages.Beside(game.World(), "Climb up, and collect more coins than the others.",
		[][2]string{{"W A S D or arrows", "walk"}, {"Space", "jump"}, {"Mouse, or Q and E", "turn the camera"}, {"F3", "network"}}, "Left thumb walks, right thumb turns the camera, a button jumps.")
}

func main() { os.Exit(pages.Main(world(), os.Args[1:], os.Stdout, os.Stderr)) }
