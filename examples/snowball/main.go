// Command snowball runs a snowball fight: a page to play on in a browser, a server, and bots on a bad link.
package main

import (
	"os"

	"github.com/tactusgo/tactus/examples/pages"
	"github.com/tactusgo/tactus/examples/snowball/game"
	"github.com/tactusgo/tactus/systems/devtools/runner"
)

// world returns the game with sockets, an inspector and a page to play on.
func world() runner.World {
	return pages.Beside(game.World(), "Hit the others with snowballs. Trees stop what they throw.",
		[][2]string{{"W A S D or arrows", "walk"}, {"Mouse", "aim, click or Space throws"}, {"F3", "network"}}, "Left thumb walks, right thumb aims and throws.")
}

func main() { os.Exit(pages.Main(world(), os.Args[1:], os.Stdout, os.Stderr)) }
