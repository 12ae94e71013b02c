package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// options are the values of the flags.
type options struct {
	clients, entities, npcs int
	ticks                   int
	seed                    uint64
	rows                    string
	json                    bool
}

// rowNames are all rows, in order.
var rowNames = []string{"clients", "arena", "entities", "cores"}

// wants reports whether a row is to be measured.
func (o *options) wants(row string) bool { return slices.Contains(strings.Split(o.rows, ","), row) }

// points is the number of measured sizes of a curve beside its base. Each size is twice the previous one.
const points = 4

// report has the results.
type report struct {
	Clients  *curve `json:"clients,omitempty"`
	Arena    *curve `json:"arena,omitempty"`
	Entities *curve `json:"entities,omitempty"`
	Cores    *cores `json:"cores,omitempty"`

	TwoWorkersRatio float64 `json:"two_workers_ratio,omitempty"`
	AllocsPerTick   float64 `json:"allocs_per_tick"`
}

const about = `Measures how the cost of a server's tick grows. Recorded packets are replayed into the server, without sockets
and without other load. Rows:

  clients    the number of clients grows. Each has a player. Entities of the server become fewer, so that the total stays
             the same and each client receives the same amount
  arena      the number of clients grows, with -npcs entities of the server. Each client receives all players, so bytes
             grow with the square
  entities   the number of entities of the server grows, with an eighth of -clients
  cores      -clients with 1, 2 and 4 workers

Fields of the first three rows:

  points          the cost of each size with one worker: cpu_us_per_tick, wall_us_per_tick, allocs_per_tick,
                  bytes_down_per_client_s, and hashes of the world and of all datagrams after the last tick
                  (allocations of the whole process; less than one in two ticks comes from the runtime and counts as 0)
  base            the cost without the growing part: no clients, or no entities of the server
  exponent        e of a·n^e, by least squares of the logarithms of cpu_us_per_tick minus the base
  plain_exponent  e of a·n^e, by least squares of the logarithms of cpu_us_per_tick

Fields of cores:

  exponent           e of a·n^e, by least squares of the logarithms of wall_us_per_tick, where n is the number of workers,
                     at most one for each processor: -1 is perfect
  two_workers_ratio  wall time of a tick with two workers divided by the time with one worker: median of rounds in which
                     both take turns. It is valid only with two or more idle processors
  same_hashes        worlds and datagrams were equal with 1, 2 and 4 workers

The object also has two_workers_ratio, and allocs_per_tick: the largest of all points.

Flags:

`

