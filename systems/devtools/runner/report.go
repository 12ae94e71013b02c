package runner

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/reconcile"
)

// Report is the result of a run. Figures marked † count from one warm-up after a client's first consumed input.
type Report struct {
	// The fields of MatchReport and Findings are part of the same JSON object.
	MatchReport

	// Server holds the server's figures.
	Server ServerReport `json:"server"`
	// Client holds the clients' figures.
	Client ClientReport `json:"client"`

	Findings

	// World is the result of [Game.Proof].
	World any `json:"world,omitempty"`

	causes reconcile.Causes // of corrections, over all clients
	thin   bool             // clients have no figures
}

// MatchReport describes the match and its server.
type MatchReport struct {
	// The fields of SetupReport and TickReport are part of the same JSON object.
	SetupReport
	// NPCs is the number of entities of the server, from the flags.
	NPCs int `json:"npcs"`
	TickReport
	// WorldHash is the hash of the worlds of server and clients, in hexadecimal.
	WorldHash string `json:"world_hash"`
	// Converged reports whether at the end the state of every client equals the server's.
	Converged bool `json:"converged"`
}

// SetupReport is the configuration of the match, from the flags.
type SetupReport struct {
	Model   string `json:"model"`
	Preset  string `json:"preset"` // equals Model
	Timing  string `json:"timing"`
	Clients int    `json:"clients"`
}

// TickReport holds the costs of the server's ticks.
type TickReport struct {
	// FirstTick is the number of the first tick, which is above 0 after -load.
	FirstTick uint32 `json:"first_tick"`
	// Ticks is the number of completed ticks. TickOverruns counts wake-ups that took longer than the time until the
	// next one, and ticks that were dropped as a result.
	Ticks        uint64 `json:"ticks"`
	TickOverruns uint64 `json:"tick_overruns"`
	// TickP50us and TickP99us are percentiles of the duration of a tick, in microseconds.
	TickP50us float64 `json:"tick_p50_us"`
	TickP99us float64 `json:"tick_p99_us"`
	// AllocsPerTick is the number of allocations of the whole process per tick, after the warm-up.
	AllocsPerTick float64 `json:"allocs_per_tick"`
}

// Findings are the parts of a [Report] that are empty unless something was found.
type Findings struct {
	// Difference says where a client's state differs from the server's.
	Difference string `json:"difference,omitempty"`
	// Causes lists the fields that caused corrections, over all clients and from the start.
	Causes []reconcile.Cause `json:"blame,omitempty"`
	// Divergences counts the differences that forced rollback found. Divergence is the first one.
	Divergences int    `json:"divergences,omitempty"`
	Divergence  string `json:"divergence,omitempty"`
}

// ServerReport is the server's part of a [Report].
type ServerReport struct {
	// InputsConsumed is the number of inputs that ticks have consumed.
	InputsConsumed uint64 `json:"inputs_consumed"`
	// InputsMissing is the number of ticks without an input that should have been there †.
	InputsMissing uint64 `json:"inputs_missing"`
	// InputsLate is the number of inputs that arrived after their tick. InputsRejected is the number of refused
	// inputs.
	InputsLate     uint64 `json:"inputs_late"`
	InputsRejected uint64 `json:"inputs_rejected"`
	// Holds is the number of ticks in which a client's entities took no step, to fill its input buffer.
	Holds uint64 `json:"holds"`
	// ResimulatedTicks is the number of completed ticks that were simulated again.
	ResimulatedTicks uint64 `json:"resimulated_ticks"`
	// BytesDownPerClientS and BytesUpPerClientS are bytes a second per client, including session overhead but not UDP
	// and IP headers.
	BytesDownPerClientS float64 `json:"bytes_down_per_client_s"`
	BytesUpPerClientS   float64 `json:"bytes_up_per_client_s"`
	// BytesPerUpdate is the bytes down per snapshot of one client. UpdatesPerClientS is the number of such snapshots
	// a second.
	BytesPerUpdate    float64 `json:"bytes_per_update"`
	UpdatesPerClientS float64 `json:"updates_per_client_s"`
}

