// Command duel runs a duel: a page to play on in a browser, a server, and bots on a bad link. A player who opens the page
// replaces a bot, so two players fight each other.
package main

import (
	"os"

	"github.com/tactusgo/tactus/examples/duel/game"
	"github.com/tactusgo/tactus/examples/pages"
)

func main() { os.Exit(pages.Main(pages.Beside(game.World()), os.Args[1:], os.Stdout, os.Stderr)) }
