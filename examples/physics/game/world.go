package game

import (
	"flag"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/runner"
	"github.com/tactusgo/tactus/systems/policy"
)

// World is the game as the runner needs to know it.
func World() runner.World {
	kept := false
	return runner.World{
		Name: "physics",
		About: "Balls and crates (-npcs of them, at most 24) in the rigid-body library Chipmunk, inside Simulate: everybody sees everybody\n" +
			"in the present, and goes back when an input comes late. -keep shows what goes wrong with a library that\n" +
			"remembers: add -force-rollback.",
		Protocol: func(*runner.Options) *ecs.Protocol { return Protocol(kept) },
		Populate: func(w *ecs.World, o *runner.Options) { populate(w, o.NPCs) },
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

// populate stacks crates, three wide, as many as fit.
func populate(w *ecs.World, crates int) {
	for i := range min(crates, 24) {
		w.Spawn(Body{X: Width/2 + float64(i%3-1)*(Side+4), Y: Height - 10 - Side/2 - float64(i/3)*(Side+2)})
	}
}

// join drops a client's ball into the yard.
func join(w *ecs.World, client uint32, _ *struct{}) {
	draw := ecs.NewRand(w.Seed(), uint64(client))
	w.Spawn(components.Owner{Client: client}, Body{X: Radius + 20 + draw.Float64()*(Width-2*Radius-40), Y: 100}, Input{})
}

// bot rolls from place to place through everything in its way, and sometimes jumps.
type bot struct {
	draw     ecs.Rand
	target   float64
	left     int // ticks until it chooses another place
	released bool
}

// Gather returns the function that produces the bot's inputs.
func (b *bot) Gather() systems.GatherFunc {
	return systems.Gather(func(c *systems.Client, in *Input) {
		if b.left--; b.left < 0 {
			b.left = 60 + b.draw.IntN(120)
			b.target = b.draw.Float64() * Width
		}
		for _, r := range ecs.EachOf[row](c.World(), c.ID()) {
			switch off := b.target - r.Body.X; {
			case b.released:
			case off > Side:
				in.Roll = 1
			case off < -Side:
				in.Roll = -1
			}
			in.Jump = !b.released && r.Body.Stands && b.draw.IntN(50) == 0
		}
	})
}

// Release releases all keys.
func (b *bot) Release() { b.released = true }
