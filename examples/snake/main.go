// Command snake runs the snake game: a page to play on in a browser, a server, and bots on a bad link.
package main

import (
	"os"

	"github.com/tactusgo/tactus/examples/pages"
	"github.com/tactusgo/tactus/examples/snake/game"
)

func main() { os.Exit(pages.Main(pages.Beside(game.World()), os.Args[1:], os.Stdout, os.Stderr)) }
