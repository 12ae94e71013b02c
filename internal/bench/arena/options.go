package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"
)

// options holds the flags.
type options struct {
	clients, npcs int
	rtt           spread
	jitter        time.Duration
	loss          float64
	seconds       int
	coder         string
	hint          bool
	seed          uint64
	json          bool
	sockets
}

// spread is a round trip, or a range of round trips for the clients.
type spread struct{ from, to time.Duration }

func (s *spread) String() string {
	if s.from == s.to {
		return s.from.String()
	}
	return s.from.String() + ".." + s.to.String()
}

// Set parses "100ms" or "20ms..200ms".
func (s *spread) Set(v string) (err error) {
	from, to, two := strings.Cut(v, "..")
	if s.from, err = time.ParseDuration(from); err != nil {
		return errors.New(`write a duration ("100ms") or two ("20ms..200ms")`)
	}
	s.to = s.from
	if two {
		if s.to, err = time.ParseDuration(to); err != nil {
			return errors.New(`write a duration ("100ms") or two ("20ms..200ms")`)
		}
	}
	if s.from < 0 || s.to < s.from || s.to > 10*time.Second {
		return errors.New("the first must not be above the second, and both lie between 0 and 10s")
	}
	return nil
}

// forClient returns the round trip of client n.
func (s *spread) forClient(n, clients int) time.Duration {
	if clients < 2 {
		return s.from
	}
	return s.from + (s.to-s.from)*time.Duration(n)/time.Duration(clients-1)
}

// warmup is how long the match runs before the measurement, in seconds.
const warmup = 5

// maxClients is the largest number of clients in virtual time.
const maxClients = 4096

// parse parses the flags. It prints its error.
func parse(args []string, stderr io.Writer) (options, error) {
	o := options{rtt: spread{100 * time.Millisecond, 100 * time.Millisecond}}
	flags := flag.NewFlagSet("arena", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&o.clients, "clients", 100, "players, each with a client of its own")
	flags.IntVar(&o.npcs, "npcs", 200, "server-controlled entities")
	flags.Var(&o.rtt, "rtt", "round trip of all clients, or FROM..TO to spread them evenly")
	flags.DurationVar(&o.jitter, "jitter", 0, "each packet's one-way delay varies by as much, up and down; at most half of the round trip")
	flags.Float64Var(&o.loss, "loss", 0.05, "share of packets lost, in each direction")
	flags.IntVar(&o.seconds, "seconds", 20, fmt.Sprintf("length of the match, after %d s to warm up", warmup))
	flags.StringVar(&o.coder, "coder", "any", "any: the smallest of all coders; zstd: zstd, or raw where that is smaller")
	flags.BoolVar(&o.hint, "hint", true, "tell the coder that entities move along their heading")
	flags.Uint64Var(&o.seed, "seed", 1, "everything random follows from it")
	flags.BoolVar(&o.json, "json", false, "print one JSON object instead of a table")
	o.register(flags)
	flags.Usage = func() { usage(flags, stderr) }
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	given := make(map[string]bool)
	flags.Visit(func(f *flag.Flag) { given[f.Name] = true })
	o.sockets.defaults(&o, given)
	err := o.validate(flags.Args())
	if err == nil {
		err = o.sockets.validate(&o, given)
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
	}
	return o, err
}

// usage explains the flags and figures.
func usage(flags *flag.FlagSet, out io.Writer) {
	fmt.Fprint(out, `Measures what snapshots of the arena cost: in virtual time, or with -transport on real sockets, with the
server in a process of its own on one processor, and its clients on the others. That needs Linux.

Flags:
`)
	flags.PrintDefaults()
	fmt.Fprintf(out, "\nFigures:\n")
	for _, f := range figures {
		fmt.Fprintf(out, "  %-26s %s\n", f.name, f.about)
	}
	fmt.Fprintf(out, "\nFigures with -transport:\n")
	for _, f := range socketFigures {
		fmt.Fprintf(out, "  %-26s %s\n", f.name, f.about)
	}
}

// validate returns a one-line error that names the allowed values.
func (o *options) validate(args []string) (err error) {
	switch {
	case len(args) > 0:
		err = fmt.Errorf("no arguments but flags: %q", args[0])
	case o.clients < 1 || o.clients > o.maxClients():
		err = fmt.Errorf("-clients %d: 1 to %d are allowed", o.clients, o.maxClients())
	case o.npcs < 0 || o.npcs > 20_000:
		err = fmt.Errorf("-npcs %d: 0 to 20000 are allowed", o.npcs)
	case !(o.loss >= 0 && o.loss <= 0.9):
		err = fmt.Errorf("-loss %v: 0 to 0.9 is allowed", o.loss)
	case o.jitter < 0 || o.jitter > o.rtt.from/2:
		err = fmt.Errorf("-jitter %v: 0 to half of the shortest round trip, %v, is allowed", o.jitter, o.rtt.from/2)
	case o.seconds < 1 || o.seconds > 3600:
		err = fmt.Errorf("-seconds %d: 1 to 3600 are allowed", o.seconds)
	case o.coder != "any" && o.coder != "zstd":
		err = fmt.Errorf("-coder %s: any and zstd are allowed", o.coder)
	}
	return err
}

// maxClients returns the largest -clients.
func (o *options) maxClients() int {
	if o.transport != "" {
		return maxSocketClients
	}
	return maxClients
}
