package game

import (
	"sync/atomic"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/runner"
)

// Protocol is what server and clients agree on. Both round after each step to what travels, so a
// prediction is right to the bit, or it is wrong.
func Protocol() *ecs.Protocol {
	p := ecs.NewProtocol("platformer/1")
	ecs.Replicate[Body](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[components.Teleports](p, ecs.Predicted)
	ecs.Replicate[Coin](p, 0)
	ecs.Input[Input](p)
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, Body{At: start}, components.Teleports{}, Input{})
	})
	p.QuantizeSteps()
	p.Simulate("walk", walk)
	p.Authority("collect", collect)
	return p
}

// Proof counts what the world is there to show.
type Proof struct {
	Jumps     int   `json:"jumps"`
	Rides     int   `json:"rides"`
	Coins     int   `json:"coins"`
	Heard     int64 `json:"heard"`     // of coins, all clients
	Confirmed int   `json:"confirmed"` // states of their players that clients had predicted to the bit
}

// World is the game for package runner.
func World() runner.World {
	var heard atomic.Int64
	return runner.World{
		Name: "platformer",
		About: "Characters that walk, jump, climb slopes and ride platforms, in three dimensions. The server wakes\n" +
			"20 times a second and simulates three steps each time; -npcs is how many coins there are.",
		Presets:  []policy.Preset{policy.Buffered, policy.LocalSync},
		Defaults: runner.Options{NPCs: len(Coins)},
		Protocol: func(*runner.Options) *ecs.Protocol { return Protocol() },
		Populate: func(w *ecs.World, o *runner.Options) {
			for i := range min(o.NPCs, len(Coins)) {
				w.Spawn(Coin{Number: uint8(i)})
			}
		},
		Bot: func(o *runner.Options, n int) runner.Bot { return NewBot(o.Seed, n) },
		Place: func(w *ecs.World, e ecs.Entity) (x, z float32, ok bool) {
			at := ecs.Get[Body](w, e).At
			return at.X, at.Z, true
		},
		Server: func(_ *runner.Options, c *systems.ServerConfig) {
			c.Events = event.NewServer(newEvents(), event.ServerConfig{})
		},
		Client: func(_ *runner.Options, c *systems.ClientConfig) { Listen(c, func(*Taken) { heard.Add(1) }) },
		Proof: func(s *systems.Server, clients []*systems.Client) any {
			all := Proof{Heard: heard.Load()}
			for _, p := range ecs.Each[player](s.World()) {
				all.Jumps += int(p.Body.Jumps)
				all.Rides += int(p.Body.Rides)
				all.Coins += int(p.Body.Coins)
			}
			for _, c := range clients {
				all.Confirmed += int(c.Stats().Confirmed)
			}
			return all
		},
	}
}
