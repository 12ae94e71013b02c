package guide

import (
	"errors"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/interpolate"
	"github.com/tactusgo/tactus/systems/policy"
)

// Protocol returns the definition of the game: components, handlers for joins, leaves and commands, and the rules in
// the order in which they run. Server and clients call it.
func Protocol() *ecs.Protocol {
	p := ecs.NewProtocol("tanks/1")
	ecs.Input[Drive](p)
	ecs.Replicate[Place](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[Hull](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[Shell](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[Ammo](p, ecs.Predicted|ecs.OwnerOnly)
	ecs.Replicate[components.Teleports](p, ecs.Predicted)
	ecs.Replicate[Crew](p, 0)
	ecs.Replicate[Flag](p, 0)
	ecs.Replicate[Mine](p, 0)
	ecs.Singleton[Score](p, 0)

	ecs.Join(p, join)
	p.Leave(leave)
	ecs.Command(p, rename)
	ecs.Carry(p, func(_ Flag, carrier Place) Place { return carrier })

	p.Simulate("drive", drive)
	p.Simulate("fire", fire)
	p.Simulate("fly", fly)
	p.Authority("hit", hit)
	p.Authority("explode", explode)
	p.Authority("capture", capture)
	return p
}

// Populate spawns the entities that exist before any player joins.
func Populate(w *ecs.World) {
	for team, base := range bases {
		w.Spawn(base, Flag{Team: uint8(team)})
		for y := -3; y <= 3; y++ {
			w.Spawn(Place{base.X / 2, float32(y) * 60}, Mine{Team: uint8(team)})
		}
	}
}

// Say is a line of chat. A player sends it to the server, which sends it to all players.
type Say struct {
	From uint32 `net:"raw"` // set by the server
	Text components.Text[[80]byte]
}

// Destroyed is the event that a tank was destroyed. The lasting effects are in components.
type Destroyed struct {
	Who components.NetID `net:"ref"`
}

// registry returns the events of the game. Server and clients must register the same ones.
func registry() *event.Registry {
	r := event.NewRegistry(channel.Config{})
	event.Register[Say](r, event.Options{From: event.FromServer | event.FromClients, Rate: 2, Tell: true})
	event.Register[Destroyed](r, event.Options{})
	return r
}

// Server returns the configuration of a server under a netcode model.
func Server(model policy.Model) systems.ServerConfig {
	events := event.NewServer(registry(), event.ServerConfig{})
	event.OnServer(events, event.Handlers[Say]{
		Validate: func(_ *ecs.World, _ event.Sender, s *Say) error {
			if s.Text.Len() == 0 {
				return errors.New("the line is empty")
			}
			return nil
		},
		Handle: func(w *ecs.World, from event.Sender, s *Say) {
			s.From = from.Client
			event.Raise(w, event.ToAll(), *s)
		},
	})
	c := systems.ServerConfig{
		Model:   model,
		Players: systems.Players{Login: systems.Login(admit)},
		Events:  events,
	}
	c.Players.RefuseCommands = []systems.RefuseCommandFunc{systems.RefuseCommand(refuseRename)}
	if !policy.Is[policy.Rollback](model) && !policy.Is[policy.Lockstep](model) { // in these two, every peer has the whole world
		c.Snapshots.Interest, c.Snapshots.Priority, c.Snapshots.Budget = mines(), nearest, 600
	}
	return c
}

// nearest returns the priority of an entity for a client. When a snapshot is full, the server sends entities with a
// higher priority more often.
func nearest(w *ecs.World, e ecs.Entity, client uint32) float32 {
	it := ecs.Get[Place](w, e)
	for _, t := range ecs.EachOf[tank](w, client) {
		if it != nil && t.Place.near(*it, 150) {
			return 4
		}
	}
	return 1
}

// mines returns the interest rule that hides mines from the other team.
func mines() systems.Interest {
	return systems.Filter(func(me struct{ Crew *Crew }, it struct{ Mine *Mine }) bool {
		return me.Crew.Team == it.Mine.Team
	})
}

// Client returns the configuration of a client that joins with a login. said and destroyed handle the events.
func Client(as Login, said func(Say), destroyed func(Destroyed)) systems.ClientConfig {
	events := event.NewClient(registry(), event.ClientConfig{})
	event.OnClient(events, func(_ *ecs.World, _ event.Origin, s *Say) { said(*s) })
	event.OnClient(events, func(_ *ecs.World, _ event.Origin, d *Destroyed) { destroyed(*d) })
	return systems.ClientConfig{
		Login:  as,
		Events: events,
		Prediction: systems.Prediction{
			Smoothing: interpolate.Smoothing{Rate: 12}, // fades corrections more slowly than the default
		},
	}
}
