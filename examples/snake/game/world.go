package game

import (
	"sync/atomic"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/runner"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/outcome"
	"github.com/tactusgo/tactus/systems/policy"
)

// Window is how far the server rewinds for a late input. Clients lead the server by at most half of it. The inputs of a
// client with a longer delay always arrive late, but still count.
const Window = 300 * time.Millisecond

// Protocol returns the definition of the game. Server and clients call it.
func Protocol() *ecs.Protocol {
	return protocol(func(w *ecs.World, client uint32, _ *struct{}) {
		s, b := newSnake(ecs.NewRand(w.Seed(), uint64(client)<<1), Snake{Length: hatch})
		w.Spawn(components.Owner{Client: client}, s, b, components.Teleports{}, Input{})
	})
}

// protocol returns the definition of the game with a join handler.
func protocol(join func(w *ecs.World, client uint32, _ *struct{})) *ecs.Protocol {
	p := ecs.NewProtocol("snake/1")
	ecs.Replicate[Snake](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[Body](p, ecs.Predicted)
	ecs.Replicate[Food](p, 0)
	ecs.Replicate[components.Teleports](p, ecs.Predicted)
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

// Proof has counts that show what the example demonstrates.
type Proof struct {
	Provisional uint64 `json:"provisional"` // deaths on the server
	Withdrawn   uint64 `json:"withdrawn"`   // of these, cancelled by a late input
	Final       uint64 `json:"final"`
	Foreseen    uint64 `json:"foreseen"` // deaths that clients predicted for their own snakes
	Mistaken    uint64 `json:"mistaken"` // of these, did not happen
	Told        int64  `json:"told"`     // final deaths received, over all clients
}

// World returns the game for package runner.
func World() runner.World {
	var told atomic.Int64
	return runner.World{
		Name: "snake", Presets: []policy.Model{policy.ServerRewind{Window: Window}}, Defaults: runner.Options{NPCs: 40},
		About:    "Snakes cut each other off. A death is final only when no late input can change it. -npcs is the amount of food.",
		Protocol: func(*runner.Options) *ecs.Protocol { return Protocol() },
		Populate: func(w *ecs.World, o *runner.Options) {
			for i := range o.NPCs {
				w.Spawn(somewhere(ecs.NewRand(w.Seed(), uint64(i)<<1|1)))
			}
		},
		Bot: func(o *runner.Options, n int) runner.Bot { return &bot{daring: 8 + n%3*2} },
		Place: func(w *ecs.World, e ecs.Entity) (x, y float32, ok bool) {
			s := ecs.Get[Snake](w, e)
			return s.X, s.Y, true
		},
		Server: func(_ *runner.Options, c *systems.ServerConfig) { serve(c) },
		Client: func(_ *runner.Options, c *systems.ClientConfig) { Listen(c, func(*Fallen) { told.Add(1) }) },
		Proof: func(s *systems.Server, clients []*systems.Client) any {
			on := s.Outcomes().Stats()
			all := Proof{Provisional: on.Begun, Withdrawn: on.Cancelled, Final: on.Committed, Told: told.Load()}
			for _, c := range clients {
				all.Foreseen, all.Mistaken = all.Foreseen+c.Outcomes().Stats().Begun, all.Mistaken+c.Outcomes().Stats().Cancelled
			}
			return all
		},
	}
}
