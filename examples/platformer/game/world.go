package game

import (
	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/names"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/event"
)

// Coin is the state of a coin in [Coins]. A taken coin returns after some seconds.
type Coin struct {
	Number uint8  `net:"0..255"` // 0: the bell
	BackAt uint32 `net:"raw"`    // tick
}

// Taken is the event that a player has taken a coin: all clients hear the chime once. The lasting state is in Coin.
type Taken struct {
	By   uint32 `net:"raw"` // client
	Coin uint8  `net:"0..255"`
}

// collect runs only on the server. If two players reach for a coin in one tick, the first in order gets it.
func collect(w *ecs.World) {
	const reach, back = 1, 4 // metres from the middle, seconds
	for _, p := range ecs.EachInOrder[player](w) {
		at := p.Body.World(seconds(w) + float64(w.Step())).add(Vec{Y: Height / 2})
		for _, c := range ecs.Each[struct{ Coin *Coin }](w) {
			if w.Tick() >= c.Coin.BackAt && Coins[c.Coin.Number].sub(at).long() < reach {
				c.Coin.BackAt = w.Tick() + uint32(back*w.TickRate())
				p.Body.Coins++
				event.Raise(w, event.ToAll(), Taken{By: p.Owner.Client, Coin: c.Coin.Number})
			}
		}
	}
}

// newEvents returns the events, which must be equal on server and clients.
func newEvents() *event.Registry {
	r := event.NewRegistry(channel.Config{})
	event.Register[Taken](r, event.Options{})
	return r
}

// Listen calls taken once for each coin that any player takes.
func Listen(c *systems.ClientConfig, taken func(t *Taken)) {
	c.Events = event.NewClient(newEvents(), event.ClientConfig{})
	event.OnClient(c.Events, func(_ *ecs.World, _ event.Origin, t *Taken) { taken(t) })
}

// spawn returns the place on the meadow at which a client begins. Up to eight clients begin at different places.
func spawn(client uint32) Vec {
	return start.add(Vec{X: float32(client%4)*2 - 3, Z: float32(client / 4 % 2 * 2)})
}

// Protocol returns the definition of the game. Server and clients call it. Both round to the sent precision after each
// step, so a prediction is either exact or wrong.
func Protocol() *ecs.Protocol {
	p := ecs.NewProtocol("platformer/2")
	ecs.ReplicateFields[Body](p, ecs.Predicted|ecs.Interpolated, schema.Fields{
		"At.X": "-64..64 step 0.001 axis x", "At.Y": "-64..64 step 0.001 axis y", "At.Z": "-64..64 step 0.001 axis z",
		"Vel.X": "-64..64 step 0.01 rate x", "Vel.Y": "-64..64 step 0.01 rate y", "Vel.Z": "-64..64 step 0.01 rate z",
	})
	ecs.Hermite[Body, Body](p)
	ecs.Replicate[components.Teleports](p, ecs.Predicted)
	ecs.Replicate[Coin](p, 0)
	names.Add(p)
	ecs.Input[Input](p)
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, Body{At: spawn(client)}, components.Teleports{}, names.Named{}, Input{})
	})
	p.QuantizeSteps()
	p.Simulate("walk", walk)
	p.Authority("collect", collect)
	return p
}
