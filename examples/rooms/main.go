// Command rooms is the smallest server with rooms: each room is a game of dots for four players. Six bots join in the same
// program, over real UDP. Programs on this machine can request seats at http://127.0.0.1:8080/rooms; with -lobby and that
// address without the path, this program does so and plays. After Ctrl-C, players can continue for five seconds; a second
// Ctrl-C ends the server immediately.
package main

import (
	"context"
	"flag"
	"log"
	"math/rand/v2"
	"net"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/serve"
	"github.com/tactusgo/tactus/systems/rooms/web"
)

// Move is the input that a client sends for every tick.
type Move struct {
	DX, DY int8 `net:"-1..1"`
}

// dot is a row: the components that a system wants to touch.
type dot struct {
	Pos *components.Position
	In  *Move
}

// Dots returns the protocol of a room. Server and clients use the same one.
func Dots() *ecs.Protocol {
	p := ecs.NewProtocol("dots/1")
	ecs.Replicate[components.Position](p, ecs.Predicted|ecs.Interpolated)
	ecs.Input[Move](p)
	p.Simulate("move", func(w *ecs.World) {
		for _, d := range ecs.Each[dot](w) {
			d.Pos.X, d.Pos.Y = d.Pos.X+float32(d.In.DX), d.Pos.Y+float32(d.In.DY)
		}
	})
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, components.Position{}, Move{})
	})
	return p
}

// open starts the server: rooms of dots behind one address.
func open(addr string) (*rooms.Server, error) {
	wire, err := netsys.ListenUDP(addr)
	if err != nil {
		return nil, err
	}
	return rooms.New(rooms.Config{
		Kinds: []rooms.Kind{{Name: "dots", Protocol: Dots, Capacity: 4}},
	}, wire)
}

// join requests a seat for a player, in an open room or a new one, and returns the client that plays on it. A real game
// authenticates the player; here the player is a number.
func join(ctx context.Context, s *rooms.Server, player uint64) (*systems.Client, rooms.Seat, error) {
	all, err := s.Join("dots", nil, rooms.Player{ID: player})
	if err != nil {
		return nil, rooms.Seat{}, err
	}
	c, err := systems.Dial(ctx, "", Dots(), systems.ClientConfig{
		Session: systems.ClientSession{Token: all[0].Token},
		Gather:  systems.Gather(walk),
	})
	return c, all[0].Seat, err
}

// walk fills the input of a bot, which walks to and fro.
func walk(c *systems.Client, in *Move) { in.DX = int8(c.World().Tick()/60%2)*2 - 1 }

// play lets six players join and play until ctx ends. A player joins only while the server runs.
func play(ctx context.Context, server *rooms.Server) {
	for player := range uint64(6) {
		c, seat, err := join(ctx, server, player+1)
		if err != nil {
			log.Fatal(err)
		}
		log.Printf("player %d sits in room %v", seat.Player, seat.Room)
		go c.Run(ctx, nil)
	}
}

func main() {
	ctx, lobby := context.Background(), flag.String("lobby", "", "play in a room of the lobby at this `URL`, without a server")
	if flag.Parse(); *lobby != "" {
		c, code, err := enter(ctx, *lobby, rand.Uint64()|1, systems.ClientConfig{Gather: systems.Gather(walk)})
		if err != nil {
			log.Fatal(err)
		}
		log.Printf("client %d plays in the room %s", c.ID(), code)
		log.Fatal(c.Run(ctx, nil))
	}
	server, err := open("127.0.0.1:7777")
	if err != nil {
		log.Fatal(err)
	}
	go play(ctx, server)
	listener, err := net.Listen("tcp", "127.0.0.1:8080")
	if err != nil {
		log.Fatal(err)
	}
	seats, err := web.New(web.Config{}, rooms.Here(server))
	if err != nil {
		log.Fatal(err)
	}
	beside := []func(context.Context) error{web.Beside(listener, seats)}
	if err := serve.Run(ctx, server, serve.Config{Deadline: 5 * time.Second, Beside: beside}); err != nil {
		log.Fatal(err)
	}
}
