// Command examples serves a page with all example worlds to play, each with bots. It builds a world when the page opens it:
//
//	go run ./examples
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/tactusgo/tactus/examples/pages"
	"github.com/tactusgo/tactus/systems/devtools/runner/web"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "examples:", err)
		os.Exit(1)
	}
}

// run serves the page until ctx ends.
func run(ctx context.Context, args []string, out io.Writer) error {
	fs := flag.NewFlagSet("examples", flag.ContinueOnError)
	address := fs.String("http", "127.0.0.1:7770", "serve the page at this `address`; port 0 is a free port")
	if err := fs.Parse(args); err != nil {
		return err
	}
	root, err := checkout()
	if err != nil {
		return err
	}
	l, err := web.Listen(*address, *address == fs.Lookup("http").DefValue)
	if err != nil {
		return fmt.Errorf("%w: set -http to another address", err)
	}
	front := newFront(ctx, root, pages.Worlds())
	defer front.close()
	fmt.Fprintf(out, "\n  all worlds in a browser:  http://%v\n\n", l.Addr())
	return web.Serve(ctx, l, front)
}
