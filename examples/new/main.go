// Command new creates a game from the template examples/starter, builds it, tests it, and prints the next steps:
//
//	go run ./examples/new ../mygame example.com/mygame          server, terminal client, window, page
//	go run ./examples/new -ts ../mygame example.com/mygame      the same, with the page in TypeScript
//	go run ./examples/new -empty ../mygame example.com/mygame   a module that requires Tactus, and nothing else
//
// In a checkout of Tactus it copies the template from the working tree and lets the game use that tree: by a replace for
// each module of ours, and by a packed npm package. Elsewhere, as go run github.com/tactusgo/tactus/examples/new@latest, it
// downloads the template of the same release.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
)

const usage = `usage: new [-ts | -empty [-ts]] DIR MODULE

Creates a game in the folder DIR, as the Go module MODULE, builds it and tests it.
DIR must not exist, or be empty, and lie outside the checkout of Tactus.

  go run ./examples/new ../mygame example.com/mygame

`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errUsage):
		fmt.Fprintln(os.Stderr, "new:", err)
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "new:", err)
		os.Exit(1)
	}
}

// errUsage is wrapped by errors about arguments. Nothing has been written then.
var errUsage = errors.New("see new -h")

// run is the command with its arguments.
func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("new", flag.ContinueOnError)
	flags.SetOutput(out)
	flags.Usage = func() {
		fmt.Fprint(out, usage)
		flags.PrintDefaults()
	}
	ts := flags.Bool("ts", false, "write the page in TypeScript; needs Node 20.19 or later and npm")
	empty := flags.Bool("empty", false, "only a go.mod that requires Tactus; with -ts also a package.json with the npm package")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return err
	} else if err != nil {
		return fmt.Errorf("%w", errUsage)
	}
	if flags.NArg() != 2 {
		return fmt.Errorf("got %d arguments after the flags, want DIR and MODULE: %w", flags.NArg(), errUsage)
	}
	g := game{ctx: ctx, out: out, module: flags.Arg(1), ts: *ts, empty: *empty}
	if !modulePath.MatchString(g.module) {
		return fmt.Errorf("%q is no module path; write something like example.com/mygame: %w", g.module, errUsage)
	}
	dir, err := filepath.Abs(flags.Arg(0))
	if err != nil {
		return err
	}
	g.dir = dir
	if g.checkout, err = checkout("."); err != nil {
		return err
	}
	if err := g.refuseDir(); err != nil {
		return err
	}
	if g.ts {
		if err := g.needNode(); err != nil {
			return err
		}
	}
	if err := g.create(); err != nil {
		return err
	}
	g.nextSteps()
	return nil
}
