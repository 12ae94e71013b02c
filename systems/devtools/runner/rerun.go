package runner

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/recording"
)

// RerunReport is the report of -rerun.
type RerunReport struct {
	// Reason says why the file was written.
	Reason string `json:"reason"`
	// FirstTick is the tick after the first checkpoint, and Ticks the number of ticks that were simulated.
	FirstTick uint32 `json:"first_tick"`
	Ticks     uint64 `json:"ticks"`
	// Checkpoints and Hashes are how many later states of the world, and hashes between them, were compared.
	Checkpoints int `json:"checkpoints"`
	Hashes      int `json:"hashes"`
	// Equal reports that all of them were equal, and that the game panicked as it did, if it did.
	Equal bool `json:"equal"`
	// Difference is the first difference: tick, system, component and field.
	Difference string `json:"difference,omitempty"`
	// Panicked is the panic in the file, and Panic the one of the rerun, with their ticks and stacks.
	Panicked *systems.RerunPanic `json:"panicked,omitempty"`
	Panic    *systems.RerunPanic `json:"panic,omitempty"`
	// Speed is how many times as fast as in the match the ticks were simulated.
	Speed float64 `json:"speed"`
}

// rerun simulates the ticks of the file of -rerun again, and prints a report.
func rerun(game Game, o Options, stdout io.Writer) error {
	name := o.Rerun
	if _, err := os.Stat(name + flightSuffix); err == nil {
		name += flightSuffix
	} else if r, e := recording.OpenFile(name); e == nil {
		return errors.Join(fmt.Errorf("-rerun: the flight of the recording: %w; -record writes it, unless it warns that it cannot", err), r.Close())
	}
	file, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("-rerun: %w", err)
	}
	start, ticks := time.Now(), 0
	r, err := either(o, func(x *Options) (*systems.RerunReport, error) {
		return systems.Rerun(file, func(model string, tickRate int) (*ecs.Protocol, systems.ServerConfig) {
			x.Preset, x.Tick = model, tickRate
			ticks = tickRate
			return game.Protocol(x), game.serverConfig(x, start, nil)
		})
	})
	if err != nil {
		return fmt.Errorf("-rerun %s: %w", name, err)
	}
	took := time.Since(start)
	report := RerunReport{Reason: r.Reason, FirstTick: r.First, Ticks: r.Ticks, Checkpoints: r.Checkpoints, Hashes: r.Hashes, Equal: r.Equal, Panicked: r.Panicked, Panic: r.Panic}
	report.Speed = float64(r.Ticks) / float64(ticks) / took.Seconds()
	if r.Difference != nil {
		report.Difference = r.Difference.String()
	}
	return writeLast(&report, stdout, o.JSON)
}

// print writes the report as text.
func (r *RerunReport) print(out io.Writer) error {
	fmt.Fprintf(out, "%s: %d ticks from tick %d on, %.0f times as fast\n", r.Reason, r.Ticks, r.FirstTick, r.Speed)
	fmt.Fprintf(out, "%d checkpoints and %d hashes, equal %v\n", r.Checkpoints, r.Hashes, r.Equal)
	if r.Difference != "" {
		fmt.Fprintf(out, "first difference: %s\n", r.Difference)
	}
	for i, p := range []*systems.RerunPanic{r.Panicked, r.Panic} {
		if p != nil {
			fmt.Fprintf(out, "%s in tick %d: %s\n    %s\n", [...]string{"panic", "panic of the rerun"}[i], p.Tick, p.Value, strings.Join(p.Stack, "\n    "))
		}
	}
	return nil
}
