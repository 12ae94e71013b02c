package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// verdict is what became of a mutant.
type verdict int

const (
	killed   verdict = iota
	survived         // the test passed all the same
	broken           // it did not compile, or could not be applied
)

func (v verdict) String() string { return [...]string{"killed", "survived", "broken"}[v] }

// testTimeout ends a test that a mutant keeps from ending; that counts as
// noticing. allTimeout is for all tests together, without a mutant.
const (
	testTimeout = 2 * time.Minute
	allTimeout  = 30 * time.Minute
)

func main() {
	list := flag.Bool("list", false, "print the mutants and the rules that have tests, run nothing")
	workers := flag.Int("workers", max(runtime.NumCPU(), 1), "mutants at work at one time")
	quotes := flag.Bool("quotes", false, "check that every quote of the tables stands once where it says, run nothing")
	seed := flag.Uint64("sample", 0, "instead of the rules: draw mutants of the packages that are named, by this `seed`")
	n := flag.Int("n", 60, "with -sample: mutants of each package")
	budget := flag.Duration("budget", time.Minute, "with -sample: what tests may cost of the processor, cheapest first, before a mutant counts as alive")
	own := flag.Bool("own", false, "with -sample: only tests of the packages that are named, not of their dependents")
	jsonFile := flag.String("json", "", "with -sample: write the report to this `file` too, after each package")
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), `usage: mutants [flags] [RULE…]
       mutants -sample SEED [flags] [PACKAGE…]

Breaks each rule once and expects its test to fail; rules are A5 or Decision3.
With -sample: draws mutants of gremlins and reports the share that tests notice.

`)
		flag.PrintDefaults()
	}
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	if *seed != 0 {
		var root string
		if root, err = moduleRoot(ctx); err == nil {
			err = sample(ctx, root, sampling{*seed, *n, *budget, *own, *workers, *jsonFile, flag.Args()})
		}
	} else {
		err = run(ctx, *list, *quotes, *workers, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// run is the command, from the folder of the module.
func run(ctx context.Context, list, quotes bool, workers int, only []string) error {
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	mutants, rules, err := collect(root)
	if err != nil {
		return err
	}
	var bare []string
	for _, r := range rules {
		if !slices.ContainsFunc(mutants, func(m mutant) bool { return m.rule == r }) {
			bare = append(bare, r)
		}
	}
	if quotes {
		fmt.Printf("%d mutants, every quote stands once\n", len(mutants))
		return nil
	}
	if list {
		for _, m := range mutants {
			fmt.Println(m)
		}
		fmt.Printf("%d mutants; rules with tests: %s; without a mutant: %s\n", len(mutants), strings.Join(rules, " "), orNone(bare))
		return nil
	}
	if len(only) > 0 {
		mutants = slices.DeleteFunc(mutants, func(m mutant) bool { return !slices.Contains(only, m.rule) })
		bare = nil
		if len(mutants) == 0 {
			return fmt.Errorf("no mutant of %s; -list says what there is", strings.Join(only, ", "))
		}
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	schemes, err := newSchemes(ctx, root, dir, mutants)
	if err != nil {
		return err
	}
	failing, err := unchanged(ctx, schemes, mutants)
	if err != nil {
		return err
	}
	counts := work(ctx, root, mutants, schemes, failing, workers)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if len(bare) > 0 {
		fmt.Printf("rules without a mutant: %s\n", strings.Join(bare, " "))
	}
	if counts[broken] > 0 {
		fmt.Printf("broken %d\n", counts[broken])
	}
	fmt.Printf("killed %d survived %d\n", counts[killed], counts[survived])
	if counts[survived]+counts[broken]+len(bare) > 0 {
		return errors.New("the tests of the rules above are not good enough")
	}
	return nil
}

func orNone(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, " ")
}

func moduleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("run this inside the module: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// newSchemes compiles the tests of all mutants, a package at a time.
func newSchemes(ctx context.Context, root, dir string, mutants []mutant) (map[string]*scheme, error) {
	byPackage := make(map[string]map[int]mutant)
	for i, m := range mutants {
		if byPackage[m.pkg] == nil {
			byPackage[m.pkg] = make(map[int]mutant)
		}
		byPackage[m.pkg][i+1] = m
	}
	schemes := make(map[string]*scheme)
	for _, pkg := range slices.Sorted(maps.Keys(byPackage)) {
		s, err := newScheme(ctx, root, dir, pkg, byPackage[pkg])
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(os.Stderr, "mutants: %s compiled, %d of its %d mutants together\n", pkg, len(s.holds), len(byPackage[pkg]))
		schemes[pkg] = s
	}
	return schemes, nil
}

// unchanged runs the tests of all mutants on the source as it is and returns those
// that fail, by folder and name: such a test would kill whatever it is given.
func unchanged(ctx context.Context, schemes map[string]*scheme, mutants []mutant) (failing map[[2]string]bool, err error) {
	tests := make(map[string][]string)
	for _, m := range mutants {
		if !slices.Contains(tests[m.pkg], m.test) {
			tests[m.pkg] = append(tests[m.pkg], m.test)
		}
	}
	failing = make(map[[2]string]bool)
	for _, pkg := range slices.Sorted(maps.Keys(tests)) {
		out, err := schemes[pkg].run(ctx, 0, allTimeout, tests[pkg]...)
		if err == nil {
			continue
		}
		found := failedTest.FindAllSubmatch(out, -1)
		if len(found) == 0 {
			return nil, fmt.Errorf("%s without mutants: %w\n%s", pkg, err, out)
		}
		for _, m := range found {
			failing[[2]string{pkg, string(m[1])}] = true
		}
	}
	return failing, nil
}

// failedTest finds the tests, not their subtests, that failed.
var failedTest = regexp.MustCompile(`(?m)^--- FAIL: (\w+)`)

// runTest runs a test of a package with files in the place of others, as quickly as that
// goes: most of the time is the compiler's and the linker's, so they neither optimize the
// package nor write its debugging information.
func runTest(ctx context.Context, root, pkg, test, overlay string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-count=1", "-short", "-vet=off", "-gcflags=-N -l", "-ldflags=-s -w",
		"-timeout", testTimeout.String(), "-run", "^"+test+"$", "-overlay", overlay, "./"+pkg)
	cmd.Dir = root
	return cmd.CombinedOutput()
}

// work tries all mutants and prints each verdict, in order.
func work(
	ctx context.Context, root string, mutants []mutant, schemes map[string]*scheme, failing map[[2]string]bool, workers int,
) (counts [3]int) {
	type result struct {
		verdict
		why string
	}
	results := make([]chan result, len(mutants))
	for i := range results {
		results[i] = make(chan result, 1)
	}
	next := make(chan int)
	var wg sync.WaitGroup
	for range max(workers, 1) {
		wg.Go(func() {
			for i := range next {
				m := mutants[i]
				if failing[[2]string{m.pkg, m.test}] {
					results[i] <- result{broken, m.at + ": the test fails without the mutant"}
					continue
				}
				v, why := m.try(ctx, root, i+1, schemes[m.pkg])
				results[i] <- result{v, why}
			}
		})
	}
	go func() {
		defer close(next)
		for i := range mutants {
			next <- i
		}
	}()
	for i, m := range mutants {
		r := <-results[i]
		if ctx.Err() != nil {
			break
		}
		counts[r.verdict]++
		fmt.Printf("%3d %-8v %v\n", i+1, r.verdict, m)
		if r.verdict != killed {
			fmt.Println(r.why)
		}
	}
	if ctx.Err() == nil {
		wg.Wait()
	}
	return counts
}

// try runs the mutant's test on the changed source: in the scheme that holds it, or
// compiled alone.
func (m mutant) try(ctx context.Context, root string, n int, s *scheme) (verdict, string) {
	if s == nil || !s.holds[n] {
		return m.alone(ctx, root)
	}
	out, err := s.run(ctx, n, testTimeout, m.test)
	return m.judge(out, err)
}

// judge says what the output of a test shows.
func (m mutant) judge(out []byte, err error) (verdict, string) {
	switch {
	case err == nil && bytes.Contains(out, []byte("no tests to run")):
		return broken, m.at + ": no such test"
	case err == nil:
		return survived, m.at
	case bytes.Contains(out, []byte("[build failed]")) || bytes.Contains(out, []byte("[setup failed]")):
		return broken, m.at + "\n" + string(out)
	}
	return killed, ""
}

// alone compiles the mutant and runs its test.
func (m mutant) alone(ctx context.Context, root string) (verdict, string) {
	changed, err := m.apply(root)
	if err != nil {
		return broken, err.Error()
	}
	dir, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return broken, err.Error()
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, filepath.Base(m.file))
	overlay := filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(root, m.file): file}})
	if err == nil {
		err = errors.Join(os.WriteFile(file, changed, 0o600), os.WriteFile(overlay, replace, 0o600))
	}
	if err != nil {
		return broken, err.Error()
	}
	out, err := runTest(ctx, root, m.pkg, m.test, overlay)
	return m.judge(out, err)
}
