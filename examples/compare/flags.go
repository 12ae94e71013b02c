package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/tactusgo/tactus/examples/compare/trial"
)

// usage is the text that -h prints above the flags.
const usage = `usage: compare [flags]

Plays one world under different netcode models, with the same inputs and the same
links, in virtual time, and prints measured figures. The same flags print the same
figures.

  isolated  cost of one change of each player's input
  steady    cost if all inputs change in every tick
  presets   the six presets on identical bad links

These are the tables, and the fields of the object that -json prints. Costs count
calls of Simulate for ticks that a peer had completed. With a latency of l ticks,
a packet sent after tick t is received in tick t + l.

`

// flags are the parsed flags.
type flags struct {
	json    bool
	options trial.Options
}

func parse(args []string, help io.Writer) (p flags, err error) {
	f := flag.NewFlagSet("compare", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.BoolVar(&p.json, "json", false, "print one JSON object, as the only line")
	latencies := f.String("latencies", "2,5,10", fmt.Sprintf(
		"one-way `ticks` of player 1, 2 and so on, separated by commas: 1 to %d players,\n1 to %d ticks each",
		trial.MaxPlayers, trial.MaxLatency))
	f.Uint64Var(&p.options.Seed, "seed", 1, "`seed` of everything random")
	f.IntVar(&p.options.Players, "players", 4, fmt.Sprintf("players in the comparison of presets, 2 to %d", trial.MaxPlayers))
	f.IntVar(&p.options.Seconds, "seconds", 30, fmt.Sprintf("seconds of the comparison of presets under each model, 1 to %d", trial.MaxSeconds))
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			_, _ = io.WriteString(help, usage)
			f.SetOutput(help)
			f.PrintDefaults()
		}
		return p, err
	}
	if f.NArg() > 0 {
		return p, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	for text := range strings.SplitSeq(*latencies, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil {
			return p, fmt.Errorf("-latencies %q: give whole ticks separated by commas, such as 2,5,10", *latencies)
		}
		p.options.Latencies = append(p.options.Latencies, n)
	}
	return p, p.options.Validate()
}
