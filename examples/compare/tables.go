package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/tactusgo/tactus/examples/compare/trial"
)

// tabulate writes results as tables, each with a caption.
func tabulate(out io.Writer, r trial.Results) error {
	t := &tables{out: out}
	t.start("One change of each input", "ticks simulated again, in all",
		"Under rollback every peer that guessed another input simulates again. Under LocalSync no peer does.")
	t.peers(r.Latencies, row{"rollback", r.Isolated.Rollback}, row{"LocalSync", r.Isolated.LocalSync})

	t.start("Inputs change in every tick", "ticks simulated again, for each tick",
		"One pass simulates all late inputs again, from the oldest of them.")
	t.peers(r.Latencies, row{"rollback, merged", r.Steady.Rollback}, row{"LocalSync", r.Steady.LocalSync})

	t.start("The presets on identical links", "99 of 100 errors are below these units; a player walks 2 in a tick",
		"No model is best in every column.")
	t.line("", "corrections", "error", "own", "others", "own delay", "seen after", "server", "clients", "down", "up",
		"kills", "withdrawn")
	t.line("", "", "units", "units", "units", "ms", "ms", "ticks again", "ticks again", "B/s each", "B/s each", "", "")
	for _, p := range r.Presets {
		t.line(p.Preset, p.Corrections, tenth(p.VisualError), tenth(p.OwnError), tenth(p.OthersError),
			whole(p.InputDelay), whole(p.SeenDelay), p.Server, p.Resimulated-p.Server, whole(p.Down), whole(p.Up),
			p.Kills, p.Withdrawn)
	}

	t.flush()
	return t.err
}

// tables writes tables to out.
type tables struct {
	out io.Writer
	tab *tabwriter.Writer
	err error
}

// row is a line of a table with a column for each peer.
type row struct {
	name  string
	peers trial.Peers
}

func (t *tables) printf(format string, a ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.out, format, a...)
	}
}

func (t *tables) flush() {
	if t.tab != nil && t.err == nil {
		t.err = t.tab.Flush()
	}
}

// start ends the previous table and prints the head of the next one.
func (t *tables) start(title, unit, caption string) {
	if t.flush(); t.tab != nil {
		t.printf("\n")
	}
	t.printf("%s (%s)\n%s\n\n", title, unit, caption)
	t.tab = tabwriter.NewWriter(t.out, 0, 0, 2, ' ', tabwriter.AlignRight)
}

func (t *tables) line(name string, cells ...any) {
	if t.err != nil {
		return
	}
	var b strings.Builder
	for _, c := range append([]any{name}, cells...) {
		if f, ok := c.(float64); ok {
			c = strconv.FormatFloat(f, 'f', -1, 64)
		}
		_, _ = fmt.Fprintf(&b, "%v\t", c)
	}
	_, t.err = fmt.Fprintln(t.tab, b.String())
}

func (t *tables) peers(latencies []int, rows ...row) {
	head := []any{"server"}
	for i, l := range latencies {
		head = append(head, fmt.Sprintf("p%d (%d)", i+1, l))
	}
	t.line("", append(head, "all")...)
	for _, r := range rows {
		cells := []any{r.peers.Server}
		for _, v := range r.peers.Players {
			cells = append(cells, v)
		}
		t.line(r.name, append(cells, short(r.peers.Total()))...)
	}
}

func short(v float64) string { return strconv.FormatFloat(v, 'f', 2, 64) }
func tenth(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }
func whole(v float64) string { return strconv.FormatFloat(v, 'f', 0, 64) }
