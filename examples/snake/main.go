// Command snake runs the snake game: a page to play on in a browser, a server, and bots on a bad link.
package main

import (
	"os"

	"github.com/tactusgo/tactus/examples/pages"
	"github.com/tactusgo/tactus/examples/snake/game"
	"github.com/tactusgo/tactus/systems/devtools/runner"
)

// world returns the game with sockets, an inspector and a page to play on.
func world() runner.World {
	return pages.Beside(game.World(), "Eat to grow, and make the others run into you.",
		[][2]string{{"A D or arrows", "turn"}, {"Mouse", "turn towards it, while its button is down"}, {"F3", "network"}}, "The snake turns where the thumb points.")
}

func main() { os.Exit(pages.Main(world(), os.Args[1:], os.Stdout, os.Stderr)) }
