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

// A renderer reads the view after each Frame, at any frame rate.
func ExampleClient_View() {
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
	server.World().Spawn(components.Position{X: 5, Y: 7})
	client, err := systems.NewClient(network.Node(netip.AddrPort{}), address, lane(), systems.ClientConfig{Start: now})
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 240 { // frames, at 120 a second
		now = now.Add(time.Second / 120)
		server.Advance(now)
		client.Advance(now)
		client.Frame(now)
	}
	view := client.View()
	me, _ := client.Own(view)
	for e, drawn := range ecs.All[struct{ Pos components.Position }](view) {
		how, _ := client.Drawing(e)
		fmt.Println(drawn.Pos, "mine:", e == me, "simulated:", how.Simulated)
	}
	// Unordered output:
	// {0 0} mine: true simulated: true
	// {5 7} mine: false simulated: false
}
