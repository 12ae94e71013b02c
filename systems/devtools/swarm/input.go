package swarm

import (
	"unsafe"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
)

// Player is the player for whom an input is created.
type Player struct {
	// Number is the client's number in the swarm, from 0 on.
	Number int
	// Tick counts this player's inputs, from 0 on.
	Tick uint64
	// TickRate is the server's number of inputs per second.
	TickRate int
	// Client is the client if it is thin, or nil if it is blind.
	Client *systems.Client
}

// InputFunc creates the inputs of a swarm's players. Make one with [Input].
type InputFunc struct {
	blind func(n int) func(p *Player, in unsafe.Pointer)
	thin  func(n int) systems.GatherFunc
	of    func(*ecs.Protocol) *ecs.Component
}

// Input returns an InputFunc. player is called once per client with its number, and returns the function that sets the
// client's input in each tick, starting from zero. T must be the protocol's input type; otherwise [New] returns an error.
// One goroutine at a time calls the function of a client. If [Config.Threads] exceeds 1, the functions of different clients
// run at the same time.
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
