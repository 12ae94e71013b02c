package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/hajimehoshi/ebiten/v2"

	_ "github.com/tactusgo/tactus/examples/play/internal/screen" // before Ebitengine looks for it
)

// exitUsage is the exit code for flags that are not allowed.
const exitUsage = 2

// options are the flags.
type options struct {
	connect, name string
	insecure      bool
	bots, npcs    int
	picture       string
}

func main() {
	code, err := play(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "play:", err)
	}
	os.Exit(code)
}

// play runs the command and returns the exit code.
func play(args []string) (int, error) {
	world := "arena"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		world, args = args[0], args[1:]
	}
	var o options
	fs := flag.NewFlagSet("play", flag.ContinueOnError)
	fs.StringVar(&o.connect, "connect", "", "the server's address, or ws:// and an address; without, a match with bots of its own")
	fs.StringVar(&o.name, "name", "", "what to be called; without, the server makes up something")
	fs.BoolVar(&o.insecure, "insecure-anyone-can-join", false, "play on a server on another machine, unprotected")
	fs.IntVar(&o.bots, "bots", 8, "in a match of its own: bots")
	fs.IntVar(&o.npcs, "npcs", 50, "in a match of its own: server-controlled entities")
	fs.StringVar(&o.picture, "picture", "", "write what is on the screen after three seconds of play to this PNG `file`, and end")
	switch err := fs.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0, nil
	case err != nil:
		return exitUsage, nil
	case world != "arena":
		return exitUsage, fmt.Errorf("there is no world %q; there is arena", world)
	case fs.NArg() > 0:
		return exitUsage, fmt.Errorf("%q: only flags are allowed behind the world", fs.Arg(0))
	case o.bots < 0 || o.bots > 200 || o.npcs < 0 || o.npcs > 5000:
		return exitUsage, errors.New("-bots: 0 to 200 are allowed, -npcs: 0 to 5000")
	}
	if o.connect == "" {
		address, stop, err := host(&o)
		if err != nil {
			return 1, err
		}
		defer stop()
		o.connect = address
	}
	settle()
	a := newApp(&o)
	err := ebiten.RunGame(a)
	a.mu.Lock() // for good: the keeper does no more
	a.online.close()
	if err != nil {
		return 1, err
	}
	return 0, nil
}

// settle tells Ebitengine how to run the game.
func settle() {
	ebiten.SetWindowTitle("Tactus arena")
	ebiten.SetWindowSize(1280, 720)
	ebiten.SetWindowResizingMode(ebiten.WindowResizingModeEnabled)
	// A frame updates once, right before it is drawn: input is as fresh as it can be.
	ebiten.SetTPS(ebiten.SyncWithFPS)
	ebiten.SetRunnableOnUnfocused(true)
	ebiten.SetScreenClearedEveryFrame(false) // all of it is drawn over
}
