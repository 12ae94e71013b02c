package ratio

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"text/tabwriter"
)

// Figure is a number that a program measures.
type Figure struct {
	// Name is the key in the JSON object.
	Name string
	// About describes the comparison, for -h.
	About string
	// Most and Least are the upper and lower bound of the target; 0 means no bound.
	Most, Least float64
	// Measure measures the figure in the given number of rounds, and explains it in absolute terms, such as "61 ns against
	// 40 ns".
	Measure func(rounds int) (value float64, absolute string)
}

// Main runs a program that measures figures and returns its exit code: 0, or 2 for invalid arguments. A missed target is
// not an error, because machines differ.
func Main(program, about string, rounds int, figures []Figure, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet(program, flag.ContinueOnError)
	flags.SetOutput(stderr)
	asJSON := flags.Bool("json", false, "print one JSON object instead of a table")
	flags.IntVar(&rounds, "rounds", rounds, "how often the sides of a figure take turns")
	flags.Usage = func() { usage(flags, about, figures) }
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case flags.NArg() > 0 || rounds < 1:
		fmt.Fprintln(stderr, "no arguments but flags, and at least one round; see -h")
		return 2
	}
	values := make(map[string]float64, len(figures))
	table := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "FIGURE\tVALUE\tTARGET\tFROM")
	for _, f := range figures {
		fmt.Fprintf(stderr, "measuring %s\n", f.Name)
		value, absolute := f.Measure(rounds)
		values[f.Name] = math.Round(value*1000) / 1000
		fmt.Fprintf(table, "%s\t%.2f\t%s\t%s\n", f.Name, value, f.target(), absolute)
		fmt.Fprintf(stderr, "%s %.2f (%s)\n", f.Name, value, absolute)
	}
	if !*asJSON {
		table.Flush()
		return 0
	}
	if err := json.NewEncoder(stdout).Encode(values); err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

func (f Figure) target() string {
	if f.Least > 0 {
		return fmt.Sprintf("≥ %g", f.Least)
	}
	return fmt.Sprintf("≤ %g", f.Most)
}

func usage(flags *flag.FlagSet, about string, figures []Figure) {
	w := flags.Output()
	fmt.Fprintf(w, "%s\n\nFigures, each a ratio of medians of interleaved runs:\n\n", about)
	for _, f := range figures {
		fmt.Fprintf(w, "  %s (%s)\n        %s\n", f.Name, f.target(), f.About)
	}
	fmt.Fprintf(w, "\nFlags:\n\n")
	flags.PrintDefaults()
}
