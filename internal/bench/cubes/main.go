package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/tactusgo/tactus/codec/delta"
	"github.com/tactusgo/tactus/internal/train"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

const about = `Measures snapshots of a recorded world of rigid bodies. An acknowledgement takes
six frames. Without loss, the baselines of frame i are frames i−6 and i−7.

Figures of each variant:

  frames           number of frames sent
  bytes_per_frame  mean length of the body of the block with all cubes
  encode_us        mean time to encode a frame, in microseconds, without capturing
                   and training: for each frame the fastest of all rounds
  decode_us        the same for decoding
  encode_allocs    allocations per encoded frame
  exact            whether all words of all decoded frames equal the captured ones

recaptured is the number of cubes in all frames of -score whose captured words differ
from the file: if the two largest components of a quaternion are nearly equal, the
capture may leave out the other component.

Variants:

`

func usage(flags *flag.FlagSet) {
	w := flags.Output()
	fmt.Fprint(w, about)
	for _, v := range variants {
		name := v.name
		if name == "" {
			name = "(default)"
		}
		fmt.Fprintf(w, "  %-10s  %s\n", name, v.about)
	}
	fmt.Fprint(w, "\nFiles are little-endian int32, eight for a cube (largest a b c x y z interacting),\nframe after frame, compressed with zstd.\n\nFlags:\n\n")
	flags.PrintDefaults()
}

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("cubes", flag.ContinueOnError)
	flags.SetOutput(stderr)
	trainOn := flags.String("train", "", "`file` with the trace for training the prior; none: use the built-in prior")
	scoreOn := flags.String("score", "", "`file` with the trace to measure")
	cubes := flags.Int("cubes", 901, "cubes in a frame")
	rounds := flags.Int("rounds", 3, "measurements of each variant")
	asJSON := flags.Bool("json", false, "print one JSON object instead of a table")
	flags.Usage = func() { usage(flags) }
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	case flags.NArg() > 0 || *rounds < 1 || *cubes < 1 || *scoreOn == "":
		fmt.Fprintln(stderr, "no arguments but flags, -score is needed, and at least one round and one cube; see -h")
		return 2
	}
	results, err := measureAll(*trainOn, *scoreOn, *cubes, *rounds, stderr)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	if *asJSON {
		err = printJSON(stdout, results)
	} else {
		err = printTable(stdout, results, *cubes)
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

// measureAll measures all variants.
func measureAll(trainOn, scoreOn string, cubes, rounds int, progress io.Writer) ([]result, error) {
	score, err := readTrace(scoreOn, cubes)
	if err != nil {
		return nil, err
	}
	priors := map[bool]*delta.Prior{} // by whether cubes have parents
	if trainOn != "" {
		t, err := readTrace(trainOn, cubes)
		if err != nil {
			return nil, err
		}
		for _, parent := range []bool{true, false} {
			fmt.Fprintf(progress, "training on %d frames, parents %t\n", t.frames(), parent)
			priors[parent] = trainPrior(t, parent)
		}
	}
	results := make([]result, len(variants))
	for i, v := range variants {
		fmt.Fprintf(progress, "measuring %s\n", v.title())
		var prior *delta.Prior
		if v.prior {
			prior = priors[v.parent]
		}
		m := delta.NewModel(newStage(score, v.parent).layout, prior)
		if results[i], err = measure(v, score, m, rounds); err != nil {
			return nil, fmt.Errorf("%s: %w", v.title(), err)
		}
	}
	return results, nil
}

// trainPrior trains a prior on every other frame of a trace, with the newest baselines.
// For some frames it also uses the baselines that remain when packets are lost.
func trainPrior(t *trace, parent bool) *delta.Prior {
	const late = 8 // age of the baseline after a lost packet, in frames
	l := newLink(variant{parent: parent}, t, nil)
	trainer := train.NewTrainer(l.stage.layout)
	for i := range t.frames() {
		f := l.stage.step()
		if i > delay && i%2 == 0 {
			l.prepare(f.Groups, l.frame(i-delay), l.frame(i-delay-1))
			trainer.Add(l.parts)
			if i%8 == 0 && i > late {
				l.prepare(f.Groups, l.frame(i-late), l.frame(i-late-1))
				trainer.Add(l.parts)
				l.prepare(f.Groups, l.frame(i-delay), nil)
				trainer.Add(l.parts)
			}
		}
	}
	return trainer.Prior()
}

func (v *variant) title() string {
	if v.name == "" {
		return "default"
	}
	return v.name
}

func printJSON(w io.Writer, results []result) error {
	type report struct {
		result
		Recaptured int     `json:"recaptured"`
		ZstdOnly   *result `json:"zstd_only"`
		NoParent   *result `json:"no_parent"`
		Untrained  *result `json:"untrained"`
		Lossy      *result `json:"lossy"`
	}
	return json.NewEncoder(w).Encode(report{results[0], results[0].differ, &results[1], &results[2], &results[3], &results[4]})
}

func printTable(w io.Writer, results []result, cubes int) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "VARIANT\tFRAMES\tBYTES\tENCODE µs\tDECODE µs\tALLOCS\tEXACT\t")
	for i, r := range results {
		fmt.Fprintf(t, "%s\t%d\t%.1f\t%.1f\t%.1f\t%g\t%t\t\n", variants[i].title(), r.Frames, r.BytesPerFrame, r.EncodeUs, r.DecodeUs, r.EncodeAllocs, r.Exact)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "cubes whose captured words differ from the trace: %d of %d\n", results[0].differ, (results[0].Frames+delay)*cubes)
	return err
}
