package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// testTimeout is the timeout of a test that runs alone for measurement.
const testTimeout = 30 * time.Minute

// failedTest matches the names of failed tests, without subtests.
var failedTest = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)

// suite holds the tests of a module. The test binary of each package contains all mutants of the sample.
type suite struct {
	root, dir string
	cache     string // folder, or "" for none
	workers   int
	w         *weaver
	binaries  []*binary
	tell      func(format string, args ...any)
}

// binary is the test binary of a package.
type binary struct {
	pkg   string // folder from the root
	path  string
	deps  map[string]bool // folders
	tests []*test
}

// test is one test of a binary, with its cost and the mutants that it reaches.
type test struct {
	of     *binary
	Name   string
	Cost   time.Duration // processor time
	Took   time.Duration
	Marks  []int
	Broken bool // fails without a mutant
}

func (t *test) String() string { return t.of.pkg + " " + t.Name }

// timeoutOf returns a generous timeout, because a busy machine must not look like a mutant with an endless loop.
func timeoutOf(took time.Duration) time.Duration { return 10*time.Second + 10*took }

// run runs tests of a binary and returns their output and processor time. It limits memory if there is a shell to set the
// limit.
func (b *binary) run(
	ctx context.Context, root, path string, env []string, timeout time.Duration, tests ...string,
) (out []byte, cost time.Duration, err error) {
	args := []string{"-test.short", "-test.failfast", "-test.timeout", timeout.String(), "-test.run", "^(" + strings.Join(tests, "|") + ")$"}
	cmd := exec.CommandContext(ctx, "/bin/sh", slices.Concat([]string{"-c", `ulimit -v 6000000; exec "$0" "$@"`, path}, args)...)
	if _, err := os.Stat("/bin/sh"); err != nil {
		cmd = exec.CommandContext(ctx, path, args...)
	}
	cmd.Dir = filepath.Join(root, b.pkg)
	cmd.Env = append(os.Environ(), env...)
	cmd.WaitDelay = time.Second
	out, err = cmd.CombinedOutput()
	if cmd.ProcessState != nil {
		cost = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	return out, cost, err
}

func chosen(n int) []string { return []string{fmt.Sprintf("%s=%d", chooser, n)} }

// build compiles the binaries of all packages that depend on one of the folders.
func (s *suite) build(ctx context.Context, folders []string, own bool) error {
	all, err := list(ctx, s.root, "work")
	if err != nil {
		return err
	}
	paths := make(map[string]string)
	for _, p := range all {
		paths[p.ImportPath] = p.folder
	}
	cmd := exec.CommandContext(ctx, "go", "list", "-test", "-f", `{{.ImportPath}}{{range .Deps}} {{.}}{{end}}`, "work")
	cmd.Dir = s.root
	out, err := cmd.Output()
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		folder, tested := paths[strings.TrimSuffix(words[0], ".test")]
		if !tested || !strings.HasSuffix(words[0], ".test") {
			continue
		}
		b := &binary{pkg: folder, deps: map[string]bool{folder: true}}
		for _, w := range words[1:] {
			if d, ours := paths[w]; ours {
				b.deps[d] = true
			}
		}
		if own && !slices.Contains(folders, folder) {
			continue
		}
		if slices.ContainsFunc(folders, func(f string) bool { return b.deps[f] }) {
			s.binaries = append(s.binaries, b)
		}
	}
	for _, b := range s.binaries {
		b.path = filepath.Join(s.dir, strings.ReplaceAll(b.pkg, "/", "_")+".test")
		unfit, err := s.w.compile(ctx, b.path, b.pkg)
		if err != nil || len(unfit) > 0 {
			return errors.Join(err, fmt.Errorf("%s does not compile with mutants %d", b.pkg, unfit))
		}
		if err := s.measure(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

// measure runs each test of a binary alone and without mutants. It stores the results by the binary's hash, because the
// same binary reaches the same mutants.
func (s *suite) measure(ctx context.Context, b *binary) error {
	text, err := os.ReadFile(b.path)
	if err != nil {
		return err
	}
	kept := filepath.Join(s.cache, fmt.Sprintf("%x.json", sha256.Sum256(text)))
	if known, err := os.ReadFile(kept); err == nil && s.cache != "" && json.Unmarshal(known, &b.tests) == nil {
		for _, t := range b.tests {
			t.of = b
		}
		return nil
	}
	cmd := exec.CommandContext(ctx, b.path, "-test.list", "^(Test|Fuzz|Example)")
	cmd.Dir = filepath.Join(s.root, b.pkg)
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("tests of %s: %w", b.pkg, err)
	}
	start := time.Now()
	for name := range strings.FieldsSeq(string(out)) {
		b.tests = append(b.tests, &test{of: b, Name: name})
	}
	next := make(chan *test)
	errs := make([]error, max(s.workers, 1))
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			for t := range next {
				errs[i] = errors.Join(errs[i], s.measureTest(ctx, t, filepath.Join(s.dir, fmt.Sprint("marks", i))))
			}
		})
	}
	for _, t := range b.tests {
		next <- t
	}
	close(next)
	wg.Wait()
	if err := errors.Join(append(errs, ctx.Err())...); err != nil {
		return err
	}
	s.tell("%s: %d tests measured in %v", b.pkg, len(b.tests), time.Since(start).Round(time.Second/10))
	if s.cache == "" {
		return nil
	}
	known, err := json.Marshal(b.tests)
	return errors.Join(err, os.WriteFile(kept, known, 0o600))
}

