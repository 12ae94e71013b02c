package main

import (
	"fmt"
	"io"
	"os"

	"github.com/tactusgo/tactus/internal/bench/ratio"
)

// defaultRounds takes about ten seconds. The medians differ little between runs.
const defaultRounds = 10_000

const about = `Measures re-simulation beside plain code.`

var figures = []ratio.Figure{
	{
		Name: "resim_vs_steps", Most: 1.5, Measure: func(rounds int) (float64, string) { return resimVsSteps(rounds, newClient) },
		About: "History.Restore, then ten times Simulate with rows of ecs.Each and History.Capture, over 1,000 predicted entities with three components, against the same ten steps on slices and ten copies of the state",
	},
	{
		Name: "rollback_vs_steps", Most: 1.6, Measure: func(rounds int) (float64, string) { return resimVsSteps(rounds, newWhole) },
		About: "the same on a peer that simulates all of the world, with a WorldHistory",
	},
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	return ratio.Main("resim", about, defaultRounds, figures, args, stdout, stderr)
}

// resimVsSteps returns the ratio of the times of a side and of the plain code.
func resimVsSteps(rounds int, newSide func() *side) (float64, string) {
	m := ratio.Placed(rounds, func() []func() {
		ours, theirs := newSide(), newPlain()
		ours.resimulate()
		theirs.resimulate()
		if !ours.equals(theirs) {
			panic("the two sides do not compute the same")
		}
		return []func(){ours.resimulate, theirs.resimulate}
	})
	return m[0] / m[1], fmt.Sprintf("%.1f µs against %.1f for %d ticks of %d entities", m[0]/1000, m[1]/1000, ticks, entities)
}