// parse parses the flags. It prints the error that it returns.
func parse(args []string, stderr io.Writer) (o options, err error) {
	flags := flag.NewFlagSet("scale", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&o.clients, "clients", 1000, fmt.Sprintf("largest number of clients; %d sizes, each half of the next", points))
	flags.IntVar(&o.entities, "entities", 3200, "largest number of entities of the server, with sizes like -clients")
	flags.IntVar(&o.npcs, "npcs", 200, "entities of the server in the rows clients, arena and cores")
	flags.IntVar(&o.ticks, "ticks", 240, fmt.Sprintf("measured ticks, after %d unmeasured ones", warmupTicks))
	flags.Uint64Var(&o.seed, "seed", 1, "`seed` of everything random")
	flags.StringVar(&o.rows, "rows", strings.Join(rowNames, ","), "rows to measure, separated by commas")
	flags.BoolVar(&o.json, "json", false, "print one JSON object instead of a table")
	flags.Usage = func() {
		fmt.Fprint(stderr, about)
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	switch {
	case flags.NArg() > 0:
		err = fmt.Errorf("no arguments but flags: %q", flags.Arg(0))
	case o.clients < 8 || o.clients > 10_000:
		err = fmt.Errorf("-clients %d: 8 to 10000 are allowed", o.clients)
	case o.entities < 8 || o.entities > 100_000:
		err = fmt.Errorf("-entities %d: 8 to 100000 are allowed", o.entities)
	case o.npcs < 1 || o.npcs > 100_000:
		err = fmt.Errorf("-npcs %d: 1 to 100000 are allowed", o.npcs)
	case o.ticks < 1 || o.ticks > 100_000:
		err = fmt.Errorf("-ticks %d: 1 to 100000 are allowed", o.ticks)
	}
	for name := range strings.SplitSeq(o.rows, ",") {
		if err == nil && !slices.Contains(rowNames, name) {
			err = fmt.Errorf("-rows %s: allowed are %s, separated by commas", o.rows, strings.Join(rowNames, ", "))
		}
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
	}
	return o, err
}

// run runs the command and returns its exit code.
func run(args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	r, err := measureAll(&o, stderr)
	if err == nil {
		if o.json {
			err = json.NewEncoder(stdout).Encode(r)
		} else {
			err = r.print(stdout)
		}
	}
	if err != nil {
		fmt.Fprintln(stderr, "scale:", err)
		return 1
	}
	return 0
}

// measureAll measures all rows.
func measureAll(o *options, progress io.Writer) (r *report, err error) {
	r = &report{}
	whole := o.clients + o.npcs
	clients, arena, entities := []point{{0, whole}}, []point{{0, o.npcs}}, []point{{o.clients / 8, 0}}
	for _, n := range halvings(o.clients, points) {
		clients = append(clients, point{n, whole - n})
		arena = append(arena, point{n, o.npcs})
	}
	for _, n := range halvings(o.entities, points) {
		entities = append(entities, point{o.clients / 8, n})
	}
	byClients := func(c cost) int { return c.Clients }
	for _, x := range []struct {
		to     **curve
		name   string
		size   func(cost) int
		points []point
	}{
		{&r.Clients, "clients", byClients, clients},
		{&r.Arena, "arena", byClients, arena},
		{&r.Entities, "entities", func(c cost) int { return c.Entities - c.Clients }, entities},
	} {
		if !o.wants(x.name) {
			continue
		}
		if *x.to, err = measure(o, progress, x.name, x.size, x.points); err != nil {
			return nil, err
		}
	}
	if o.wants("cores") {
		if r.Cores, err = measureCores(o, progress, point{o.clients, o.npcs}); err != nil {
			return nil, err
		}
		r.TwoWorkersRatio = r.Cores.TwoWorkersRatio
	}
	for _, c := range r.curves() {
		for _, p := range append(c.Points, c.Base) {
			r.AllocsPerTick = max(r.AllocsPerTick, *p.AllocsPerTick)
		}
	}
	return r, nil
}

// curves yields the measured curves with their names.
func (r *report) curves() iter.Seq2[string, *curve] {
	return func(yield func(string, *curve) bool) {
		for i, c := range []*curve{r.Clients, r.Arena, r.Entities} {
			if c != nil && !yield(rowNames[i], c) {
				return
			}
		}
	}
}

// print writes the report as a table.
func (r *report) print(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "ROW\tclients\tentities\tworkers\tµs CPU/tick\tµs/tick\tallocs/tick\tB/s down each\t")
	line := func(name string, c cost) {
		allocs := "-"
		if c.AllocsPerTick != nil {
			allocs = fmt.Sprintf("%.2f", *c.AllocsPerTick)
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%.0f\t%.0f\t%s\t%.0f\t\n", name, c.Clients, c.Entities, c.Workers, c.CPU, c.Wall, allocs, c.BytesPerS)
	}
	for name, x := range r.curves() {
		line(name, x.Base)
		for _, c := range x.Points {
			line("", c)
		}
		fmt.Fprintf(t, "exponent %.3f\tplain %.3f\t\t\t\t\t\t\t\n", round(x.Exponent), round(x.Plain))
	}
	if r.Cores != nil {
		for i, c := range r.Cores.Points {
			line([]string{"cores", "", ""}[i], c)
		}
		fmt.Fprintf(t, "exponent %.3f\ttwo workers %.3f\tsame %v\t\t\t\t\t\t\n", round(r.Cores.Exponent), round(r.TwoWorkersRatio), r.Cores.SameHashes)
	}
	return t.Flush()
}

func round(v float64) float64 { return math.Round(v*1000) / 1000 }
