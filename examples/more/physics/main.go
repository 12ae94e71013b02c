// Command physics runs a yard of balls and crates: a page to play on in a browser, a server, and bots on a bad link:
//
//	go -C examples/more run ./physics
package main

import (
	"os"

	"github.com/tactusgo/tactus/examples/more/physics/game"
	"github.com/tactusgo/tactus/examples/pages"
)

func main() { os.Exit(pages.Main(pages.Beside(game.World()), os.Args[1:], os.Stdout, os.Stderr)) }
