package game

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Bots hunt without predicting, too: those that people meet on a page are such.
func TestThinBots(t *testing.T) {
	world := World()
	config := systemstest.Config{
		Protocol: Protocol, Clients: 6, Link: netsys.Link{Latency: 50 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.02},
		Populate: func(w *ecs.World) { world.Populate(w, &world.Defaults) },
		Client: func(n int) systems.ClientConfig {
			c := systems.ClientConfig{Gather: world.Bot(&world.Defaults, n).Gather(), Schedule: systems.Thin}
			world.Client(&world.Defaults, &c)
			return c
		},
	}
	config.Server.Model = world.Presets[0]
	world.Server(nil, &config.Server)
	c := systemstest.New(t, config)
	c.Connect()
	turns, walls := map[uint32]int{}, 0
	c.OnServerTick(func() {
		for _, p := range ecs.All[struct {
			Owner components.Owner
			Snake Snake
			In    Input
		}](c.Server.World()) {
			if p.In.Turn != 0 {
				turns[p.Owner.Client]++
			}
			if p.Snake.Dead == 1 && p.Snake.By == 0 {
				walls++
			}
		}
	})
	c.Run(time.Minute)
	for _, k := range c.Clients {
		if n := turns[k.ID()]; n < 300 {
			t.Errorf("%v turns in %d ticks", k, n)
		}
	}
	if walls > 12 {
		t.Errorf("they run into the wall %d times", walls)
	}
}
