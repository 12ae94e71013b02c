package game

import (
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/event"
)

// Coin hangs where [Coins] says, and is back some seconds after it was taken.
type Coin struct {
	Number uint8  `net:"0..255"`
	BackAt uint32 `net:"raw"` // tick
}

// Bell is the number of the coin that is a bell, which rings.
const Bell = 0

// Taken is the news that somebody has taken a coin: everybody is to hear the chime, once. What
// lasts, that the coin is gone and who has it, is state.
type Taken struct {
	By   uint32 `net:"raw"` // client
	Coin uint8  `net:"0..255"`
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

// collect is the server's alone. Of two who reach for a coin in one tick the one who has been
// there for longer gets it.
func collect(w *ecs.World) {
	const reach, back = 1, 4 // metres from the middle, seconds
	for _, p := range ecs.EachInOrder[player](w) {
		at := p.Body.World(seconds(w) + float64(w.Step())).add(Vec{Y: Height / 2})
		for _, c := range ecs.Each[struct{ Coin *Coin }](w) {
			if w.Tick() < c.Coin.BackAt || Coins[c.Coin.Number].far(at) > reach {
				continue
			}
			c.Coin.BackAt = w.Tick() + uint32(back*w.TickRate())
			p.Body.Coins++
			event.Raise(w, event.ToAll(), Taken{By: p.Owner.Client, Coin: c.Coin.Number})
		}
	}
}
