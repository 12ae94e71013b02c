package game

import (
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/runner"
)

// World is the game for the runner.
func World() runner.World {
	return runner.World{
		Name:     "duel",
		About:    "Two fighters, and spectators who come late (-guests): the order of blows is everything, and all peers simulate all.",
		Protocol: func(*runner.Options) *ecs.Protocol { return Protocol() },
		Bot: func(o *runner.Options, n int) runner.Bot {
			b := &bot{draw: ecs.NewRand(o.Seed, 1<<32|uint64(n)), login: Login{Bot: true}}
			if n >= o.Clients {
				b.login, b.after = Login{Watch: true}, min(o.Duration/4, 20*time.Second)
			}
			return b
		},
		Defaults: runner.Options{Clients: 2, Guests: 1, NPCs: -1},
		Presets:  []policy.Preset{policy.Rollback, policy.Lockstep},
		Proof:    proof,
	}
}

// Proof is what a match has shown, in counts.
type Proof struct {
	Rollbacks  uint64 `json:"rollbacks"`          // times that a peer went back for a late input, over all peers
	Hits       int    `json:"hits"`               // blows that landed
	Checked    uint64 `json:"checksums_compared"` // of clients, with the server's
	Spectators int    `json:"spectators_joined"`  // who watch without a fighter
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

// bot fights, or comes late to watch.
type bot struct {
	draw     ecs.Rand
	login    Login
	after    time.Duration
	left     int // ticks until it changes its mind
	mood     int // 0: back, 1: guard, else: forward
	released bool
}

// Configure says who the bot is, and when it comes.
func (b *bot) Configure(c *systems.ClientConfig) { c.Login, c.Start = b.login, c.Start.Add(b.after) }

// Gather is how the bot fills its inputs.
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

// think goes up to the other one, strikes when it is in reach, guards when it sees a blow coming, and steps back
// now and then.
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

// Release lets go of all keys for good.
func (b *bot) Release() { b.released = true }
