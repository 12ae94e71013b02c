// Command examples serves a page with all example worlds to play, each with bots. It builds a world when the page opens it:
//
//	go run ./examples
//
// With -static it writes a page that needs no server, the netcode laboratory, to a folder:
//
//	go run ./examples -static DIR
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/tactusgo/tactus/examples/lab"
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
	static := fs.String("static", "", "write the netcode laboratory to this `folder`, for any host of static files, and end")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if *static != "" {
		size, err := lab.Write(ctx, *static, out)
		if err == nil {
			fmt.Fprintf(out, "%s is ready: a browser loads %.1f MB of it if the host sends the files .br. Look at it by any server of files, such as python3 -m http.server -d %[1]s\n", *static, float64(size)/1e6)
		}
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
