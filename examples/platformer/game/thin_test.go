package game

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Bots find their way without predicting it, too: those that people meet on a page are such.
func TestThinBots(t *testing.T) {
	world := World()
	config := systemstest.Config{
		Protocol: Protocol, Clients: 4, Link: netsys.Link{Latency: 50 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.02},
		Populate: func(w *ecs.World) { world.Populate(w, &world.Defaults) },
		Client: func(n int) systems.ClientConfig {
			c := systems.ClientConfig{Gather: world.Bot(&world.Defaults, n).Gather(), Schedule: systems.Thin}
			world.Client(&world.Defaults, &c)
			return c
		},
	}
	world.Server(nil, &config.Server)
	c := systemstest.New(t, config)
	c.Connect()
	c.Run(90 * time.Second)
	players, coins := 0, 0
	for _, p := range ecs.Each[player](c.Server.World()) {
		players, coins = players+1, coins+int(p.Body.Coins)
		if p.Body.Jumps < 5 || p.Body.Rides < 3 {
			t.Errorf("client %d goes no tour: %+v", p.Owner.Client, *p.Body)
		}
	}
	if players != len(c.Clients) || coins < 30 {
		t.Errorf("%d players have %d coins", players, coins)
	}
}
