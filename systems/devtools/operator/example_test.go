package operator_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/channel"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/operator"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/rooms"
)

// Move is the input of the game, Line what its players are told.
type (
	Move struct {
		DX int8 `net:"-1..1"`
	}
	Line struct {
		Text components.Text[[200]byte]
	}
)

// lines returns the events of the game, alike on server and clients.
func lines() *event.Registry {
	r := event.NewRegistry(channel.Config{})
	event.Register[Line](r, event.Options{})
	return r
}

func dots() *ecs.Protocol {
	p := ecs.NewProtocol("dots/1")
	ecs.Replicate[components.Position](p, ecs.Predicted|ecs.Interpolated)
	ecs.Input[Move](p)
	p.Simulate("move", func(*ecs.World) {})
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, components.Position{}, Move{})
	})
	return p
}

// shout sends all players of a room a line as an event of the game.
func shout(r *rooms.Room, text string) error {
	var line Line
	if !line.Text.Set(text) {
		return fmt.Errorf("players are told %d bytes at most", line.Text.Cap())
	}
	return r.Do(func(s *systems.Server) { event.Raise(s.World(), event.ToAll(), line) })
}

// kind returns the kind of rooms of the game: each has events of its own.
func kind() rooms.Kind {
	return rooms.Kind{Name: "dots", Protocol: dots, Capacity: 4, Set: func(_ *rooms.Room, c *systems.ServerConfig) error {
		c.Events = event.NewServer(lines(), event.ServerConfig{})
		return nil
	}}
}

// serve runs a process with rooms, and the operators' page.
func serve(ctx context.Context, wire netsys.Wire, l net.Listener) error {
	who, err := operator.ParseOperators(os.Getenv("OPERATORS")) // "ada=TOKEN bob=TOKEN"; none: nobody acts
	if err != nil {
		return err
	}
	audit := operator.NewAudit(os.Stderr)
	server, err := rooms.New(rooms.Config{Kinds: []rooms.Kind{kind()}, Told: audit.Told}, wire)
	if err != nil {
		return err
	}
	page, err := operator.New(server, operator.Config{Audit: audit, Operators: who, Broadcast: shout})
	if err != nil {
		return err
	}
	served := make(chan error, 1)
	go func() { served <- page.Serve(ctx, l) }()
	return errors.Join(server.Run(ctx), <-served)
}

// A process with rooms and a page for those who run it.
func Example() {
	wire, err := netsys.ListenUDP("127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop() // a game serves until it is told to stop
	fmt.Println(serve(ctx, wire, l))
	// Output: <nil>
}

// A broadcast to a room reaches its players and no others.
func TestBroadcastIsHeard(t *testing.T) {
	now, network := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), netsys.NewNetwork()
	server, err := rooms.New(rooms.Config{
		Kinds: []rooms.Kind{kind()}, Now: func() time.Time { return now }, Random: netsys.SeededRandom(1),
	}, network.Node(netip.AddrPort{}))
	if err != nil {
		t.Fatal(err)
	}
	var heard [6][]string
	var clients []*systems.Client
	var seats []rooms.Seat
	for i := range heard {
		a, err := server.Join("dots", nil, rooms.Player{ID: uint64(i + 1)})
		if err != nil {
			t.Fatal(err)
		}
		events := event.NewClient(lines(), event.ClientConfig{})
		event.OnClient(events, func(_ *ecs.World, _ event.Origin, l *Line) { heard[i] = append(heard[i], l.Text.String()) })
		c, err := systems.NewClient(network.Node(netip.AddrPort{}), netip.AddrPort{}, dots(), systems.ClientConfig{
			Session: systems.ClientSession{Token: a[0].Token}, Start: now, Events: events, Gather: systems.Gather(func(*systems.Client, *Move) {}),
		})
		if err != nil {
			t.Fatal(err)
		}
		clients, seats = append(clients, c), append(seats, a[0].Seat)
	}
	run := func() {
		for range 200 {
			now = now.Add(10 * time.Millisecond)
			server.Advance(now)
			for _, c := range clients {
				c.Advance(now)
			}
		}
	}
	run()
	if err := shout(server.Rooms()[0], "good evening"); err != nil {
		t.Fatal(err)
	}
	run()
	for i, lines := range heard {
		if here := seats[i].Room == server.Rooms()[0].ID(); here != (len(lines) == 1 && lines[0] == "good evening") || !here && len(lines) > 0 {
			t.Errorf("player %d, in the room: %v, heard %q; its client: %v", i+1, here, lines, clients[i].Err())
		}
	}
	if err := shout(server.Rooms()[0], string(make([]byte, 300))); err == nil {
		t.Error("a line that is too long was told")
	}
	if err := server.Close(now); err != nil {
		t.Error(err)
	}
}
