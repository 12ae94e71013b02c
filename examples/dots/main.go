// Command dots is a complete multiplayer game. The server decides the state. Each client predicts its own dot and
// interpolates the others. Here a server and four clients run in one program, over real UDP. Ctrl-C ends it.
package main

import (
	"context"
	"log"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/systems"
)

// Move is the input that a client sends for every tick.
type Move struct {
	DX, DY int8 `net:"-1..1"`
}

// dot is a row of pointers: the components that a system reads and writes.
type dot struct {
	Pos *components.Position
	In  *Move
}

// seen is a row of values: copies that a client reads to draw.
type seen struct {
	Owner components.Owner
	Pos   components.Position
}

// Dots returns the protocol of the game. Server and clients run the same rules: the server for every dot, a client for
// its own dot.
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

func play(ctx context.Context, addr string, move func(*systems.Client, *Move), frame func(*systems.Client)) error {
	c, err := systems.Dial(ctx, addr, Dots(), systems.ClientConfig{Gather: systems.Gather(move)})
	if err != nil {
		return err
	}
	return c.Run(ctx, frame)
}

func main() {
	ctx := context.Background()
	wire, err := eventloop.Listen("127.0.0.1:7777")
	if err != nil {
		log.Fatal(err)
	}
	go systems.Serve(ctx, wire, Dots(), systems.ServerConfig{})
	for n := range uint32(4) { // bots that walk to and fro, a second each way
		go play(ctx, "127.0.0.1:7777", func(c *systems.Client, in *Move) { in.DX = int8((c.World().Tick()/60+n)%2)*2 - 1 }, watch)
	}
	select {}
}

func watch(c *systems.Client) {
	for _, d := range ecs.All[seen](c.View()) {
		if c.World().Tick()%60 == 0 {
			log.Printf("client %d sees the dot of client %d at %7.2f %7.2f", c.ID(), d.Owner.Client, d.Pos.X, d.Pos.Y)
		}
	}
}
