package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"text/tabwriter"
)

func main() {
	if code, ok := serveApart(); ok {
		os.Exit(code)
	}
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run runs the program and returns its exit code.
func run(args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 2
	}
	if o.transport == "" {
		err = show(measure(o, stderr))(&o, stdout)
	} else {
		err = show(playSockets(o, measureSockets, stderr))(&o, stdout)
	}
	if err != nil {
		fmt.Fprintln(stderr, err)
		return 1
	}
	return 0
}

// show prints a report in the requested form, unless there was an error.
func show(r interface{ print(io.Writer) error }, err error) func(o *options, stdout io.Writer) error {
	return func(o *options, stdout io.Writer) error {
		switch {
		case err != nil:
			return err
		case o.json:
			return json.NewEncoder(stdout).Encode(r)
		}
		return r.print(stdout)
	}
}

// report is the result of a match in virtual time.
type report struct {
	BytesPerUpdate         float64 `json:"bytes_per_update"`
	BytesP95               int     `json:"bytes_p95"`
	DatagramsMax           int     `json:"datagrams_max"`
	BytesUpPerClientS      float64 `json:"bytes_up_per_client_s"`
	EncodeUsPerUpdate      float64 `json:"encode_us_per_update"`
	DistinctEncodesPerTick float64 `json:"distinct_encodes_per_tick"`
	ExtraClientVsEncode    float64 `json:"extra_client_vs_encode"`
	MaxError               float64 `json:"max_error"`
	Exact                  bool    `json:"exact"`
	ZstdShare              float64 `json:"zstd_share"`
	RangeShare             float64 `json:"range_share"`
	NPCUnitsTravelled      float64 `json:"npc_units_travelled"`
	ChangesPerS            float64 `json:"changes_per_s"`
	Updates                uint64  `json:"updates"`
	Compared               uint64  `json:"compared"`
	Difference             string  `json:"difference,omitempty"`
}

// figures explain the report.
var figures = []struct {
	name, about string
	of          func(*report) string
}{
	{"bytes_per_update", "snapshot message with its own header, mean; session and channel headers not counted", func(r *report) string { return number(r.BytesPerUpdate) }},
	{"bytes_p95", "the same, 95th percentile", func(r *report) string { return fmt.Sprint(r.BytesP95) }},
	{"datagrams_max", "most datagrams of one snapshot", func(r *report) string { return fmt.Sprint(r.DatagramsMax) }},
	{"bytes_up_per_client_s", "input messages, counted likewise", func(r *report) string { return number(r.BytesUpPerClientS) }},
	{"encode_us_per_update", "time of the Snapshot system at a send, capture included, median, by client", func(r *report) string { return number(r.EncodeUsPerUpdate) }},
	{"distinct_encodes_per_tick", "entities encoded by send, by entities in the world; own state not counted", func(r *report) string { return number(r.DistinctEncodesPerTick) }},
	{"extra_client_vs_encode", "time for one client more on a shared baseline, by that for one encode of the world", func(r *report) string { return number(r.ExtraClientVsEncode) }},
	{"max_error", "farthest that a position on a client was from the truth of its tick, by axis, in units", func(r *report) string { return number(r.MaxError) }},
	{"exact", "every client's state equalled the server's captured one, field by field, after every update", func(r *report) string { return fmt.Sprint(r.Exact) }},
	{"zstd_share, range_share", "bytes of snapshot blocks by coder; the rest is raw", func(r *report) string { return number(r.ZstdShare) + ", " + number(r.RangeShare) }},
	{"npc_units_travelled", "distance that all NPCs walked", func(r *report) string { return number(r.NPCUnitsTravelled) }},
	{"changes_per_s", "times a second that an entity's velocity, heading or health changed otherwise than by going on", func(r *report) string { return number(r.ChangesPerS) }},
	{"updates, compared", "snapshots measured; states of clients compared with the server's", func(r *report) string { return fmt.Sprintf("%d, %d", r.Updates, r.Compared) }},
}

func number(v float64) string { return fmt.Sprint(math.Round(v*1e4) / 1e4) }

// print writes the report as text.
func (r *report) print(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, f := range figures {
		fmt.Fprintf(t, "%s\t%s\t%s\n", f.name, f.of(r), f.about)
	}
	if r.Difference != "" {
		fmt.Fprintf(t, "difference\t%s\t\n", r.Difference)
	}
	return t.Flush()
}
