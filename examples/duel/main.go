// Command duel runs a duel: a page to play on in a browser, a server, and bots on a bad link. A player who opens the page
// replaces a bot, so two players fight each other.
package main

import (
	"os"

	"github.com/tactusgo/tactus/examples/duel/game"
	"github.com/tactusgo/tactus/examples/pages"
	"github.com/tactusgo/tactus/systems/devtools/runner"
)

// world returns the game with sockets, an inspector and a page to play on.
func world() runner.World {
	return pages.Beside(game.World(), "Three blows that are not guarded win a round.",
		[][2]string{{"A D or arrows", "walk"}, {"J or Space", "strike"}, {"K or S", "guard"}, {"F3", "network"}}, "Left thumb walks; round buttons strike and guard.")
}

func main() { os.Exit(pages.Main(world(), os.Args[1:], os.Stdout, os.Stderr)) }
