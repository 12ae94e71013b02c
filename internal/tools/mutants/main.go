package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

func main() {
	var ask sampling
	flag.Uint64Var(&ask.seed, "sample", 1, "draw mutants by this `seed`")
	flag.IntVar(&ask.n, "n", 60, "mutants to draw in each package")
	flag.DurationVar(&ask.budget, "budget", time.Minute, "processor time of tests, cheapest first, after which a mutant counts as alive")
	flag.BoolVar(&ask.own, "own", false, "run only tests of the named packages, not of packages that depend on them")
	flag.IntVar(&ask.workers, "workers", max(runtime.NumCPU(), 1), "mutants to test at the same time")
	flag.StringVar(&ask.json, "json", "", "also write the report to this `file`, after each package")
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), `usage: mutants [flags] [PACKAGE…]

Changes one operator at a time in the packages (default: %s)
and reports the share of changes that make a test fail.

`, strings.Join(sampled, " "))
		flag.PrintDefaults()
	}
	flag.Parse()
	ask.patterns = flag.Args()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	root, err := checkoutRoot(ctx)
	if err == nil {
		err = sample(ctx, root, ask)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// checkoutRoot returns the folder of the workspace that the command runs in.
func checkoutRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOWORK").Output()
	if err != nil {
		return "", err
	}
	work := strings.TrimSpace(string(out))
	if work == "" || work == "off" {
		return "", errors.New("there is no workspace: run this in a checkout, without GOWORK=off")
	}
	return filepath.Dir(work), nil
}
