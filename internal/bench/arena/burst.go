package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// recovery is how long a server is observed after a burst.
const recovery = 5 * time.Second

// stepAt is a change of the overload step, in seconds and ticks since the start of the burst.
type stepAt struct {
	Seconds float64 `json:"s"`
	Tick    uint32  `json:"tick"`
	Step    int     `json:"step"`
	GivesUp string  `json:"gives_up"`
}

// burstReport is the result of a burst.
type burstReport struct {
	Seconds           float64        `json:"seconds"`
	RestPct           float64        `json:"rest_pct"`
	Factor            float64        `json:"factor"`
	SnapshotUs        float64        `json:"snapshot_us"`
	TicksPct          float64        `json:"ticks_pct"`
	TicksDropped      uint64         `json:"ticks_dropped"`
	UpdatesPerClientS float64        `json:"updates_per_client_s"`
	InputsConsumedPct float64        `json:"inputs_consumed_pct"`
	InputsOfTicksPct  float64        `json:"inputs_of_ticks_pct"`
	MessagesSent      uint64         `json:"messages_sent"`
	MessagesComplete  uint64         `json:"messages_complete"`
	Disconnected      int            `json:"disconnected"`
	Reasons           map[string]int `json:"reasons,omitempty"`
	Different         uint64         `json:"different"`
	Steps             []stepAt       `json:"steps"`
	RecoveryTicks     int            `json:"recovery_ticks"`
}

// burstFigures explain the report.
var burstFigures = []struct {
	name, about string
	of          func(*burstReport) string
}{
	{"seconds", "how long the burst was", func(r *burstReport) string { return number(r.Seconds) }},
	{"rest_pct, factor", "per cent of its time that the server worked before, and by how much its work took longer then", func(r *burstReport) string { return number(r.RestPct) + ", " + number(r.Factor) }},
	{"snapshot_us", "with -burst-of snapshots, by how much each of these took longer, in place of a factor", func(r *burstReport) string { return number(r.SnapshotUs) }},
	{"ticks_pct, ticks_dropped", "ticks that it made in the burst, of those that were due, and those that it will never make", func(r *burstReport) string { return fmt.Sprintf("%s, %d", number(r.TicksPct), r.TicksDropped) }},
	{"updates_per_client_s", "snapshots sent in the burst", func(r *burstReport) string { return number(r.UpdatesPerClientS) }},
	{"inputs_consumed_pct", "inputs that ticks of the burst consumed, of one a tick that was due for each client", func(r *burstReport) string { return number(r.InputsConsumedPct) }},
	{"inputs_of_ticks_pct", "the same, of one for each client and tick that was made", func(r *burstReport) string { return number(r.InputsOfTicksPct) }},
	{"messages_sent", "reliable messages that sampled clients sent in the burst, one a second each", func(r *burstReport) string { return fmt.Sprint(r.MessagesSent) }},
	{"messages_complete", "of these, those that came to the server and that its reliable answer came back to, by the end", func(r *burstReport) string { return fmt.Sprint(r.MessagesComplete) }},
	{"disconnected", "clients that lost their session; reasons say why", func(r *burstReport) string { return fmt.Sprint(r.Disconnected) }},
	{"different", "entities, blocks and messages that were not as told, the burst included", func(r *burstReport) string { return fmt.Sprint(r.Different) }},
	{"steps", "what was given up since the burst began, to 3 ticks: seconds, tick, number of the step, and what it is", func(r *burstReport) string { return fmt.Sprint(len(r.Steps)) }},
	{"recovery_ticks", fmt.Sprintf("ticks from the end of the burst until nothing was given up for the first time; -1: longer than %v", recovery), func(r *burstReport) string { return fmt.Sprint(r.RecoveryTicks) }},
}

// print writes the report as text.
func (r *burstReport) print(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, f := range burstFigures {
		fmt.Fprintf(t, "burst: %s\t%s\t%s\n", f.name, f.of(r), f.about)
	}
	for _, s := range r.Steps {
		fmt.Fprintf(t, "  %6.2f s, tick %d\t%d\t%s\n", s.Seconds, s.Tick, s.Step, s.GivesUp)
	}
	for reason, n := range r.Reasons {
		fmt.Fprintf(t, "  disconnected\t%d\t%s\n", n, reason)
	}
	return t.Flush()
}

// recovered returns the number of ticks from tick from until the overload step was first 0, or −1 if it never was.
func recovered(steps []stepAt, from uint32) int {
	step := 0
	for _, s := range steps {
		if s.Tick >= from && step == 0 {
			break
		}
		if step = s.Step; step == 0 && s.Tick >= from {
			return int(s.Tick - from)
		}
	}
	if step > 0 {
		return -1
	}
	return 0
}
