// Command train trains on a recording of the snapshots of a game and writes a file that makes the snapshots smaller: the
// initial chances of the coders.
//
//	go run ./codec/train -in game.samples -out game.trained
//
// A server makes the recording, see systems.ServerConfig.Snapshots.Record. The example worlds do so with -samples. Server and clients
// load the file with systems.LoadTrained. A peer without the file, or with a different one, uses the built-in prior.
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

Trains on the first part of a recording of a game's snapshots and prints the
size of blocks of the rest, in bytes, before and after. A few thousand sends
are enough; fifty already help.

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

// run runs the command with the given arguments.
func run(args []string, out, log io.Writer) error {
	flags := flag.NewFlagSet("train", flag.ContinueOnError)
	flags.SetOutput(log)
	var c training
	ages := flags.String("ages", "1,2,3,4,6", "ages of baselines to train for, in `sends`, used in turn: a round trip and more")
	in := flags.String("in", "", "recording to learn from")
	name := flags.String("out", "", "file to write")
	flags.Float64Var(&c.hold, "hold", 0.2, "share of the recording, at its end, to measure with instead of training, 0 to 0.9")
	flags.Usage = func() {
		fmt.Fprint(log, about)
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case flags.NArg() > 0:
		return fmt.Errorf("unexpected argument %q: see -h", flags.Arg(0))
	case *in == "" || *name == "":
		return fmt.Errorf("give -in and -out: see -h")
	case !(c.hold >= 0 && c.hold <= 0.9):
		return fmt.Errorf("-hold %v: must be 0 to 0.9", c.hold)
	}
	for s := range strings.SplitSeq(*ages, ",") {
		age, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil || age < 1 || age > maxAge {
			return fmt.Errorf("-ages %q: must be whole numbers of 1 to %d, separated by commas", *ages, maxAge)
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
