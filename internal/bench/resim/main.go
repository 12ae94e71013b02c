package main

import (
	"fmt"
	"io"
	"os"

	"github.com/tactusgo/tactus/internal/bench/ratio"
)

// defaultRounds gives medians that differ little from run to run, in some ten
// seconds.
const defaultRounds = 10_000

const about = `Measures re-simulation in a client's world beside plain code.`

var figures = []ratio.Figure{{
	Name: "resim_vs_steps", Most: 1.5, Measure: resimVsSteps,
	About: "History.Restore, then ten times Simulate with rows of ecs.Each and History.Capture, over 1,000 predicted entities with three components, against the same ten steps on slices and ten copies of the state",
}}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	return ratio.Main("resim", about, defaultRounds, figures, args, stdout, stderr)
}

func resimVsSteps(rounds int) (float64, string) {
	m := ratio.Placed(rounds, func() []func() {
		ours, theirs := newClient(), newPlain()
		ours.resimulate()
		theirs.resimulate()
		if !ours.equals(theirs) {
			panic("the two sides do not compute the same")
		}
		return []func(){ours.resimulate, theirs.resimulate}
	})
	return m[0] / m[1], fmt.Sprintf("%.1f µs against %.1f for %d ticks of %d entities", m[0]/1000, m[1]/1000, ticks, entities)
}
