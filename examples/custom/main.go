// Command custom runs a game in a yard: players push each other, and there are moving platforms, a door and power-ups. It is the
// example of a game with its own components, systems and resources. See -h for the flags. -npcs is the number of power-ups.
// -clients 1 shows that a single player is never corrected. Compare client.p99_error with the width of a player, 40 units. -own
// lists the client systems that the game replaces.
package main

import (
	"os"

	"github.com/tactusgo/tactus/examples/custom/game"
	"github.com/tactusgo/tactus/examples/pages"
)

func main() { os.Exit(pages.Main(pages.Beside(game.World()), os.Args[1:], os.Stdout, os.Stderr)) }
