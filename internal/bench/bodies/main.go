package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/tactusgo/tactus/examples/bodies/scene"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// options holds the flags.
type options struct {
	bodies, seconds int
	seed            uint64
	json            bool
}

const about = `Measures the bytes of 250 colliding asteroids for one client, in virtual time: round trips of 0 and 50 ms, and 0, 2
and 5 % of the datagrams lost in each direction. Figures in the table, with their names in JSON:

  down_kb_s            kB (1000 bytes) a second from the server to the client, with UDP and IP headers
  up_kb_s              the same from the client to the server
  datagrams_s          datagrams a second from the server
  goodput_kb_s         snapshots without headers of UDP, IP, encryption and session
  position_error       difference of a received coordinate from the server's at the same tick: max and mean, in units
  rotation_error       the same of a component of the quaternion
  parts                kB a second of each part of down_kb_s. The split between presence and the fields is measured in an
                       eighth of the snapshots. Presence is the sets of entities and of changed slots.

The exit code is 1 if an error is larger than the precision of the scene, 0.01 and 0.001.

Flags:

`

// parse reads the flags.
func parse(args []string, help io.Writer) (o options, err error) {
	flags := flag.NewFlagSet("bodies", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.IntVar(&o.bodies, "bodies", 250, "number of asteroids")
	flags.IntVar(&o.seconds, "seconds", 120, fmt.Sprintf("duration of each measurement, after a warm-up of %d s", warmup))
	flags.Uint64Var(&o.seed, "seed", 1, "seed of the scene and of the lost datagrams")
	flags.BoolVar(&o.json, "json", false, "print one JSON object instead of a table")
	switch err = flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(help, about)
		flags.SetOutput(help)
		flags.PrintDefaults()
	case err != nil:
		err = fmt.Errorf("%w; -h lists the flags", err)
	case flags.NArg() > 0:
		err = fmt.Errorf("%q: only flags are allowed", flags.Arg(0))
	case o.bodies < 1 || o.bodies > 1000:
		err = fmt.Errorf("-bodies %d: 1 to 1000 are allowed", o.bodies)
	case o.seconds < 1 || o.seconds > 3600:
		err = fmt.Errorf("-seconds %d: 1 to 3600 are allowed", o.seconds)
	}
	return o, err
}

// run runs the program and returns its exit code.
func run(args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(stderr, "bodies:", err)
		return 2
	}
	r := report{Bodies: o.bodies, Ticks: scene.TickRate, Sends: scene.SendRate, Seconds: o.seconds, Seed: o.seed}
	for _, rtt := range []time.Duration{0, 50 * time.Millisecond} {
		for _, loss := range []float64{0, 0.02, 0.05} {
			x, err := measure(o, rtt, loss)
			if err != nil {
				fmt.Fprintf(stderr, "bodies: round trip %v, loss %v: %v\n", rtt, loss, err)
				return 1
			}
			r.Rows = append(r.Rows, x)
		}
	}
	write := r.print
	if o.json {
		write = func(out io.Writer) error { return json.NewEncoder(out).Encode(r) }
	}
	if err := write(stdout); err != nil {
		fmt.Fprintln(stderr, "bodies:", err)
		return 1
	}
	return 0
}

// report is the output of -json.
type report struct {
	Bodies  int    `json:"bodies"`
	Ticks   int    `json:"ticks_s"`
	Sends   int    `json:"sends_s"`
	Seconds int    `json:"seconds"`
	Seed    uint64 `json:"seed"`
	Rows    []row  `json:"rows"`
}

// print writes the table, with a column for each row of the report.
func (r *report) print(out io.Writer) error {
	fmt.Fprintf(out, "%d bodies, %d ticks and %d sends a second, %d s, seed %d\n", r.Bodies, r.Ticks, r.Sends, r.Seconds, r.Seed)
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	line := func(name, format string, figure func(row) any) {
		fmt.Fprint(t, name, "\t")
		for _, x := range r.Rows {
			fmt.Fprintf(t, format+"\t", figure(x))
		}
		fmt.Fprintln(t)
	}
	line("round trip", "%v ms", func(x row) any { return x.RTT })
	line("loss", "%v %%", func(x row) any { return 100 * x.Loss })
	line("kB/s down", "%.2f", func(x row) any { return x.Down })
	line("kB/s up", "%.2f", func(x row) any { return x.Up })
	line("datagrams/s", "%.1f", func(x row) any { return x.Datagrams })
	line("kB/s goodput", "%.2f", func(x row) any { return x.Goodput })
	line("position error, max", "%.5f", func(x row) any { return x.Position.Max })
	line("mean", "%.5f", func(x row) any { return x.Position.Mean })
	line("rotation error, max", "%.6f", func(x row) any { return x.Rotation.Max })
	line("mean", "%.6f", func(x row) any { return x.Rotation.Mean })
	for i, p := range r.Rows[0].Parts {
		if !slices.ContainsFunc(r.Rows, func(x row) bool { return x.Parts[i].Rate >= 0.0005 }) {
			continue // components that no body has, or that do not change
		}
		line("kB/s "+p.Name, "%.3f", func(x row) any { return x.Parts[i].Rate })
	}
	return t.Flush()
}
