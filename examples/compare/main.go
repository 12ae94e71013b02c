// Command compare plays one world, with the same inputs on the same links, under every netcode model, and prints what
// each costs and what players see of it. See -h for the flags.
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

// run is the command without the process. It returns the exit code: 0, 1 when a match went wrong, 2 for bad flags.
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
	if err == nil && f.plot != "" {
		err = os.WriteFile(f.plot, plot(results), 0o644)
	}
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
