package runner

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// Bot plays one client. It may be a [Shower] and a [Configurer] too.
type Bot interface {
	// Gather is how the bot fills its inputs.
	Gather() systems.GatherFunc
	// Release lets go of all keys for good.
	Release()
}

// NewBot makes a bot of a function that fills the input of a tick, as systems.Gather takes it. The input is zero
// before, and stays zero once the bot has let go.
func NewBot[T any](fill func(c *systems.Client, in *T)) Bot { return &bot[T]{fill: fill} }

type bot[T any] struct {
	fill     func(c *systems.Client, in *T)
	released bool
}

// Gather implements [Bot].
func (b *bot[T]) Gather() systems.GatherFunc {
	return systems.Gather(func(c *systems.Client, in *T) {
		var none T
		if *in = none; !b.released {
			b.fill(c, in)
		}
	})
}

// Release implements [Bot].
func (b *bot[T]) Release() { b.released = true }

// Shower is a [Bot] whose inputs can be seen to have their effect. The runner counts the ticks from
// one to the other: own_response_ticks.
type Shower interface {
	// Wants is a number for what the newest input should make the own entity
	// show.
	Wants() int
	// Shows is the same number for what an entity does show.
	Shows(w *ecs.World, e ecs.Entity) int
}

// Configurer is a [Bot] that is not a client like the others: with a login of its own, or a Start later than that
// which it finds, to come in mid-match.
type Configurer interface {
	// Configure changes the configuration of the bot's client, behind World.Client.
	Configure(c *systems.ClientConfig)
}
