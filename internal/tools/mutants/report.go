package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"text/tabwriter"
	"time"
)

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
	By      string `json:"by,omitempty"` // the test that failed
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
		r.Spent = time.Since(start).Round(time.Second).String()
		if ask.json != "" {
			text, bad := json.MarshalIndent(r, "", "\t")
			if err := errors.Join(bad, os.WriteFile(ask.json, append(text, '\n'), 0o600)); err != nil {
				return err
			}
		}
	}
	if total := r.print(); 10*total.Equivalent > total.Drawn {
		return fmt.Errorf("%d of %d mutants are listed as equivalent, more than a tenth: write tests for some", total.Equivalent, total.Drawn)
	}
	return nil
}

// print writes the report to be read, and returns the sum of all packages.
func (r *report) print() share {
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
	return total
}

// equivalents reads the list of mutants that no test can notice: a line with the identity, then the reason on indented
// lines.
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
