package event_test

import (
	"errors"
	"fmt"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems/event"
)

// Line is a line of chat: from a client to the server, and from there to all.
type Line struct {
	From uint32 `net:"raw"` // the server fills it in
	Text components.Text[[40]byte]
}

// DoorOpened is the event of an opening door. The open door itself is state.
type DoorOpened struct {
	By components.NetID `net:"ref"`
}

// Door is the state.
type Door struct{ Open bool }

// Events are registered alike by server and clients.
func Events() *event.Registry {
	r := event.NewRegistry(channel.Config{})
	event.Register[Line](r, event.Options{From: event.FromServer | event.FromClients, Rate: 2, Tell: true})
	event.Register[DoorOpened](r, event.Options{})
	return r
}

// straight replaces the channels of a session.
type straight func(number int, message []byte) (bool, error)

func (s straight) Send(number int, message []byte) error {
	_, err := s(number, message)
	return err
}

// A line of chat is raised in no tick, with a rule that the server holds clients to. A
// door is opened by a system of Simulate, which runs on both sides: the client predicts
// that it is open, the server alone tells of it, and the client hears of it when its
// confirmed state has the open door.
func Example() {
	p := ecs.NewProtocol("doors/1")
	ecs.Replicate[Door](p, ecs.Predicted)
	type row struct{ Door *Door }
	p.Simulate("open", func(w *ecs.World) {
		for e, r := range ecs.Each[row](w) {
			if w.Tick() == 2 && !r.Door.Open {
				r.Door.Open = true
				event.Raise(w, event.ToViewers(e), DoorOpened{By: 7})
			}
		}
	})
	registry := Events()
	server, client := event.NewServer(registry, event.ServerConfig{}), event.NewClient(registry, event.ClientConfig{})

	event.OnServer(server, event.Handlers[Line]{
		Validate: func(_ *ecs.World, _ event.Sender, v *Line) error {
			if v.Text.Len() == 0 {
				return errors.New("an empty line")
			}
			return nil
		},
		Handle: func(w *ecs.World, from event.Sender, v *Line) {
			v.From = from.Client
			event.Raise(w, event.ToAll(), *v)
		},
	})
	event.OnClient(client, func(_ *ecs.World, _ event.Origin, v *Line) { fmt.Printf("%d says: %s\n", v.From, v.Text) })
	event.OnClient(client, func(_ *ecs.World, at event.Origin, v *DoorOpened) {
		fmt.Printf("tick %d: %d opens door %d\n", at.Tick, v.By, at.About)
	})

	// Package systems does the following for a game: it connects worlds, sessions and ticks.
	sw, cw := ecs.NewWorld(p, ecs.Config{}), ecs.NewWorld(p, ecs.Config{})
	server.Attach(sw, event.Hooks{})
	server.Join(1, 0, straight(client.Receive))
	client.Join(cw, 0, straight(func(number int, message []byte) (bool, error) { return server.Receive(1, number, message) }))
	sw.Spawn(Door{})

	var hello Line
	hello.Text.Set("good evening")
	event.Raise(cw, event.ToServer(), hello)
	client.Settle(0)
	for tick := range uint32(4) {
		sw.Netcode().SetTick(tick)
		server.Start(tick)
		sw.Netcode().SimulateStage().Run(sw)
		server.Done()
		server.Settle(tick + 1)
		fmt.Println("a state with", tick+1, "ticks")
		client.Deliver(tick+1, nil)
	}
	// Output:
	// a state with 1 ticks
	// 1 says: good evening
	// a state with 2 ticks
	// a state with 3 ticks
	// tick 2: 7 opens door 1
	// a state with 4 ticks
}
