// Command fleet is a game on several processes, as it runs in production: players log in by OpenID Connect, ask any process
// for a seat, wait in one queue, and travel to another process when theirs is replaced. The directory by which processes find
// each other is in NATS.
//
//	go -C examples/more run ./fleet              play it on this machine: NATS, an issuer of logins, three processes, players
//	go -C examples/more run ./fleet serve -h     run one process, on this machine or in a cluster
//	go -C examples/more run ./fleet saves -h     list, describe, copy and restore the saves of its rooms
//
// The first command drains a process and kills another one, and prints what becomes of their players. The folder deploy has a
// container file, manifests for Kubernetes with and without Agones, a dashboard and alert rules.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	if err := run(os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		log.Fatal(err)
	}
}

// run runs the command that the arguments name.
func run(args []string) error {
	if len(args) > 0 && args[0] == "serve" {
		var s settings
		if err := s.parse(args[1:], os.Environ()); err != nil {
			return err
		}
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		if os.Getenv(childVariable) != "" { // the demonstration closes it, or is gone
			go func() {
				_, _ = io.Copy(io.Discard, os.Stdin)
				stop()
			}()
		}
		return s.serve(ctx, slog.New(slog.NewJSONHandler(os.Stderr, nil)))
	}
	if len(args) > 0 && args[0] == "saves" {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		var s settings
		return s.runSaves(ctx, args[1:], os.Environ(), os.Stdout)
	}
	flags := flag.NewFlagSet("fleet", flag.ContinueOnError)
	flags.Usage = func() {
		_, _ = fmt.Fprint(flags.Output(), "usage: fleet          demonstrate a fleet on this machine, until Ctrl-C\n       fleet serve    run one process; see fleet serve -h\n       fleet saves    list, describe, copy and restore saves; see fleet saves -h\n")
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		flags.Usage()
		return fmt.Errorf("there is no command %q", flags.Arg(0))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return demonstrate(ctx, os.Stdin, os.Stdout)
}
