package runner

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// Bot plays one client. It may also implement [Shower] and [Configurer].
type Bot interface {
	// Gather returns the function that fills the bot's inputs.
	Gather() systems.GatherFunc
	// Release releases all keys permanently.
	Release()
}

// NewBot returns a bot whose inputs are filled by a function, as for systems.Gather. The input is zero before each
// call, and after Release.
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

// Shower is a [Bot] whose inputs have a visible effect. The runner counts the ticks from the input to the effect:
// own_response_ticks.
type Shower interface {
	// Wants returns a number that identifies the effect of the newest input on the own entity.
	Wants() int
	// Shows returns the same number for the current state of an entity.
	Shows(w *ecs.World, e ecs.Entity) int
}

// Configurer is a [Bot] that needs its own client configuration, such as a login, or a later Start to join mid-match.
type Configurer interface {
	// Configure changes the configuration of the bot's client, after Game.Client.
	Configure(c *systems.ClientConfig)
}
