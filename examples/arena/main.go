// Command arena runs the arena: a server and eight bots over real UDP through a
// bad link, a page to play on in a browser, and a live table of what the network does.
// See -h for the flags.
package main

import (
	"os"

	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/examples/pages"
	"github.com/tactusgo/tactus/systems/runner"
)

// world is the game with sockets, an inspector, and a page to play on.
func world() runner.World {
	return pages.Beside(game.World(), [][2]string{{"W A S D or arrows", "move"}, {"Mouse", "aim, click or Space shoots"}, {"Enter", "chat"}, {"F3", "network"}},
		"Touch: left thumb moves, right thumb aims and shoots.")
}

func main() { os.Exit(pages.Main(world(), os.Args[1:], os.Stdout, os.Stderr)) }
