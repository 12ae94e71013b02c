// Command swarm loads an arena's server with players by the thousand: go run ./examples/swarm -connect 127.0.0.1:7777
// -clients 1000, where go run ./examples/arena -serve 127.0.0.1:7777 -clients 1000 runs; or -rooms 20, where
// go run ./examples/arena -rooms runs. See -h for the flags.
package main

import (
	"context"
	"flag"
	"os"
	"os/signal"

	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/swarm"
)

// arena returns the game, whose players walk about, and shoot now and then.
func arena() swarm.Game {
	combat := true
	return swarm.Game{
		Name:  "swarm",
		Kind:  "arena",
		About: "swarm plays the arena: players walk about, turn, and shoot now and then.",
		Flags: func(fs *flag.FlagSet) {
			fs.BoolVar(&combat, "combat", combat, "guns, as arena -serve has them; -combat=false for a server without")
		},
		Configure: func(c *swarm.Config) {
			c.Protocol, c.Input = game.Protocol, swarm.Input(walk)
			if combat {
				c.Protocol, c.Input = game.CombatProtocol, swarm.Input(fight)
				c.Client = func(_ int, config *systems.ClientConfig) { game.NewMessages().Play(config, nil) }
			}
		},
	}
}

// walk returns how the n-th player thinks.
func walk(n int) func(p *swarm.Player, in *game.Input) {
	bot := game.NewBot(1, n, 1000)
	return func(p *swarm.Player, in *game.Input) { *in = bot.Next(p.TickRate) }
}

// fight walks, and shoots for a second out of eight.
func fight(n int) func(p *swarm.Player, in *game.Action) {
	bot := game.NewBot(1, n, 1000)
	return func(p *swarm.Player, in *game.Action) {
		move := bot.Next(p.TickRate)
		in.Buttons, in.Aim = move.Buttons, move.Aim
		if rate := uint64(p.TickRate); (p.Tick+uint64(n)*7)/rate%8 == 0 {
			in.Buttons |= game.Fire
		}
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(swarm.Main(ctx, arena(), os.Args[1:], os.Stdout, os.Stderr))
}
