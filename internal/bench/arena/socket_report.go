package main

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
)

// socketReport is the result on real sockets.
type socketReport struct {
	TicksPct               float64 `json:"ticks_pct"`
	UpdatesPerClientS      float64 `json:"updates_per_client_s"`
	CPUPerS                float64 `json:"cpu_s_per_s"`
	CPUUsPerClientUpdate   float64 `json:"cpu_us_per_client_update"`
	BytesPerUpdate         float64 `json:"bytes_per_update"`
	RSSMB                  float64 `json:"rss_mb"`
	KiBPerClient           float64 `json:"kib_per_client"`
	TickP50                float64 `json:"tick_p50_us"`
	TickP99                float64 `json:"tick_p99_us"`
	TickP999               float64 `json:"tick_p999_us"`
	GCPauseMax             float64 `json:"gc_pause_max_us"`
	InputsConsumedPct      float64 `json:"inputs_consumed_pct"`
	MaxError               float64 `json:"max_error"`
	DatagramsUpPerClientS  float64 `json:"datagrams_up_per_client_s"`
	LostUpPct              float64 `json:"datagrams_up_lost_pct"`
	DatagramsDownPerUpdate float64 `json:"datagrams_down_per_update"`
	BytesDownPerClientS    float64 `json:"bytes_down_per_client_s"`
	HeapKiBPerClient       float64 `json:"heap_kib_per_client"`
	StackKiBPerClient      float64 `json:"stack_kib_per_client"`
	LoadCPUPerS            float64 `json:"load_cpu_s_per_s"`
	LoadLimited            bool    `json:"load_limited"`
	AllocsPerTick          float64 `json:"server_allocs_per_tick"`
	OverBudget             uint64  `json:"over_budget"`
	AddedLatency           float64 `json:"added_latency_ms"`
	Compared               uint64  `json:"compared"`
	ComparedEntities       uint64  `json:"compared_entities"`
	NotCompared            uint64  `json:"not_compared"`
	Sampled                int     `json:"sampled"`
	Blocks                 uint64  `json:"blocks"`
	BlocksDistinct         uint64  `json:"blocks_decoded"` // the JSON name is older than the field
	BlocksMatched          uint64  `json:"blocks_matched"`
	GoneEntities           uint64  `json:"gone_entities"`
	WaitingEntities        uint64  `json:"waiting_entities"`
	Different              uint64  `json:"different"`
	Difference             string  `json:"difference,omitempty"`
	Clients                int     `json:"clients"`
	TickBudget             float64 `json:"tick_budget_us"`
	TickP999OfBudgetPct    float64 `json:"tick_p999_of_budget_pct"`
	SendTickP50            float64 `json:"send_tick_p50_us"`
	OtherTickP50           float64 `json:"other_tick_p50_us"`

	Burst *burstReport `json:"burst,omitempty"`
}

