// Command compare plays one world under every netcode model, with the same inputs and the same links, and prints the cost
// of each model and how the players see each other. See -h for the flags.
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/tactusgo/tactus/examples/compare/trial"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run runs the command and returns the exit code: 0, 1 if a match failed, 2 for invalid flags.
func run(args []string, stdout, stderr io.Writer) int {
	f, err := parse(args, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "compare: %v\nSee compare -h.\n", err)
		return 2
	}
	results, err := trial.Run(f.options, func(what string) { _, _ = fmt.Fprintf(stderr, "compare: %s\n", what) })
	if err == nil {
		err = write(stdout, results, f.json)
	}
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "compare: %v\n", err)
		return 1
	}
	return 0
}

func write(out io.Writer, r trial.Results, asJSON bool) error {
	if !asJSON {
		return tabulate(out, r)
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s\n", line)
	return err
}
