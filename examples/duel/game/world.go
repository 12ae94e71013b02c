//go:build !js

package game

import (
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/runner"
	"github.com/tactusgo/tactus/systems/policy"
)

// World returns the game for package runner.
func World() runner.Game {
	return runner.Game{
		Name:     "duel",
		About:    "Two fighters, and spectators who join late (-guests). The order of blows decides, and every peer simulates the whole match.",
		Protocol: func(*runner.Options) *ecs.Protocol { return Protocol() },
		Rooms:    &runner.Rooms{Seats: 2, Bots: 0},
		Bot: func(o *runner.Options, n int) runner.Bot {
			b := &bot{draw: ecs.NewRand(o.Seed, 1<<32|uint64(n)), login: Login{Bot: true}}
			if n >= o.Clients {
				b.login, b.after = Login{Watch: true}, min(o.Duration/4, 20*time.Second)
			}
			return b
		},
		Defaults: runner.Options{Clients: 2, Guests: 1, NPCs: -1},
		Presets:  []policy.Model{policy.Rollback{}, policy.Lockstep{}},
		Proof:    proof,
	}
}

// Proof has counts that show what the example demonstrates.
type Proof struct {
	Rollbacks  uint64 `json:"rollbacks"`          // rollbacks because of late inputs, over all peers
	Hits       int    `json:"hits"`               // blows that landed
	Checked    uint64 `json:"checksums_compared"` // checksums of clients that the server compared with its own
	Spectators int    `json:"spectators_joined"`  // spectators without a fighter
}

func proof(s *systems.Server, clients []*systems.Client) any {
	model, ring := s.Model(), ecs.Single[Ring](s.World())
	p := Proof{Rollbacks: model.Passes, Checked: model.Relay.Checked, Spectators: int(ring.Watching)}
	for _, c := range clients {
		p.Rollbacks += c.Stats().Corrections
	}
	for _, f := range ecs.All[struct{ Is Fighter }](s.World()) {
		p.Hits += int(f.Is.Hits)
	}
	return p
}

// bot fights, or joins late as a spectator.
type bot struct {
	draw     ecs.Rand
	login    Login
	after    time.Duration
	left     int // ticks until its next decision
	mood     int // 0: back, 1: guard, else: forward
	released bool
}

// Configure sets the bot's login and the time of its join.
func (b *bot) Configure(c *systems.ClientConfig) { c.Login, c.Start = b.login, c.Start.Add(b.after) }

// Gather returns the function that produces the bot's inputs.
func (b *bot) Gather() systems.GatherFunc {
	return systems.Gather(func(c *systems.Client, in *Input) {
		both, n := fighters(c.World())
		for i, f := range both[:n] {
			if f.Owner.Client == c.ID() && n == 2 && !b.released {
				b.think(f, both[1-i], in)
			}
		}
	})
}

// think walks towards the other fighter, strikes within reach, guards against blows that it sees, and steps back at
// random.
func (b *bot) think(me, other fighter, in *Input) {
	if b.left--; b.left < 0 {
		b.left, b.mood = 15+b.draw.IntN(40), b.draw.IntN(5)
	}
	way := other.Pos.X - me.Pos.X
	far := max(way, -way) > Reach-12
	in.Guard = !far && (b.mood == 1 || other.Is.Phase == Windup && b.left%2 == 0)
	in.Strike = !far && b.mood > 1 && b.draw.IntN(12) == 0
	if in.Move = 1; (way < 0) != (b.mood == 0) {
		in.Move = -1
	}
	if !far && b.mood > 0 {
		in.Move = 0
	}
}

// Release makes the bot press no more keys.
func (b *bot) Release() { b.released = true }
