// Command parity plays a session of a game's host over a terrible network, in virtual time, and records every call of the
// host with hashes of the simulated, sent and drawn data. testdata/replay.mjs makes the same calls of the game's
// WebAssembly module, in Node or a browser, and reports the first tick with a difference.
//
//	go run ./internal/tools/parity -game arena -seed 1 -ticks 10000 -o arena.session
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run runs the program and returns its exit code.
func run(args []string, stdout, stderr io.Writer) int {
	fs := flag.NewFlagSet("parity", flag.ContinueOnError)
	fs.SetOutput(stderr)
	name := fs.String("game", "arena", "which: arena or platformer")
	seed := fs.Uint64("seed", 1, "of links, inputs and pauses")
	ticks := fs.Int("ticks", 10_000, "how many are played, at least")
	to := fs.String("o", "", "the file to write")
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	g, err := gameOf(*name)
	if err == nil && (*to == "" || *ticks < 1 || fs.NArg() > 0) {
		err = errors.New("give -o a file, -ticks a number, and nothing else")
	}
	if err != nil {
		fmt.Fprintln(stderr, "parity:", err)
		return 2
	}
	r, err := record(g, *seed, *ticks)
	if err == nil {
		err = os.WriteFile(*to, r.bytes, 0o644)
	}
	if err != nil {
		fmt.Fprintln(stderr, "parity:", err)
		return 1
	}
	fmt.Fprintln(stdout, r)
	return 0
}
