//go:build !js

package game

import (
	"flag"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/runner"
	"github.com/tactusgo/tactus/systems/lagcomp"
	"github.com/tactusgo/tactus/systems/policy"
)

// World returns the game for package runner. Models that show all players in the present need no lag compensation.
func World() runner.Game {
	drift := false
	return runner.Game{
		Name:     "snowball",
		About:    "Predicted snowballs, and hits in the view of the thrower. -drift makes predictions wrong and shows the cause;\nadd -force-rollback to see the system too.",
		Protocol: func(*runner.Options) *ecs.Protocol { return Protocol(drift) },
		Rooms:    &runner.Rooms{Seats: 8, Bots: 3},
		Bot:      func(o *runner.Options, n int) runner.Bot { return &bot{draw: ecs.NewRand(o.Seed, 1<<32|uint64(n))} },
		Server:   func(_ *runner.Options, c *systems.ServerConfig) { c.LagComp = &lagcomp.Config{} },
		Client:   func(_ *runner.Options, c *systems.ClientConfig) { c.Schedule = schedule },
		Flags: func(fs *flag.FlagSet) {
			fs.BoolVar(&drift, "drift", false, "make a rule use random numbers from outside of the world, so that predictions are wrong")
		},
		Defaults: runner.Options{NPCs: -1},
		Presets:  []policy.Model{policy.CorrectOnMismatch{}, policy.LocalSync{}, policy.Buffered{}},
		Proof:    proof,
	}
}

// Proof has counts that show what the example demonstrates.
type Proof struct {
	Throws       int    `json:"throws"`               // on the server
	Matched      int    `json:"matched_spawns"`       // predicted snowballs that the server threw too
	Mispredicted int    `json:"mispredicted_spawns"`  // predicted snowballs that the server did not throw
	Past         int    `json:"lag_compensated_hits"` // hits that would have missed without lag compensation
	Blames       uint64 `json:"blames"`               // fields that caused corrections, over all corrections
}

func proof(s *systems.Server, clients []*systems.Client) any {
	var p Proof
	for _, x := range ecs.Each[player](s.World()) {
		p.Throws, p.Past = p.Throws+int(x.Kid.Thrown), p.Past+int(x.Score.Past)
	}
	for _, c := range clients {
		t := ecs.Resource[Tally](c.World())
		p.Matched, p.Mispredicted = p.Matched+t.Matched, p.Mispredicted+t.Mispredicted
		for _, row := range c.Causes().Rows {
			p.Blames += row.Corrections
		}
	}
	return p
}