// socketFigures explain the report.
var socketFigures = []struct {
	name, about string
	of          func(*socketReport) string
}{
	{"ticks_pct", "ticks that the server made, of those that were due", func(r *socketReport) string { return number(r.TicksPct) }},
	{"updates_per_client_s", "snapshots sent", func(r *socketReport) string { return number(r.UpdatesPerClientS) }},
	{"cpu_s_per_s", "processor time of the server's process, of the system for it included", func(r *socketReport) string { return number(r.CPUPerS) }},
	{"cpu_us_per_client_update", "all of that by snapshots sent", func(r *socketReport) string { return number(r.CPUUsPerClientUpdate) }},
	{"bytes_per_update", "snapshot message with its own header, mean, as without -transport", func(r *socketReport) string { return number(r.BytesPerUpdate) }},
	{"rss_mb", "resident memory of the server's process at the end of measuring", func(r *socketReport) string { return number(r.RSSMB) }},
	{"kib_per_client", "growth of the server's memory per client, after a garbage collection: what is resident and no file's (heap, stacks, the runtime's own), less that before clients came", func(r *socketReport) string { return number(r.KiBPerClient) }},
	{"heap_kib_per_client", "of that, spans of the heap in use", func(r *socketReport) string { return number(r.HeapKiBPerClient) }},
	{"stack_kib_per_client", "of that, stacks of goroutines", func(r *socketReport) string { return number(r.StackKiBPerClient) }},
	{"tick_p50_us", "time of a wake-up of the server, garbage collection included, median", func(r *socketReport) string { return number(r.TickP50) }},
	{"tick_p99_us, tick_p999_us", "the same, 99th percentile and 99.9th", func(r *socketReport) string { return number(r.TickP99) + ", " + number(r.TickP999) }},
	{"send_tick_p50_us, other_tick_p50_us", "the same, median of wake-ups with a send, and of those without", func(r *socketReport) string { return number(r.SendTickP50) + ", " + number(r.OtherTickP50) }},
	{"tick_budget_us", "time that there is for a tick; tick_p999_of_budget_pct is tick_p999_us in per cent of it", func(r *socketReport) string { return number(r.TickBudget) + ", " + number(r.TickP999OfBudgetPct) }},
	{"clients", "clients of the match", func(r *socketReport) string { return fmt.Sprint(r.Clients) }},
	{"gc_pause_max_us", "longest time that garbage collection stopped the server at once, to 6 %", func(r *socketReport) string { return number(r.GCPauseMax) }},
	{"inputs_consumed_pct", "inputs that ticks consumed, of one a tick that is due for each client", func(r *socketReport) string { return number(r.InputsConsumedPct) }},
	{"datagrams_up_per_client_s", "datagrams that clients sent; one a tick is full load", func(r *socketReport) string { return number(r.DatagramsUpPerClientS) }},
	{"datagrams_up_lost_pct", "of these, those that the server did not read", func(r *socketReport) string { return number(r.LostUpPct) }},
	{"datagrams_down_per_update", "datagrams that the server sent, by snapshots sent", func(r *socketReport) string { return number(r.DatagramsDownPerUpdate) }},
	{"bytes_down_per_client_s", "bytes of these, headers of UDP or TCP and IP not counted", func(r *socketReport) string { return number(r.BytesDownPerClientS) }},
	{"load_cpu_s_per_s", "processor time of the process that has the clients", func(r *socketReport) string { return number(r.LoadCPUPerS) }},
	{"load_limited", "the load used up its processors, or sent less than a datagram a tick: the server could carry more", func(r *socketReport) string { return fmt.Sprint(r.LoadLimited) }},
	{"server_allocs_per_tick", "objects that the server's process allocated", func(r *socketReport) string { return number(r.AllocsPerTick) }},
	{"added_latency_ms", "mean time by which snapshots left after their send, because a tick would have taken too long", func(r *socketReport) string { return number(r.AddedLatency) }},
	{"over_budget", "snapshots that did not hold all there was to tell", func(r *socketReport) string { return fmt.Sprint(r.OverBudget) }},
	{"max_error", "farthest that a position on a client that decodes was from the truth of its tick, by axis, in units", func(r *socketReport) string { return number(r.MaxError) }},
	{"sampled", "clients that decode everything; the others open it", func(r *socketReport) string { return fmt.Sprint(r.Sampled) }},
	{"compared, compared_entities", "states of these that were compared with the server's world, and entities in them", func(r *socketReport) string { return fmt.Sprintf("%d, %d", r.Compared, r.ComparedEntities) }},
	{"blocks", "blocks of the world that the others opened", func(r *socketReport) string { return fmt.Sprint(r.Blocks) }},
	{"blocks_decoded, blocks_matched", "of these, distinct ones, which the sampled clients decode as far as they receive them; and those that equal one of them", func(r *socketReport) string { return fmt.Sprintf("%d, %d", r.BlocksDistinct, r.BlocksMatched) }},
	{"not_compared", "entities and states for which the truth was not at hand any more, or not yet", func(r *socketReport) string { return fmt.Sprint(r.NotCompared) }},
	{"gone_entities", "of compared_entities, those that had left their place and that the client still had there, as it may be told of another", func(r *socketReport) string { return fmt.Sprint(r.GoneEntities) }},
	{"waiting_entities", "entities that clients had yet to be told of since they came, by compared states: in snapshots that do not hold all they wait for their turn", func(r *socketReport) string { return fmt.Sprint(r.WaitingEntities) }},
	{"different", "entities that differ from the server's, are missing or too many, messages that could not be read, and 1 if nothing was compared: 0 is right", func(r *socketReport) string { return fmt.Sprint(r.Different) }},
}

// print writes the report as text.
func (r *socketReport) print(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, f := range socketFigures {
		fmt.Fprintf(t, "%s\t%s\t%s\n", f.name, f.of(r), f.about)
	}
	if r.Difference != "" {
		fmt.Fprintf(t, "difference\t%s\t\n", r.Difference)
	}
	if r.Burst == nil {
		return t.Flush()
	}
	return errors.Join(t.Flush(), r.Burst.print(out))
}
