package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// options are the values of the flags.
type options struct {
	duration   time.Duration
	round      time.Duration
	timeout    time.Duration
	clients    int
	transports string
	seed       uint64
}

// run runs the command and returns its exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var o options
	fs := flag.NewFlagSet("soak", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.DurationVar(&o.duration, "for", time.Minute, "`duration` of the run; at least two rounds are played")
	fs.DurationVar(&o.round, "round", 0, "`duration` of a round; 0: a tenth of -for, at most a minute")
	fs.DurationVar(&o.timeout, "timeout", 4*time.Second, "`duration` of silence after which sessions end")
	fs.IntVar(&o.clients, "clients", 4, "players on each transport")
	fs.StringVar(&o.transports, "transports", "udp,ws", "transports to test")
	fs.Uint64Var(&o.seed, "seed", 1, "`seed` of the players' actions; real time still varies")
	fs.Usage = func() {
		fmt.Fprintf(stderr, "usage: soak [flags]\n\n"+
			"plays on real sockets with clients that join, leave, die and change their address, and fails if the process leaks;\n"+
			"best with go run -race\n\n")
		fs.PrintDefaults()
	}
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	if err := o.validate(); err != nil || fs.NArg() > 0 {
		fmt.Fprintln(stderr, "soak:", errors.Join(err, unexpected(fs.Args())))
		return 2
	}
	s, err := newSoak(o, stderr)
	if err != nil {
		fmt.Fprintln(stderr, "soak:", err)
		return 1
	}
	r := s.play(ctx)
	if err := json.NewEncoder(stdout).Encode(r); err != nil {
		fmt.Fprintln(stderr, "soak:", err)
		return 1
	}
	if !r.OK {
		return 1
	}
	return 0
}

func (o *options) validate() error {
	if o.round == 0 {
		o.round = min(o.duration/10, time.Minute)
	}
	for _, d := range []time.Duration{o.duration, o.round} {
		if d <= 0 {
			return errors.New("-for and -round must be above 0")
		}
	}
	if o.timeout < time.Second {
		return fmt.Errorf("-timeout %v is less than 1s", o.timeout)
	}
	if o.clients < 1 || o.clients > 100 {
		return fmt.Errorf("-clients %d is not in 1..100", o.clients)
	}
	for _, name := range o.names() {
		if _, ok := transportByName(name); !ok {
			return fmt.Errorf("-transports: no transport %q; there are udp, ws", name)
		}
	}
	return nil
}

func (o *options) names() []string { return strings.Split(o.transports, ",") }

func unexpected(args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("unexpected %q", args)
}
