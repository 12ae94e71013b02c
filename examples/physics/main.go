// Command physics runs a yard of balls and crates: a page to play on in a browser, a server, and bots on a bad link. It is a module of its
// own: go -C examples/physics run .
package main

import (
	"os"

	"github.com/tactusgo/tactus/examples/pages"
	"github.com/tactusgo/tactus/examples/physics/game"
)

func main() { os.Exit(pages.Main(pages.Beside(game.World()), os.Args[1:], os.Stdout, os.Stderr)) }
