//go:build !js

package game

import (
	"flag"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/runner"
	"github.com/tactusgo/tactus/systems/policy"
)

// World returns the game as the runner needs to know it.
func World() runner.Game {
	kept := false
	return runner.Game{
		Name: "physics",
		About: "Balls and crates (-npcs of them, at most 24) in the rigid-body library Chipmunk, inside Simulate: everybody sees everybody\n" +
			"in the present, and goes back when an input comes late. -keep shows what goes wrong with a library that\n" +
			"remembers: add -force-rollback.",
		Protocol: func(*runner.Options) *ecs.Protocol { return Protocol(kept) },
		Populate: func(w *ecs.World, o *runner.Options) { populate(w, o.NPCs) },
		Rooms:    &runner.Rooms{Seats: 4, Bots: 1},
		Bot:      func(o *runner.Options, n int) runner.Bot { return &bot{draw: ecs.NewRand(o.Seed, 1<<32|uint64(n))} },
		Flags: func(fs *flag.FlagSet) {
			fs.BoolVar(&kept, "keep", false, "bodies stay in the library's space from tick to tick")
		},
		Defaults: runner.Options{Clients: 2, NPCs: 12},
		Presets:  []policy.Model{policy.Rollback{}, policy.Lockstep{}},
		Proof:    proof,
	}
}

// Proof counts what the example demonstrates.
type Proof struct {
	Contacts  int    `json:"contacts"`           // contacts per tick of two bodies, or of a body and a wall
	Rollbacks uint64 `json:"rollbacks"`          // rollbacks because of late inputs, over all peers
	Checked   uint64 `json:"checksums_compared"` // of clients, compared by the server
}

func proof(s *systems.Server, clients []*systems.Client) any {
	model := s.Model()
	p := Proof{Contacts: int(ecs.Single[Yard](s.World()).Contacts), Rollbacks: model.Passes, Checked: model.Relay.Checked}
	for _, c := range clients {
		p.Rollbacks += c.Stats().Corrections
	}
	return p
}
