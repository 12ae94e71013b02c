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
)

func main() { os.Exit(pages.Main(pages.Beside(game.World()), os.Args[1:], os.Stdout, os.Stderr)) }
