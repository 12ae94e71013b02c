package swarm

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// table is the live table with one row per second.
type table struct {
	out  io.Writer
	rows int
}

// headerEvery is the number of rows between two headers.
const headerEvery = 20

// row prints the current figures: since the start, or since the end of the warm-up.
func (t *table) row(phase string, r *Report) {
	if t.rows++; t.rows%headerEvery == 1 {
		fmt.Fprintf(t.out, "%-9s %6s %7s %7s %6s │ %8s %9s %7s │ %11s %11s │ %7s │ %5s %5s\n",
			"", "s", "in", "refused", "lost", "inputs/s", "updates/s", "B/s", "input→p50", "p99 ms", "rtt p50", "busy", "late")
	}
	fmt.Fprintf(t.out, "%-9s %6.1f %7d %7d %6d │ %8.1f %9.1f %7.0f │ %11.1f %11.1f │ %7.1f │ %4.0f%% %4.1f%%\n",
		phase, r.Seconds, r.Connected, r.Refused, r.Lost, r.InputsPerS, r.UpdatesPerS, r.BytesDownPerS,
		r.Latency.P50, r.Latency.P99, r.RoundTrip.P50, 100*r.Busy, 100*r.LateSteps)
}

// Print writes the report as text.
func (r *Report) Print(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(name, value, about string) { fmt.Fprintf(t, "%s\t%s\t%s\n", name, value, about) }
	latency := func(l Latency) string { return fmt.Sprintf("%.1f  %.1f  %.1f  %.1f ms", l.P50, l.P95, l.P99, l.Max) }
	row("clients in", fmt.Sprintf("%d of %d", r.Connected, r.Clients), fmt.Sprintf("%d refused, %d lost", r.Refused, r.Lost))
	for _, why := range sorted(r.Reasons) {
		row("", fmt.Sprint(r.Reasons[why]), why)
	}
	r.Rooms.print(row)
	row("measured", fmt.Sprintf("%.1f s", r.Seconds), "rates are per client and second")
	row("inputs up", fmt.Sprintf("%.1f", r.InputsPerS), fmt.Sprintf("in %.1f datagrams, %.0f bytes", r.DatagramsUpPerS, r.BytesUpPerS))
	row("updates down", fmt.Sprintf("%.1f", r.UpdatesPerS), fmt.Sprintf("in %.1f datagrams, %.0f bytes; an update has %.0f bytes", r.DatagramsDownPerS, r.BytesDownPerS, r.BytesPerUpdate))
	row("input to snapshot", latency(r.Latency), "p50, p95, p99, longest: from creating an input to a snapshot with its effect")
	row("round trip", latency(r.RoundTrip), "p50, p95, p99, longest: of the link alone")
	row("loss", fmt.Sprintf("%.2f %% down, %.2f %% up", 100*r.LossDown, 100*r.LossUp), "")
	row("verified", fmt.Sprintf("%d decoded", r.Decoded), fmt.Sprintf("%d without baseline; %d of %d entities differ; %d malformed; %d blocks opened by blind clients, %d distinct", r.Renewals, r.Different, r.Compared, r.Malformed, r.Blocks, r.Distinct))
	row("this machine", fmt.Sprintf("%.0f %% busy", 100*r.Busy), fmt.Sprintf("%.1f %% of steps late, %d sockets, %d datagrams lost on arrival, %d not sent", 100*r.LateSteps, r.Sockets, r.Dropped, r.Unsent))
	if r.Limit != "" {
		row("LIMIT", r.Limit, "")
	}
	return t.Flush()
}

// shownRooms is the number of rooms printed individually.
const shownRooms = 20

// print writes the result of the rooms.
func (r *InRooms) print(row func(name, value, about string)) {
	if r == nil {
		return
	}
	row("rooms filled", fmt.Sprintf("%d of %d", r.Filled, r.Wanted), fmt.Sprintf("%d made; %d joins, %d refusals", r.Made, r.Joins, r.Refusals))
	for _, code := range sorted(r.Reasons) {
		row("", fmt.Sprint(r.Reasons[code]), code)
	}
	for _, x := range r.Rooms[:min(len(r.Rooms), shownRooms)] {
		if x.ID == "" {
			row("", "no room", fmt.Sprintf("%d refusals", x.Refusals))
			continue
		}
		row("", "room "+x.ID, fmt.Sprintf("code %s: %d joins, %d refusals", x.Code, x.Joins, x.Refusals))
	}
	if more := len(r.Rooms) - shownRooms; more > 0 {
		row("", fmt.Sprintf("and %d more", more), "-json has all")
	}
}

// sorted returns the reasons by frequency, highest first.
func sorted(reasons map[string]int) (all []string) {
	for why := range reasons {
		all = append(all, why)
	}
	slices.SortFunc(all, func(a, b string) int {
		if d := reasons[b] - reasons[a]; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	return all
}
