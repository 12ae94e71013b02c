package trial

import (
	"fmt"
	"math"
	"slices"
)

// Options configure a comparison.
type Options struct {
	// Latencies are the one-way latencies in ticks, one for each player: 1 to 16 players, 1 to 30 ticks.
	Latencies []int
	// Players is the number of players in the comparison of presets, 2 to 16.
	Players int
	// Seconds is how long each preset is played, 1 to 600.
	Seconds int
	// Seed is the root of everything random.
	Seed uint64
}

// Limits of options.
const (
	MaxPlayers = 16
	MaxLatency = 30
	MaxSeconds = 600
)

// Validate returns an error that names the invalid option and the allowed values.
func (o Options) Validate() error {
	if n := len(o.Latencies); n < 1 || n > MaxPlayers {
		return fmt.Errorf("%d latencies: give 1 to %d, one for each player", n, MaxPlayers)
	}
	if slices.Min(o.Latencies) < 1 || slices.Max(o.Latencies) > MaxLatency {
		return fmt.Errorf("latencies %v: each is 1 to %d ticks", o.Latencies, MaxLatency)
	}
	switch {
	case o.Players < 2 || o.Players > MaxPlayers:
		return fmt.Errorf("%d players: give 2 to %d", o.Players, MaxPlayers)
	case o.Seconds < 1 || o.Seconds > MaxSeconds:
		return fmt.Errorf("%d seconds: give 1 to %d", o.Seconds, MaxSeconds)
	}
	return nil
}

// round rounds to four decimal places.
func round(v float64) float64 { return math.Round(v*1e4) / 1e4 }