// ClientReport is the clients' part of a [Report].
type ClientReport struct {
	// The fields of OwnReport are part of the same JSON object.
	OwnReport
	// Pushes is the number of pushes by the flag -push that clients could detect †.
	Pushes uint64 `json:"pushes"`
	// SeenMSP50 and SeenMSP99 are percentiles of the delay between two screens, in milliseconds: from the frame in which an input
	// was gathered to the first frame of another client that shows the tick that used it †. They are 0 with one client.
	SeenMSP50 float64 `json:"seen_ms_p50"`
	SeenMSP99 float64 `json:"seen_ms_p99"`
	// P99Error and MaxError are distances in world units between the position of a client's own entity as predicted and as
	// the server computed it after the same input, over all clients †. They need Game.Place.
	P99Error float64 `json:"p99_error"`
	MaxError float64 `json:"max_error"`
}

// OwnReport holds the figures that clients measure without the server.
type OwnReport struct {
	// Corrections and ResimulatedTicks are sums over the clients †.
	Corrections      uint64 `json:"corrections"`
	ResimulatedTicks uint64 `json:"resimulated_ticks"`
	// OwnResponseTicks is the number of ticks from an input to its effect on the drawn own entity, of the worst client. It
	// needs bots that implement [Shower].
	OwnResponseTicks int `json:"own_response_ticks"`
	// InterpolationStalls is the number of frames in which an entity stood still because its newest state was too old, or that
	// were slowed down to wait for it †.
	InterpolationStalls uint64 `json:"interpolation_stalls"`
	// ExtrapolatedFrames is the number of other frames in which an entity continued beyond its newest state †.
	ExtrapolatedFrames uint64 `json:"extrapolated_frames"`
	// InterpolationDelayMS is the mean age of interpolated entities when drawn, in milliseconds.
	InterpolationDelayMS float64 `json:"interpolation_delay_ms"`
	// DelayMS are the means of the parts of the delay between two screens, in milliseconds: see [systems.Delay] †. They add up to about
	// the mean of what seen_ms_p50 is the median of.
	DelayMS DelayReport `json:"delay_ms"`
	// InputBufferTicks is the number of inputs that wait on the server, of the worst client.
	InputBufferTicks float64 `json:"input_buffer_ticks"`
	// LongestReplay is the most ticks that a client resimulated at once.
	LongestReplay uint64 `json:"longest_replay"`
	// DatagramsPerTick is the number of datagrams that a client sends per tick.
	DatagramsPerTick float64 `json:"datagrams_per_tick"`
}

// DelayReport holds the parts of [systems.Delay], in milliseconds.
type DelayReport struct {
	Up            float64 `json:"up"`
	Waiting       float64 `json:"waiting"`
	Tick          float64 `json:"tick"`
	Send          float64 `json:"send"`
	Down          float64 `json:"down"`
	Interpolation float64 `json:"interpolation"`
	Frame         float64 `json:"frame"`
}

// delaySum sums the parts of delays, in milliseconds.
type delaySum struct {
	parts [7]float64
	n     float64
}

func (s *delaySum) add(d systems.Delay) {
	for i, part := range [...]time.Duration{d.Up, d.Waiting, d.Tick, d.Send, d.Down, d.Interpolation, d.Frame} {
		s.parts[i] += float64(part) / float64(time.Millisecond)
	}
	s.n++
}

func (s *delaySum) join(more *delaySum) {
	for i, part := range more.parts {
		s.parts[i] += part
	}
	s.n += more.n
}

// mean returns the means.
func (s *delaySum) mean() DelayReport {
	of := func(i int) float64 { return round(s.parts[i]/max(s.n, 1), 1) }
	return DelayReport{of(0), of(1), of(2), of(3), of(4), of(5), of(6)}
}

// ServerHalf is the report of -headless -serve: the fields of a [Report] that a server without bots knows. Clients is the
// maximum number of simultaneous clients. Rates refer to the time for which clients were present. † has the meaning of
// [Report]. WorldHash is the hash of the server's world.
type ServerHalf struct {
	SetupReport
	NPCs int `json:"npcs"`
	TickReport
	WorldHash string `json:"world_hash"`
	// Server holds the server's figures.
	Server ServerReport `json:"server"`
	Findings
}

