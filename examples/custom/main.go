// Command custom runs a yard of players who push each other, moving platforms, a
// door and power-ups: the example of a game with components, systems and
// resources of its own. See -h for the flags; -npcs is the number of power-ups,
// and -clients 1 shows that a player alone is never corrected. A player is 40
// units wide, which is what to hold client.p99_error against. -own says which of the
// clients' systems are the game's own.
package main

import (
	"os"

	"github.com/tactusgo/tactus/examples/custom/game"
	"github.com/tactusgo/tactus/examples/pages"
	"github.com/tactusgo/tactus/systems/devtools/runner"
)

// world returns the game with sockets, an inspector and a page to play on.
func world() runner.World {
	return pages.Beside(game.World(), "Ride the platforms, collect the power-ups, and push the others out of the way.",
		[][2]string{{"W A S D or arrows", "walk"}, {"F3", "network"}}, "A thumb walks.")
}

func main() { os.Exit(pages.Main(world(), os.Args[1:], os.Stdout, os.Stderr)) }
