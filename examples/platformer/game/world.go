package game

import (
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/event"
)

// Coin hangs where [Coins] says, and is back some seconds after it was taken.
type Coin struct {
	Number uint8  `net:"0..255"` // 0: the bell
	BackAt uint32 `net:"raw"`    // tick
}

// Taken is the news that somebody has taken a coin: all hear the chime, once. What lasts is state.
type Taken struct {
	By   uint32 `net:"raw"` // client
	Coin uint8  `net:"0..255"`
}

// collect is the server's alone. Of two who reach for a coin in one tick the first in order gets it.
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

// newEvents is what happens once and is told, alike on server and clients.
func newEvents() *event.Registry {
	r := event.NewRegistry(channel.Config{})
	event.Register[Taken](r, event.Options{})
	return r
}

// Listen makes a client tell of each coin that anybody takes, once.
func Listen(c *systems.ClientConfig, taken func(t *Taken)) {
	c.Events = event.NewClient(newEvents(), event.ClientConfig{})
	event.OnClient(c.Events, func(_ *ecs.World, _ event.Origin, t *Taken) { taken(t) })
}

// Protocol returns the definition of the game. Server and clients call it. Both round after each step to what travels: a prediction
// is right to the bit, or it is wrong.
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
