package runner

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os/signal"
	"syscall"

	"github.com/tactusgo/tactus/netsys"
)

// ExitUsage is the exit code for invalid flags.
const ExitUsage = 2

// Main runs the command of a world: it parses args, plays, and returns the exit code: 0, 1 on failure, or [ExitUsage]
// after printing what is allowed.
func Main(ctx context.Context, game Game, args []string, stdout, stderr io.Writer) int {
	c := command{end: func() error { return nil }}
	switch err := c.parse(&game, args, stderr); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "%s: %v\n", game.Name, err)
		return ExitUsage
	}
	if c.Save != "" {
		var stop func()
		ctx, stop = signal.NotifyContext(ctx, syscall.SIGTERM)
		defer stop()
	}
	err := c.play(ctx, game, stdout, stderr)
	if errors.Is(err, netsys.ErrInsecure) {
		err = fmt.Errorf("%w\nSet -key for the server and -token or -key for clients, or -insecure-anyone-can-join for both", err)
	}
	if err = errors.Join(err, c.end()); err != nil {
		fmt.Fprintf(stderr, "%s: %v\n", game.Name, err)
		return 1
	}
	return 0
}

// Headless plays a world like -headless, with flags such as "-virtual" and "-duration", "5s", and returns the report.
// Tests use it. It returns errors for invalid flags, for a match that cannot start, and for the end of ctx.
func Headless(ctx context.Context, game Game, flags ...string) (*Report, error) {
	c := command{end: func() error { return nil }}
	if err := c.parse(&game, append([]string{"-headless"}, flags...), io.Discard); err != nil {
		return nil, err
	}
	if c.Rerun != "" {
		return nil, errors.Join(errors.New("runner.Headless: -rerun plays no match: use Main instead"), c.end())
	}
	if c.serve != "" || c.connect != "" {
		return nil, errors.Join(errors.New("runner.Headless: -serve and -connect run half of a match: use Main instead"), c.end())
	}
	r, err := run(ctx, game, c.Options, nil)
	return r, errors.Join(err, c.end())
}

// command is the parsed command line.
type command struct {
	Options
	serve, connect string
	end            func() error // ends a recording
}

// parse parses the flags. An error is one line that lists the allowed values. After [flag.ErrHelp], usage has been
// printed.
func (c *command) parse(game *Game, args []string, stderr io.Writer) error {
	if err := game.validate(); err != nil {
		return err
	}
	o := &c.Options
	fs := flag.NewFlagSet(game.Name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	o.register(fs, game)
	fs.StringVar(&c.serve, "serve", "", "run only the server, at this `address`, such as 127.0.0.1:7777; with -headless for -duration,\nthen print the server's half of the report")
	fs.StringVar(&c.connect, "connect", "", "run only bots, on the server at this `address`; with -headless for -duration or until\nthe server ends, then print the bots' half of the report")
	if game.Flags != nil {
		game.Flags(fs)
	}
	err := fs.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		usage(game, fs, stderr)
		return err
	}
	if err != nil {
		return fmt.Errorf("%w; -h lists the allowed values", err)
	}
	given := map[string]bool{"server-every": game.Defaults.ServerEvery != 0}
	fs.Visit(func(f *flag.Flag) { given[f.Name] = true })
	if !given["server-every"] {
		o.applyPresetDefaults()
	}
	if !given["warmup"] && o.Warmup >= o.Duration {
		o.Warmup = o.Duration / 5
	}
	if err = o.validate(game); err == nil {
		err = c.validate(fs.Args())
	}
	if err == nil {
		err = o.access.open(o)
	}
	if err == nil {
		c.end, err = o.files.open(o, stderr)
	}
	return err
}

// validate returns an error for flags that cannot be combined.
func (c *command) validate(args []string) error {
	switch {
	case len(args) > 0:
		return fmt.Errorf("%q: only flags are allowed", args[0])
	case c.Rooms && (c.Headless || c.serve != "" || c.connect != "" || c.Record != "" || c.Replay != "" || c.Rerun != "" || c.Save != "" || c.Load != "" || c.Key != ""):
		return errors.New("-rooms: not allowed with -headless, -serve, -connect, -record, -replay, -rerun, -save, -load and -key: see package systems/rooms for a server with these")
	case c.serve != "" && c.connect != "":
		return errors.New("-serve and -connect: only one of them is allowed")
	case (c.serve != "" || c.connect != "") && c.Virtual:
		return errors.New("-virtual: not allowed with -serve or -connect, which play on real sockets")
	case c.Inspect != "" && c.connect != "":
		return errors.New("-inspect: not allowed with -connect: set it on the server")
	case (c.Record != "" || c.Samples != "") && c.connect != "":
		return errors.New("-record, -samples: not allowed with -connect: set them on the server")
	case c.Replay != "" && (c.serve != "" || c.connect != "" || c.Record != ""):
		return errors.New("-replay: not allowed with -serve, -connect and -record: it plays no new match")
	case (c.Save != "" || c.Load != "") && c.connect != "":
		return errors.New("-save, -load: not allowed with -connect: set them on the server")
	case c.Rerun != "" && (c.serve != "" || c.connect != "" || c.Record != "" || c.Replay != "" || c.Save != "" || c.Load != ""):
		return errors.New("-rerun: not allowed with -serve, -connect, -record, -replay, -save and -load: it plays no match")
	case c.Token != "" && c.connect == "":
		return errors.New("-token: allowed with -connect only: a server, with or without bots, needs -key")
	}
	return nil
}

// play runs the mode that the flags select.
func (c *command) play(ctx context.Context, game Game, stdout, stderr io.Writer) error {
	switch {
	case c.Rerun != "":
		return rerun(game, c.Options, stdout)
	case c.Headless && c.serve != "":
		h, err := serveHeadless(ctx, game, c.Options, c.serve, stderr)
		if err != nil {
			return err
		}
		return writeLast(h, stdout, c.JSON)
	case c.Headless && c.connect != "":
		h, err := connectHeadless(ctx, game, c.Options, c.connect, stderr)
		if err != nil {
			return err
		}
		return writeLast(h, stdout, c.JSON)
	case c.Headless && c.Replay != "":
		r, err := replayHeadless(ctx, game, c.Options, stderr)
		if err != nil {
			return err
		}
		return writeLast(r, stdout, c.JSON)
	case c.Replay != "" && game.Live == nil:
		return errors.New("-replay: set -headless, too: this command has no page")
	case c.Headless:
		r, err := run(ctx, game, c.Options, stderr)
		if err != nil {
			return err
		}
		return r.write(stdout, stderr, c.JSON)
	case c.serve != "":
		return serve(ctx, game, c.Options, c.serve, stdout)
	case c.connect != "":
		return connect(ctx, game, c.Options, c.connect, stdout)
	case game.Live != nil:
		return game.Live(ctx, game, c.Options, stdout, stderr)
	}
	return Live(ctx, game, c.Options, stdout)
}
