package main

import (
	"fmt"
	"io"
	"os"

	"github.com/tactusgo/tactus/internal/bench/ratio"
)

// defaultRounds takes less than half a minute. The medians differ little between runs.
const defaultRounds = 2000

const about = `Measures package ecs and the kernels of codec/schema beside plain code.`

var figures = []ratio.Figure{
	{
		Name: "each_vs_slices", Most: 2.2, Measure: eachVsSlices,
		About: "rows of ecs.Each against plain slices: 10,000 entities, two components, the worse of 1 and 16 archetypes",
	},
	{
		Name: "arche_vs_slices", Least: 3, Measure: archeVsSlices,
		About: "arche's own generic query against plain slices: the same entities, 1 archetype",
	},
	{
		Name: "capture_vs_memcpy", Most: 1.3, Measure: captureVsMemcpy,
		About: "ecs.History.Capture against copy into a ring: 1,000 entities of 40 bytes, 64 captures",
	},
	{
		Name: "restore_vs_memcpy", Most: 1.3, Measure: restoreVsMemcpy,
		About: "ecs.History.Restore against copy out of that ring",
	},
	{
		Name: "world_capture_vs_memcpy", Most: 1.5, Measure: worldCaptureVsMemcpy,
		About: "ecs.WorldHistory.Capture against the same copy: it includes NetIDs and the rest of the world's state",
	},
	{
		Name: "world_restore_vs_memcpy", Most: 1.5, Measure: worldRestoreVsMemcpy,
		About: "ecs.WorldHistory.Restore against copy out of that ring, without spawned or despawned entities",
	},
	{
		Name: "world_rebuild_vs_memcpy", Most: 10, Measure: rebuildVsMemcpy,
		About: "the same with 100 of the 1,000 entities replaced at every tick",
	},
	{
		Name: "quantize_vs_hand", Most: 1.6, Measure: quantizeVsHand,
		About: "schema.Table.Quantize against code written for the struct: 1,000 components of two floats, an angle and a bool",
	},
	{
		Name: "spawn_vs_arche", Most: 3, Measure: spawnVsArche,
		About: "ecs.Spawn and World.Despawn against raw arche with the same two components: 1,000 entities alive, the worse of at once and in a system, where changes wait for its end",
	},
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	return ratio.Main("ecs", about, defaultRounds, figures, args, stdout, stderr)
}

// compare returns the ratio of two times for n things, and a text with the times for one thing.
func compare(ours, theirs float64, n int, thing string) (float64, string) {
	return ours / theirs, fmt.Sprintf("%.2f ns/%s against %.2f", ours/float64(n), thing, theirs/float64(n))
}
