package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// sampling holds the flags of a sample.
type sampling struct {
	seed     uint64
	n        int
	budget   time.Duration
	own      bool
	workers  int
	json     string
	patterns []string
}

// sampled are the default packages of a sample.
var sampled = []string{"./codec/...", "./ecs/...", "./netsys/...", "./systems/...", "./systems/rooms/...", "./systems/host/...", "./systems/devtools/..."}

// sample draws mutants, runs the tests that reach them, and prints a report.
func sample(ctx context.Context, root string, ask sampling) error {
	start := time.Now()
	tell := func(format string, args ...any) {
		fmt.Fprintf(os.Stderr, "mutants: %5.0fs %s\n", time.Since(start).Seconds(), fmt.Sprintf(format, args...))
	}
	dir, err := os.MkdirTemp("", "mutants")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if len(ask.patterns) == 0 {
		ask.patterns = sampled
	}
	packages, err := list(ctx, root, ask.patterns...)
	if err != nil {
		return err
	}
	places, err := sites(ctx, root, dir, packages)
	if err != nil {
		return err
	}
	all, err := spots(root, places)
	if err != nil {
		return err
	}
	draw(all, ask.seed)
	reasons, err := equivalents(filepath.Join(root, "internal/tools/mutants/equivalent.txt"))
	if err != nil {
		return err
	}
	w := &weaver{root: root, dir: dir, name: "woven", marks: true}
	taken, unviable, err := viable(ctx, w, packages, all, ask.n, tell)
	if err != nil {
		return err
	}
	s := &suite{root: root, dir: dir, workers: ask.workers, w: w, tell: tell}
	if c, err := os.UserCacheDir(); err == nil && os.MkdirAll(filepath.Join(c, "tactus-mutants"), 0o700) == nil {
		s.cache = filepath.Join(c, "tactus-mutants")
	}
	var folders []string
	for _, p := range packages {
		if slices.ContainsFunc(taken, func(d drawn) bool { return d.pkg == p.folder }) {
			folders = append(folders, p.folder)
		}
	}
	if err := s.build(ctx, folders, ask.own); err != nil {
		return err
	}
	return s.report(ctx, ask, report{Seed: ask.seed, Unviable: unviable}, folders, all, taken, reasons, start)
}

// viable returns the first n mutants of each package that compile, in weaved source files.
func viable(
	ctx context.Context, w *weaver, packages []listed, all []drawn, n int, tell func(string, ...any),
) (taken []drawn, unviable int, err error) {
	unfit := make(map[string]bool)
	checked := make(map[string]bool) // outside of functions, compiled alone
	build := func(overlay string, patterns ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, "go", append([]string{"build", "-overlay", overlay}, patterns...)...)
		cmd.Dir = w.root
		return cmd.CombinedOutput()
	}
	for {
		taken = nil
		changes := make(map[int]change)
		count := make(map[string]int)
		for _, d := range all {
			if count[d.pkg] < n && !unfit[d.id] {
				count[d.pkg]++
				taken = append(taken, d)
				changes[len(taken)] = d.change
			}
		}
		if err := w.write(changes); err != nil {
			return nil, 0, err
		}
		before := len(unfit)
		var patterns []string
		for _, p := range packages {
			patterns = append(patterns, "./"+p.folder)
		}
		out, failed := build(w.overlay, patterns...)
		for _, m := range culprit.FindAllSubmatch(out, -1) {
			i, _ := strconv.Atoi(string(m[1]))
			unfit[taken[i-1].id] = true
		}
		if failed != nil && len(unfit) == before {
			return nil, 0, fmt.Errorf("woven: %w\n%s", failed, out)
		}
		for i, d := range taken {
			if w.holds[i+1] || checked[d.id] {
				continue
			}
			checked[d.id] = true
			overlay, err := d.overlay(w.root, w.dir, i+1)
			if err != nil {
				return nil, 0, err
			}
			if _, failed := build(overlay, "./"+d.pkg); failed != nil {
				unfit[d.id] = true
			}
		}
		if ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		if len(unfit) == before {
			tell("%d drawn of %d, %d outside of functions, %d did not compile", len(taken), len(all), len(checked), len(unfit))
			return taken, len(unfit), nil
		}
	}
}

// overlay writes an overlay with one mutant.
func (d drawn) overlay(root, dir string, n int) (string, error) {
	path := filepath.Join(root, d.file)
	src, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	file, overlay := filepath.Join(dir, fmt.Sprintf("alone%d.go", n)), filepath.Join(dir, fmt.Sprintf("alone%d.json", n))
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {path: file}})
	changed := slices.Concat(src[:d.at], []byte(d.to), src[d.at+len(d.from):])
	return overlay, errors.Join(err, os.WriteFile(file, changed, 0o600), os.WriteFile(overlay, replace, 0o600))
}

// judge runs the tests that reach a mutant. A mutant outside of functions counts as reached by all tests of its package and
// of the packages that depend on it.
func (s *suite) judge(ctx context.Context, n int, d drawn, hint string, budget time.Duration) (outcome, error) {
	var tests []*test
	held := s.w.holds[n]
	for _, b := range s.binaries {
		for _, t := range b.tests {
			if !t.Broken && (held && slices.Contains(t.Marks, n) || !held && b.deps[d.pkg]) {
				tests = append(tests, t)
			}
		}
	}
	if held {
		return s.try(ctx, n, d.pkg, tests, hint, budget, func(b *binary) (string, error) { return b.path, nil })
	}
	overlay, err := d.overlay(s.root, s.dir, n)
	if err != nil {
		return outcome{}, err
	}
	built := make(map[*binary]string)
	return s.try(ctx, 0, d.pkg, tests, hint, budget, func(b *binary) (string, error) {
		if built[b] == "" {
			built[b] = filepath.Join(s.dir, fmt.Sprintf("alone%d_%d.test", n, len(built)))
			alone := &weaver{root: s.root, overlay: overlay}
			if _, err := alone.compile(ctx, built[b], b.pkg); err != nil {
				return "", err
			}
		}
		return built[b], nil
	})
}

// hints returns the tests that noticed mutants in earlier runs, by identity. They only change the order of tests.
func (s *suite) hints() map[string]string {
	known := make(map[string]string)
	if text, err := os.ReadFile(filepath.Join(s.cache, "hints.json")); err == nil && s.cache != "" {
		_ = json.Unmarshal(text, &known)
	}
	return known
}

func (s *suite) remember(hints map[string]string) {
	if text, err := json.Marshal(hints); err == nil && s.cache != "" {
		_ = os.WriteFile(filepath.Join(s.cache, "hints.json"), text, 0o600)
	}
}
