package game

import (
	"net/netip"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
)

// Bots find their way without predicting it, too: those that people meet on a page are such.
func TestThinBots(t *testing.T) {
	network, now := netsys.NewNetwork(), time.Unix(0, 0)
	address := netip.MustParseAddrPort("127.0.0.1:7797")
	world := World()
	config := systems.ServerConfig{Start: now}
	world.Server(nil, &config)
	server, err := systems.NewServer(network.Node(address), Protocol(), config)
	if err != nil {
		t.Fatal(err)
	}
	world.Populate(server.World(), &world.Defaults)
	var clients []*systems.Client
	for n := range 4 {
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
	for range 90 * 60 {
		now = now.Add(time.Second / 60)
		server.Advance(now)
		for _, c := range clients {
			c.Advance(now)
		}
	}
	players, coins := 0, 0
	for _, p := range ecs.Each[player](server.World()) {
		players, coins = players+1, coins+int(p.Body.Coins)
		if p.Body.Jumps < 5 || p.Body.Rides < 3 {
			t.Errorf("client %d goes no tour: %+v", p.Owner.Client, *p.Body)
		}
	}
	if players != len(clients) || coins < 30 {
		t.Errorf("%d players have %d coins", players, coins)
	}
}
