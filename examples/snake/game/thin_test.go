package game

import (
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// Bots hunt without predicting, too: those that people meet on a page are such.
func TestThinBots(t *testing.T) {
	network, now := netsys.NewNetwork(), time.Unix(0, 0)
	address := netip.MustParseAddrPort("127.0.0.1:7797")
	world := World()
	config := systems.ServerConfig{Start: now, Policies: world.Presets[0].Policies()}
	world.Server(nil, &config)
	server, err := systems.NewServer(network.Node(address), Protocol(), config)
	if err != nil {
		t.Fatal(err)
	}
	world.Populate(server.World(), &world.Defaults)
	var clients []*systems.Client
	for n := range 6 {
		link := netsys.Link{Latency: 50 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.02}
		wire, err := netsys.Condition(network.Node(netip.AddrPort{}), netsys.ConditionerConfig{Seed: uint64(n), In: link, Out: link})
		if err != nil {
			t.Fatal(err)
		}
		config := systems.ClientConfig{Start: now, Gather: world.Bot(&world.Defaults, n).Gather(), Schedule: systems.Thin}
		world.Client(&world.Defaults, &config)
		c, err := systems.NewClient(wire, address, Protocol(), config)
		if err != nil {
			t.Fatal(err)
		}
		clients = append(clients, c)
	}
	turns, walls := map[uint32]int{}, 0
	for range 60 * 60 {
		now = now.Add(time.Second / 60)
		server.Advance(now)
		for _, c := range clients {
			c.Advance(now)
		}
		for _, p := range ecs.All[struct {
			Owner components.Owner
			Snake Snake
			In    Input
		}](server.World()) {
			if p.In.Turn != 0 {
				turns[p.Owner.Client]++
			}
			if p.Snake.Dead == 1 && p.Snake.By == 0 {
				walls++
			}
		}
	}
	for _, c := range clients {
		if n := turns[c.ID()]; n < 300 {
			t.Errorf("client %d turns in %d ticks", c.ID(), n)
		}
	}
	if walls > 12 {
		t.Errorf("they run into the wall %d times", walls)
	}
}
