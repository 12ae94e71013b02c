package headless

import "github.com/tactusgo/tactus/systems/reconcile"

// Report is the result of a run. † marks what counts from one warm-up after a
// client's first consumed input on.
type Report struct {
	Preset        string  `json:"preset"`
	Timing        string  `json:"timing"`
	Clients       int     `json:"clients"`
	NPCs          int     `json:"npcs"`
	Ticks         uint64  `json:"ticks"`
	TickOverruns  uint64  `json:"tick_overruns"`
	TickP50us     float64 `json:"tick_p50_us"`
	TickP99us     float64 `json:"tick_p99_us"`
	AllocsPerTick float64 `json:"allocs_per_tick"`
	WorldHash     string  `json:"world_hash"`
	Converged     bool    `json:"converged"`

	Server ServerReport `json:"server"`
	Client ClientReport `json:"client"`

	// Difference says where a client's state is not the server's.
	Difference string `json:"difference,omitempty"`
	// Blame says which fields caused corrections, over all clients and from the start.
	Blame []reconcile.Cause `json:"blame,omitempty"`
	blame reconcile.Causes
	thin  bool // clients have nothing to tell
	// Divergences counts what forced rollback found, Divergence is the first.
	Divergences int    `json:"divergences,omitempty"`
	Divergence  string `json:"divergence,omitempty"`
}

// ServerReport is the server's part of a [Report].
type ServerReport struct {
	InputsConsumed      uint64  `json:"inputs_consumed"`
	InputsMissing       uint64  `json:"inputs_missing"` // †
	InputsLate          uint64  `json:"inputs_late"`
	InputsRejected      uint64  `json:"inputs_rejected"`
	Holds               uint64  `json:"holds"`
	ResimulatedTicks    uint64  `json:"resimulated_ticks"`
	BytesDownPerClientS float64 `json:"bytes_down_per_client_s"`
	BytesUpPerClientS   float64 `json:"bytes_up_per_client_s"`
	BytesPerUpdate      float64 `json:"bytes_per_update"`
	UpdatesPerClientS   float64 `json:"updates_per_client_s"`
}

// ClientReport is the clients' part of a [Report].
type ClientReport struct {
	Corrections          uint64  `json:"corrections"`       // †
	ResimulatedTicks     uint64  `json:"resimulated_ticks"` // †
	Pushes               uint64  `json:"pushes"`            // †
	OwnResponseTicks     int     `json:"own_response_ticks"`
	P99Error             float64 `json:"p99_error"`            // †
	MaxError             float64 `json:"max_error"`            // †
	InterpolationStalls  uint64  `json:"interpolation_stalls"` // †
	InterpolationDelayMS float64 `json:"interpolation_delay_ms"`
	InputBufferTicks     float64 `json:"input_buffer_ticks"`
	LongestReplay        uint64  `json:"longest_replay"`     // ticks simulated again at once, at most
	DatagramsPerTick     float64 `json:"datagrams_per_tick"` // sent up by a client
}
