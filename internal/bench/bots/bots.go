package bots

import (
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/systems/devtools/swarm"
)

// Walk makes a swarm's clients the bots of the arena from the first-th on, of so many; their whims follow from the seed.
func Walk(seed uint64, first, of int) swarm.InputFunc {
	return swarm.Input(func(n int) func(*swarm.Player, *game.Input) {
		bot := game.NewBot(seed, first+n, of)
		return func(p *swarm.Player, in *game.Input) { *in = bot.Next(p.TickRate) }
	})
}
