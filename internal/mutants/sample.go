package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// sampling is what is asked of a sample.
type sampling struct {
	seed     uint64
	n        int
	budget   time.Duration
	own      bool
	workers  int
	json     string
	patterns []string
}

// sampled are the packages of a sample that names none.
var sampled = []string{"./codec/...", "./ecs/...", "./netsys/...", "./systems/..."}

// share is a line of the report. Those called equivalent are not run.
type share struct {
	Package    string `json:"package"`
	Mutants    int    `json:"mutants"`
	Drawn      int    `json:"drawn"`
	Killed     int    `json:"killed"`
	Alive      int    `json:"alive"`
	Equivalent int    `json:"equivalent"`
}

func (s share) percent() float64 {
	return 100 * float64(s.Killed) / float64(max(s.Drawn-s.Equivalent, 1))
}

// found is a mutant of the report.
type found struct {
	At      string `json:"at"`
	Kind    string `json:"kind"`
	Source  string `json:"source"`
	ID      string `json:"id"`
	By      string `json:"by,omitempty"` // the test that noticed
	Reached bool   `json:"reached"`
	LeftOut int    `json:"left_out,omitempty"` // tests not run, for the budget
}

// report is the whole answer.
type report struct {
	Seed     uint64  `json:"seed"`
	Shares   []share `json:"packages"`
	Alive    []found `json:"alive"`
	Killed   []found `json:"killed"`
	Spent    string  `json:"spent"`
	Unviable int     `json:"unviable"`
}

// sample draws mutants, runs the tests that reach them and reports.
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
	reasons, err := equivalents(filepath.Join(root, "internal/mutants/equivalent.txt"))
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

// report tries the mutants and reports, a package at a time.
func (s *suite) report(
	ctx context.Context, ask sampling, r report, folders []string, all, taken []drawn, reasons map[string]string, start time.Time,
) error {
	hints := s.hints()
	type answer struct {
		outcome
		err error
	}
	answers := make([]chan answer, len(taken))
	var queue []int
	for i := range answers {
		answers[i] = make(chan answer, 1)
	}
	for _, folder := range folders {
		for i, d := range taken {
			if d.pkg == folder && reasons[d.id] == "" {
				queue = append(queue, i)
			}
		}
	}
	before := maps.Clone(hints)
	next := make(chan int)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	for range max(s.workers, 1) {
		go func() {
			for i := range next {
				o, err := s.judge(ctx, i+1, taken[i], before[taken[i].id], ask.budget)
				answers[i] <- answer{o, err}
			}
		}()
	}
	go func() {
		defer close(next)
		for _, i := range queue {
			select {
			case next <- i:
			case <-ctx.Done():
				answers[i] <- answer{err: ctx.Err()}
			}
		}
	}()
	var tooMany error
	for _, folder := range folders {
		line := share{Package: folder}
		for _, d := range all {
			if d.pkg == folder {
				line.Mutants++
			}
		}
		for i, d := range taken {
			if d.pkg != folder {
				continue
			}
			line.Drawn++
			if reasons[d.id] != "" {
				line.Equivalent++
				continue
			}
			a := <-answers[i]
			if a.err != nil {
				return a.err
			}
			f := found{fmt.Sprintf("%s:%d:%d", d.file, d.line, d.column), d.kind, d.source, d.id, a.By, a.Reached, a.LeftOut}
			if a.Killed {
				line.Killed++
				r.Killed = append(r.Killed, f)
				hints[d.id] = a.By
			} else {
				line.Alive++
				r.Alive = append(r.Alive, f)
			}
		}
		s.tell("%s: %d drawn, %d killed, %d alive, %d equivalent, %.1f %%", folder, line.Drawn, line.Killed, line.Alive, line.Equivalent, line.percent())
		r.Shares = append(r.Shares, line)
		s.remember(hints)
		if 10*line.Equivalent > line.Drawn {
			tooMany = errors.Join(tooMany, fmt.Errorf("%s: %d of %d called equivalent; at most a tenth may be", folder, line.Equivalent, line.Drawn))
		}
		r.Spent = time.Since(start).Round(time.Second).String()
		if ask.json != "" {
			text, bad := json.MarshalIndent(r, "", "\t")
			if err := errors.Join(bad, os.WriteFile(ask.json, append(text, '\n'), 0o600)); err != nil {
				return err
			}
		}
	}
	r.print()
	return tooMany
}

// print writes the report to be read.
func (r *report) print() {
	for _, f := range r.Alive {
		why := "no test gets there"
		switch {
		case f.LeftOut > 0:
			why = fmt.Sprintf("%d tests left out", f.LeftOut)
		case f.Reached:
			why = "tests pass"
		}
		fmt.Printf("%s %s (%s): %s\n\t%s\n", f.At, f.Kind, why, f.Source, f.ID)
	}
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "package\tmutants\tdrawn\tkilled\talive\tequivalent\tshare\t")
	total := share{Package: "all"}
	for _, s := range r.Shares {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%.1f %%\t\n", s.Package, s.Mutants, s.Drawn, s.Killed, s.Alive, s.Equivalent, s.percent())
		total.Mutants += s.Mutants
		total.Drawn += s.Drawn
		total.Killed += s.Killed
		total.Alive += s.Alive
		total.Equivalent += s.Equivalent
	}
	fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%.1f %%\t\n", total.Package, total.Mutants, total.Drawn, total.Killed, total.Alive, total.Equivalent, total.percent())
	t.Flush()
	fmt.Printf("seed %d, %s; %d more did not compile and were drawn again\n", r.Seed, r.Spent, r.Unviable)
}

// equivalents reads the mutants that nobody can notice: a line with the identity, then
// the reason on indented lines.
func equivalents(file string) (map[string]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	reasons := make(map[string]string)
	id := ""
	for line := range strings.Lines(string(text)) {
		switch trimmed := strings.TrimSpace(line); {
		case trimmed == "" || strings.HasPrefix(line, "#"):
		case line[0] != '\t':
			if id != "" && reasons[id] == "" {
				return nil, fmt.Errorf("%s: no reason for %s", file, id)
			}
			id = trimmed
		case id == "":
			return nil, fmt.Errorf("%s: a reason for nothing: %s", file, trimmed)
		default:
			reasons[id] += trimmed + " "
		}
	}
	if id != "" && reasons[id] == "" {
		return nil, fmt.Errorf("%s: no reason for %s", file, id)
	}
	return reasons, nil
}

// viable takes the first n mutants of each package that compile, and weaves them.
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

// overlay puts one mutant alone in place.
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

// judge runs the tests that reach a mutant. One outside of functions is reached by all
// tests of its package and of those that depend on it.
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

// hints are the tests that noticed mutants before, by identity. They order tests and
// decide nothing.
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