// measureTest runs one test alone. marks is the file for the numbers of the mutants that it reaches.
func (s *suite) measureTest(ctx context.Context, t *test, marks string) error {
	if err := os.RemoveAll(marks); err != nil {
		return err
	}
	began := time.Now()
	_, cost, failed := t.of.run(ctx, s.root, t.of.path, append(chosen(marking), marked+"="+marks), testTimeout, t.Name)
	t.Cost, t.Took = cost, time.Since(began)
	if failed != nil { // marking may allocate where nothing must
		_, _, failed = t.of.run(ctx, s.root, t.of.path, chosen(0), testTimeout, t.Name)
		t.Broken = failed != nil
	}
	if t.Broken && ctx.Err() == nil {
		s.tell("%v fails without a mutant and is left out", t)
	}
	text, err := os.ReadFile(marks)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for line := range strings.FieldsSeq(string(text)) {
		n, _ := strconv.Atoi(line)
		if !slices.Contains(t.Marks, n) {
			t.Marks = append(t.Marks, n)
		}
	}
	return nil
}

// outcome is the result of one mutant.
type outcome struct {
	Killed  bool
	By      string // the test that failed
	Reached bool   // a test reaches the mutant
	LeftOut int    // number of tests that did not run because of the budget
}

// try runs tests until one fails or the budget is spent: the hint first, then the tests of the mutant's package and those
// of its dependents, cheapest first. A failure counts if it repeats and does not occur without the mutant, because some
// tests depend on real time.
func (s *suite) try(ctx context.Context, n int, pkg string, tests []*test, hint string, budget time.Duration, path func(*binary) (string, error)) (outcome, error) {
	o := outcome{Reached: len(tests) > 0}
	rank := func(t *test) int {
		switch {
		case t.String() == hint:
			return 0
		case t.of.pkg == pkg:
			return 1
		}
		return 2
	}
	slices.SortStableFunc(tests, func(a, b *test) int {
		if x := rank(a) - rank(b); x != 0 {
			return x
		}
		return int(a.Cost - b.Cost)
	})
	for i := 0; i < len(tests); {
		first := tests[i]
		var names []string
		var cost, took time.Duration
		for ; i < len(tests) && tests[i].of == first.of && rank(tests[i]) == rank(first) && (cost == 0 || cost+tests[i].Cost < time.Second); i++ {
			names = append(names, tests[i].Name)
			cost += tests[i].Cost
			took += tests[i].Took
		}
		if budget -= cost; budget < 0 {
			o.LeftOut = len(tests) - i + len(names)
			return o, nil
		}
		p, err := path(first.of)
		if ctx.Err() != nil {
			return o, ctx.Err()
		}
		if err != nil { // the mutant breaks the build of the test
			o.Killed, o.By = true, first.of.pkg+" does not compile"
			return o, nil
		}
		out, _, failed := first.of.run(ctx, s.root, p, chosen(n), timeoutOf(took), names...)
		if ctx.Err() != nil {
			return o, ctx.Err()
		}
		if failed == nil {
			continue
		}
		late := bytes.Contains(out, []byte("panic: test timed out"))
		if m := failedTest.FindSubmatch(out); m != nil && !late {
			names = []string{string(m[1])}
		} else if m := runningTest.FindSubmatch(out); m != nil {
			names = []string{string(m[1])}
		}
		if _, _, failed := first.of.run(ctx, s.root, first.of.path, chosen(0), timeoutOf(took), names...); failed != nil {
			s.tell("%s %s failed with mutant %d, and without it", first.of.pkg, names, n)
			continue
		}
		if !late {
			if _, _, failed := first.of.run(ctx, s.root, p, chosen(n), timeoutOf(took), names...); failed == nil {
				s.tell("%s %s failed with mutant %d, but not again", first.of.pkg, names, n)
				continue
			}
		}
		o.Killed, o.By = true, first.of.pkg+" "+strings.Join(names, "|")
		return o, nil
	}
	return o, nil
}

// runningTest finds the test that ran when a time limit ended the run.
var runningTest = regexp.MustCompile(`running tests:\s+(\w+)`)
