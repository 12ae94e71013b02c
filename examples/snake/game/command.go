//go:build !js

package game

import (
	"sync/atomic"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/runner"
	"github.com/tactusgo/tactus/systems/policy"
)

// Proof has counts that show what the example demonstrates.
type Proof struct {
	Provisional uint64 `json:"provisional"` // deaths on the server
	Withdrawn   uint64 `json:"withdrawn"`   // of these, cancelled by a late input
	Final       uint64 `json:"final"`
	Foreseen    uint64 `json:"foreseen"` // deaths that clients predicted for their own snakes
	Mistaken    uint64 `json:"mistaken"` // of these, did not happen
	Told        int64  `json:"told"`     // final deaths received, over all clients
}

// World returns the game for package runner.
func World() runner.Game {
	var told atomic.Int64
	return runner.Game{
		Name: "snake", Presets: []policy.Model{policy.ServerRewind{Window: Window}}, Defaults: runner.Options{NPCs: 40},
		About:    "Snakes cut each other off. A death is final only when no late input can change it. -npcs is the amount of food.",
		Protocol: func(*runner.Options) *ecs.Protocol { return Protocol() },
		Populate: func(w *ecs.World, o *runner.Options) {
			for i := range o.NPCs {
				w.Spawn(somewhere(ecs.NewRand(w.Seed(), uint64(i)<<1|1)))
			}
		},
		Rooms: &runner.Rooms{Seats: 8, Bots: 3},
		Bot:   func(o *runner.Options, n int) runner.Bot { return &bot{daring: 8 + n%3*2} },
		Place: func(w *ecs.World, e ecs.Entity) (x, y float32, ok bool) {
			s := ecs.Get[Snake](w, e)
			return s.X, s.Y, true
		},
		Server: func(_ *runner.Options, c *systems.ServerConfig) { serve(c) },
		Client: func(_ *runner.Options, c *systems.ClientConfig) { Listen(c, func(*Fallen) { told.Add(1) }) },
		Proof: func(s *systems.Server, clients []*systems.Client) any {
			on := s.Outcomes().Stats()
			all := Proof{Provisional: on.Begun, Withdrawn: on.Cancelled, Final: on.Committed, Told: told.Load()}
			for _, c := range clients {
				all.Foreseen, all.Mistaken = all.Foreseen+c.Outcomes().Stats().Begun, all.Mistaken+c.Outcomes().Stats().Cancelled
			}
			return all
		},
	}
}
