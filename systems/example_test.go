package systems_test

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// Step is the input of the example: the distance to walk in a tick.
type Step struct {
	DX int8 `net:"-1..1"`
}

func lane() *ecs.Protocol {
	p := ecs.NewProtocol("lane/1")
	ecs.Replicate[components.Position](p, ecs.Predicted|ecs.Interpolated)
	ecs.Input[Step](p)
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, components.Position{}, Step{})
	})
	p.Simulate("step", func(w *ecs.World) {
		for _, r := range ecs.Each[struct {
			Pos *components.Position
			In  *Step
		}](w) {
			r.Pos.X += float32(r.In.DX)
		}
	})
	return p
}

// A server and a client on a network in memory, in virtual time. The same code runs on real sockets with Serve and Dial.
func Example() {
	network := netsys.NewNetwork()
	address := netip.MustParseAddrPort("127.0.0.1:7777")
	now := time.Unix(0, 0)
	server, err := systems.NewServer(network.Node(address), lane(), systems.ServerConfig{
		Start: now,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	client, err := systems.NewClient(network.Node(netip.AddrPort{}), address, lane(), systems.ClientConfig{
		Start:  now,
		Gather: systems.Gather(func(_ *systems.Client, in *Step) { in.DX = 1 }),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 120 {
		now = now.Add(time.Second / 60)
		server.Advance(now)
		client.Advance(now)
		client.Frame(now)
	}
	e, _ := client.Own(client.View())
	own := ecs.Get[components.Position](client.View(), e)
	fmt.Println("walks ahead of the server's word:", own.X > float32(client.ConfirmedTick())-10)
	fmt.Println("corrections:", client.Stats().Corrections)
	// Output:
	// walks ahead of the server's word: true
	// corrections: 0
}

// Print a schedule, or change it before the peer starts.
func ExampleServer_Schedule() {
	network := netsys.NewNetwork()
	server, err := systems.NewServer(network.Node(netip.AddrPort{}), lane(), systems.ServerConfig{
		Start: time.Unix(0, 0),
		Schedule: func(s *ecs.Schedule) error {
			return s.InsertAfter("Receive", ecs.System{Name: "Greet", Run: func(*ecs.World) {}})
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(server.Schedule())
	// Output:
	// Before
	//     Receive
	//     Greet
	// OnTick
	//     ServerApply
	//     Simulate
	//         step
	//     Authority
	// After
	//     Snapshot
	//     Send
}
