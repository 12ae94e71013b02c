// Command train learns what the snapshots of a game look like from a recording of
// them, and writes a file that makes them smaller: a prior for the range coder and,
// where it gains, a dictionary for zstd.
//
//	go run ./codec/train -in match.rec -out game.trained
//
// A server makes the recording: see systems.ServerConfig.Record; example worlds do so
// with -record. Server and clients load the file with systems.LoadTrained; those that have another one, or none, go on with
// what is built in.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

const about = `usage: train -in RECORDING -out FILE

Learns from the first part of a recording of a game's snapshots, and prints what
blocks of the rest take before and after, in bytes. A few thousand sends are
plenty; fifty already help.

`

func main() {
	err := run(os.Args[1:], os.Stdout, os.Stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintln(os.Stderr, "train:", err)
		os.Exit(1)
	}
}

// run is the command, without the process around it.
func run(args []string, out, log io.Writer) error {
	flags := flag.NewFlagSet("train", flag.ContinueOnError)
	flags.SetOutput(log)
	var c training
	ages := flags.String("ages", "1,2,3,4,6", "ages of baselines to train for, in `sends`, in turn: a round trip and more")
	in := flags.String("in", "", "recording to learn from")
	name := flags.String("out", "", "file to write")
	flags.Float64Var(&c.hold, "hold", 0.2, "part of the recording, at its end, to measure with instead of learning, 0 to 0.9")
	flags.Usage = func() {
		fmt.Fprint(log, about)
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("%q is no flag: see -h", flags.Arg(0))
	case *in == "" || *name == "":
		return fmt.Errorf("give -in and -out: see -h")
	case !(c.hold >= 0 && c.hold <= 0.9):
		return fmt.Errorf("-hold %v: it must be 0 to 0.9", c.hold)
	}
	for s := range strings.SplitSeq(*ages, ",") {
		age, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || age < 1 || age > maxAge {
			return fmt.Errorf("-ages %q: whole numbers of 1 to %d, with commas between them", *ages, maxAge)
		}
		c.ages = append(c.ages, age)
	}
	c.open = func() (io.ReadCloser, error) { return os.Open(*in) }
	c.out, c.log = out, log
	trained, err := c.train()
	if err != nil {
		return fmt.Errorf("%s: %w", *in, err)
	}
	b := trained.Append(nil)
	if err := os.WriteFile(*name, b, 0o644); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %d bytes, hash %016x\n", *name, len(b), trained.Hash())
	return nil
}
