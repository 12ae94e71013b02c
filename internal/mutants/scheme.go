package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// A scheme is one test binary of a package that holds many mutants, of which the
// environment chooses one when it runs: mutant schemata, after Untch, Offutt and
// Harrold, "Mutation analysis using mutant schemata" (1993). Each function that is to be
// changed becomes one that calls its original or a changed copy. What is not in
// the body of a function, a constant for example, is compiled alone.
type scheme struct {
	binary string
	dir    string // of the package
	holds  map[int]bool
}

// newScheme compiles the mutants of a package's tests, by number, into a binary in dir.
func newScheme(ctx context.Context, root, dir, pkg string, mutants map[int]mutant) (*scheme, error) {
	s := &scheme{
		binary: filepath.Join(dir, strings.ReplaceAll(pkg, "/", "_")+".test"),
		dir:    filepath.Join(root, pkg),
	}
	changes := make(map[int]change)
	for n, m := range mutants {
		changes[n] = change{m.file, m.offset, m.from, m.to}
	}
	for {
		w := weaver{root: root, dir: dir, name: strings.ReplaceAll(pkg, "/", "_")}
		if err := w.write(changes); err != nil {
			return nil, err
		}
		s.holds = w.holds
		unfit, err := w.compile(ctx, s.binary, pkg)
		if err != nil {
			return nil, err
		}
		if len(unfit) == 0 {
			return s, nil
		}
		for _, n := range unfit {
			delete(changes, n)
		}
	}
}

// run runs tests with one of the mutants, or with none for 0.
func (s *scheme) run(ctx context.Context, n int, timeout time.Duration, tests ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, s.binary, "-test.short", "-test.timeout", timeout.String(), "-test.run", "^("+strings.Join(tests, "|")+")$")
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", chooser, n))
	return cmd.CombinedOutput()
}