// ClientHalf is the report of -headless -connect: the fields of a [Report] that bots without their server know. Preset and
// Timing are the server's. Figures marked † count from one warm-up after a client has joined. InterpolationDelayMS assumes
// that both directions of the link take half of the round trip.
type ClientHalf struct {
	SetupReport
	// Client holds the clients' figures.
	Client OwnReport `json:"client"`
	Findings
}

// write prints a report to out, as one JSON object in the last line or as text. It prints the causes of corrections to
// progress.
func (r *Report) write(out, progress io.Writer, asJSON bool) error {
	if _, err := io.WriteString(progress, r.causes.String()); err != nil {
		return err
	}
	return writeLast(r, out, asJSON)
}

// writeLast writes a report as one JSON line or as text.
func writeLast(r interface{ print(io.Writer) error }, out io.Writer, asJSON bool) error {
	if !asJSON {
		return r.print(out)
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%s\n", line)
	return err
}

// print writes a report as text.
func (r *Report) print(out io.Writer) error {
	fmt.Fprintf(out, "%d clients, %d NPCs, %s\n", r.Clients, r.NPCs, r.TickReport.text())
	fmt.Fprintf(out, "converged %v %s\n", r.Converged, r.Difference)
	_, err := fmt.Fprintf(out, "server  %s\n", r.Server.text())
	if counts := counts(r.World); counts != "" && err == nil {
		_, err = fmt.Fprintf(out, "world   %s\n", counts)
	}
	if r.thin || err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "client  %s\n        others see an input after %.0f ms, p99 %.0f ms; pushes %d, error p99 %.3f, max %.3f units\n", r.Client.text(),
		r.Client.SeenMSP50, r.Client.SeenMSP99, r.Client.Pushes, r.Client.P99Error, r.Client.MaxError)
	return err
}

// text formats the report in one line.
func (r TickReport) text() string {
	return fmt.Sprintf("%d ticks (%d overruns), tick %.0f µs median, %.0f µs p99", r.Ticks, r.TickOverruns, r.TickP50us, r.TickP99us)
}

// text formats the report in two lines.
func (r ServerReport) text() string {
	return fmt.Sprintf(`inputs consumed %d, missing %d, late %d; re-simulated ticks %d
        %.0f B/s down and %.0f B/s up per client, %.0f B per update, %.2f updates per client-second`,
		r.InputsConsumed, r.InputsMissing, r.InputsLate, r.ResimulatedTicks,
		r.BytesDownPerClientS, r.BytesUpPerClientS, r.BytesPerUpdate, r.UpdatesPerClientS)
}

// text formats the report in two lines.
func (r OwnReport) text() string {
	return fmt.Sprintf(`corrections %d, re-simulated ticks %d, own response %d ticks
        stalls %d, extrapolated frames %d; interpolation delay %.0f ms; input buffer %.1f ticks`,
		r.Corrections, r.ResimulatedTicks, r.OwnResponseTicks, r.InterpolationStalls, r.ExtrapolatedFrames, r.InterpolationDelayMS, r.InputBufferTicks)
}

// counts formats the fields of a JSON object in one line. It returns "" if v is not an object.
func counts(v any) string {
	b, err := json.Marshal(v)
	if err != nil || len(b) < 2 || b[0] != '{' {
		return ""
	}
	var fields []string
	d := json.NewDecoder(strings.NewReader(string(b)))
	_, _ = d.Token() // the opening brace
	for d.More() {
		name, _ := d.Token()
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return ""
		}
		fields = append(fields, fmt.Sprintf("%v %s", name, value))
	}
	return strings.Join(fields, ", ")
}

// print writes a half as text.
func (h *ServerHalf) print(out io.Writer) error {
	fmt.Fprintf(out, "%d clients, %d NPCs, %s\n", h.Clients, h.NPCs, h.TickReport.text())
	_, err := fmt.Fprintf(out, "server  %s\n", h.Server.text())
	return err
}

// print writes a half as text.
func (h *ClientHalf) print(out io.Writer) error {
	_, err := fmt.Fprintf(out, "%d clients of a remote server, %s\nclient  %s\n", h.Clients, h.Preset, h.Client.text())
	return err
}
