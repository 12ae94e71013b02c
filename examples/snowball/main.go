// Command snowball runs a snowball fight: a page to play on in a browser, a server, and bots on a bad link.
package main

import (
	"os"

	"github.com/tactusgo/tactus/examples/pages"
	"github.com/tactusgo/tactus/examples/snowball/game"
)

func main() { os.Exit(pages.Main(pages.Beside(game.World()), os.Args[1:], os.Stdout, os.Stderr)) }
