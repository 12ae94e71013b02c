package game

import (
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/names"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/outcome"
)

// Window is how far the server rewinds for a late input. Clients lead the server by at most half of it. The inputs of a
// client with a longer delay always arrive late, but still count.
const Window = 300 * time.Millisecond

// Protocol returns the definition of the game. Server and clients call it.
func Protocol() *ecs.Protocol {
	return protocol(func(w *ecs.World, client uint32, _ *struct{}) {
		s, b := newSnake(ecs.NewRand(w.Seed(), uint64(client)<<1), Snake{Length: hatch})
		w.Spawn(components.Owner{Client: client}, s, b, components.Teleports{}, names.Named{}, Input{})
	})
}

// protocol returns the definition of the game with a join handler.
func protocol(join func(w *ecs.World, client uint32, _ *struct{})) *ecs.Protocol {
	p := ecs.NewProtocol("snake/2")
	ecs.Replicate[Snake](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[Body](p, ecs.Predicted)
	ecs.Replicate[Food](p, 0)
	ecs.Replicate[components.Teleports](p, ecs.Predicted)
	names.Add(p)
	ecs.Input[Input](p)
	ecs.Join(p, join)
	p.Simulate("glide", glide)
	p.Simulate("crash", crash)
	p.Authority("feed", feed)
	return p
}

// Fallen is the event that a death of a snake is final.
type Fallen struct {
	Who components.NetID `net:"ref"`
	By  components.NetID `net:"ref"` // 0: the wall
}

func newEvents() *event.Registry {
	r := event.NewRegistry(channel.Config{})
	event.Register[Fallen](r, event.Options{})
	return r
}

// Listen makes a client call final for each final death. Predicted deaths of the client's own snake are in its state.
func Listen(c *systems.ClientConfig, final func(f *Fallen)) {
	c.Outcomes = func(l *outcome.Log) { outcome.Handle(l, outcome.Handlers[Death]{}) }
	c.Events = event.NewClient(newEvents(), event.ClientConfig{})
	event.OnClient(c.Events, func(_ *ecs.World, _ event.Origin, f *Fallen) { final(f) })
}

// serve makes a server raise [Fallen] to all clients, once per death, when the death is final.
func serve(c *systems.ServerConfig) {
	c.Events = event.NewServer(newEvents(), event.ServerConfig{})
	c.Outcomes = func(l *outcome.Log) {
		outcome.Handle(l, outcome.Handlers[Death]{Commit: func(w *ecs.World, o outcome.Outcome[Death]) {
			event.Raise(w, event.ToAll(), Fallen{Who: o.Subject.NetID, By: o.Value.By})
		}})
	}
}
