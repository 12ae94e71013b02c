//go:build !js

// A client in a browser has no command line, so this file is not part of it.

package game

import (
	"sync/atomic"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/runner"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/policy"
)

// Proof counts what the example demonstrates.
type Proof struct {
	Jumps int `json:"jumps"`
	Rides int `json:"rides"`
	Coins int `json:"coins"`
	Heard int `json:"heard"` // of coins, by all clients
}

// World returns the game for package runner.
func World() runner.Game {
	var heard atomic.Int64
	return runner.Game{
		Name: "platformer", Presets: []policy.Model{policy.Buffered{}, policy.LocalSync{}}, Defaults: runner.Options{NPCs: len(Coins)},
		About:    "Jumps, slopes and moving platforms in three dimensions, without a correction. -npcs is how many coins there are.",
		Protocol: func(*runner.Options) *ecs.Protocol { return Protocol() },
		Populate: func(w *ecs.World, o *runner.Options) {
			for i := range min(o.NPCs, len(Coins)) {
				w.Spawn(Coin{Number: uint8(i)})
			}
		},
		Rooms: &runner.Rooms{Seats: 8, Bots: 3},
		Bot:   func(o *runner.Options, n int) runner.Bot { return &bot{n: n + 5*int(o.Seed), tour: n % len(tours)} },
		Place: func(w *ecs.World, e ecs.Entity) (x, z float32, ok bool) {
			at := ecs.Get[Body](w, e).At
			return at.X, at.Z, true
		},
		Server: func(_ *runner.Options, c *systems.ServerConfig) {
			c.Events = event.NewServer(newEvents(), event.ServerConfig{})
		},
		Client: func(_ *runner.Options, c *systems.ClientConfig) { Listen(c, func(*Taken) { heard.Add(1) }) },
		Proof: func(s *systems.Server, _ []*systems.Client) any {
			all := Proof{Heard: int(heard.Load())}
			for _, p := range ecs.Each[player](s.World()) {
				all.Jumps, all.Rides, all.Coins = all.Jumps+int(p.Body.Jumps), all.Rides+int(p.Body.Rides), all.Coins+int(p.Body.Coins)
			}
			return all
		},
	}
}
