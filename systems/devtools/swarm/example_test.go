package swarm_test

import (
	"context"
	"fmt"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/swarm"
)

// Keys is the input of a player.
type Keys struct {
	DX, DY int8 `net:"-1..1"`
}

// Spot is the position of a player.
type Spot struct {
	X, Y float32 `net:"0..100 step 0.1"`
}

// field returns the protocol of a game in which players walk.
func field() *ecs.Protocol {
	p := ecs.NewProtocol("field/1")
	ecs.Replicate[Spot](p, ecs.Predicted|ecs.Interpolated)
	ecs.Input[Keys](p)
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, Spot{X: 50, Y: 50}, Keys{})
	})
	p.Simulate("walk", func(w *ecs.World) {
		for _, e := range ecs.Each[struct {
			At *Spot
			In *Keys
		}](w) {
			e.At.X = min(max(e.At.X+float32(e.In.DX), 0), 100)
			e.At.Y = min(max(e.At.Y+float32(e.In.DY), 0), 100)
		}
	})
	return p
}

// load returns a load test of that game: players turn every half second, each at a time of their own.
func load(addr string) swarm.Config {
	return swarm.Config{
		Protocol: field,
		Addr:     addr,
		Clients:  100,
		Thin:     4,
		Input: swarm.Input(func(n int) func(p *swarm.Player, in *Keys) {
			return func(p *swarm.Player, in *Keys) {
				turn := (int(p.Tick) + n) / (p.TickRate / 2)
				in.DX, in.DY = int8(turn%3)-1, int8(turn/3%3)-1
			}
		}),
		Warmup:   100 * time.Millisecond,
		Duration: time.Second,
	}
}

// A hundred players load a server, here one in the same process.
func Example() {
	wire, err := netsys.ListenUDP("127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	config := systems.ServerConfig{MaxClients: 100}
	config.Overload.Off = true // a slow machine refuses nobody
	server, err := systems.NewServer(wire, field(), config)
	if err != nil {
		panic(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- server.Run(ctx) }()

	report, err := swarm.Run(ctx, load(wire.LocalAddr().String()))
	if err != nil {
		panic(err)
	}
	fmt.Println(report.Connected, "are in,", report.Lost, "were lost,", report.Different, "entities were decoded wrongly")

	stop()
	if err := <-ended; err != nil {
		panic(err)
	}
	// Output:
	// 100 are in, 0 were lost, 0 entities were decoded wrongly
}
