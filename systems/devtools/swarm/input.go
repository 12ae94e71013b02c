package swarm

import (
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// Player is whom an input is for.
type Player struct {
	// Number is that of the client in the swarm, from 0 on.
	Number int
	// Tick counts the inputs of this player, from 0 on.
	Tick uint64
	// TickRate is how many inputs a second the server wants.
	TickRate int
	// Client is the client where it decodes what the server tells; nil where it is blind.
	Client *systems.Client
}

// InputFunc fills the inputs of a swarm's players. Make one with [Input].
type InputFunc struct {
	blind func(n int) func(p *Player, in unsafe.Pointer)
	thin  func(n int) systems.GatherFunc
	of    func(*ecs.Protocol) *ecs.Component
}

// Input makes an InputFunc of a function that is called once for each client, with its number, and returns how that
// client thinks: a function that fills the input of a tick, which is zero before. T must be the protocol's input type;
// [New] says so when it is not. What the function returns is called by one goroutine at a time, and the functions of
// different clients at once where [Config.Threads] is more than 1.
func Input[T any](player func(n int) func(p *Player, in *T)) InputFunc {
	return InputFunc{
		blind: func(n int) func(*Player, unsafe.Pointer) {
			think := player(n)
			return func(p *Player, in unsafe.Pointer) { think(p, (*T)(in)) }
		},
		thin: func(n int) systems.GatherFunc {
			p, think := &Player{Number: n}, player(n)
			return systems.Gather(func(c *systems.Client, in *T) {
				p.Client, p.TickRate = c, c.World().TickRate()
				think(p, in)
				p.Tick++
			})
		},
		of: ecs.ComponentOf[T],
	}
}
