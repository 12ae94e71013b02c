package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/tactusgo/tactus/examples/compare/trial"
)

// usage is what -h prints above the flags.
const usage = `usage: compare [flags]

Plays one world, with the same inputs on the same links, under different netcode
models, in virtual time and in this process, and prints what was counted. Nothing
is computed from a formula, and the same flags print the same figures.

  isolated       what one change of each player's input costs
  steady         what it costs that all inputs change in every tick
  mispredicted   what LocalSync pays when its predictions are wrong
  spike          whom a lag spike of one player concerns
  sweep_players  how the cost grows with players
  sweep_latency  how the cost grows with latency
  presets        the six presets on identical bad links
  fairness       who wins when two players shoot each other at the same moment

These are the fields of what -json prints; without it they come as tables.
A cost is a call of Simulate for a tick that a peer had completed. A latency of l
ticks means: what is sent after tick t is seen in tick t + l.

`

// flags are the flags, read.
type flags struct {
	json    bool
	plot    string
	options trial.Options
}

func parse(args []string, help io.Writer) (p flags, err error) {
	f := flag.NewFlagSet("compare", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.BoolVar(&p.json, "json", false, "print one JSON object, as the only line")
	f.StringVar(&p.plot, "plot", "", "draw a chart to this `file`, which ends in .svg")
	latencies := f.String("latencies", "2,5,10", fmt.Sprintf(
		"one-way `ticks` of player 1, 2 and so on, separated by commas: 1 to %d players,\n1 to %d ticks each",
		trial.MaxPlayers, trial.MaxLatency))
	f.Uint64Var(&p.options.Seed, "seed", 1, "everything random follows from it")
	f.IntVar(&p.options.Players, "players", 4, fmt.Sprintf("who play in the comparison of presets, 2 to %d", trial.MaxPlayers))
	f.IntVar(&p.options.Seconds, "seconds", 30, fmt.Sprintf("how long they play under each, 1 to %d", trial.MaxSeconds))
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
	if p.plot != "" && filepath.Ext(p.plot) != ".svg" {
		return p, fmt.Errorf("-plot %q: give a file that ends in .svg", p.plot)
	}
	return p, p.options.Validate()
}
