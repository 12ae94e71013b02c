// Command fog runs a game of two teams: a page to play on in a browser, a server, and bots on a bad link. With -truth, the
// page has a switch that shows what is hidden.
package main

import (
	"os"

	"github.com/tactusgo/tactus/examples/fog/game"
	"github.com/tactusgo/tactus/examples/pages"
)

func main() { os.Exit(pages.Main(pages.Beside(game.World()), os.Args[1:], os.Stdout, os.Stderr)) }
