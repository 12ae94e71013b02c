package game_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// A crowd large enough to be spread over workers walks the same way with any number of them, with and without guns: worlds,
// datagrams and views are equal.
func TestWorkersChangeNothing(t *testing.T) {
	const clients, npcs = 3, 1200
	for _, combat := range []bool{false, true} {
		t.Run(fmt.Sprintf("combat=%v", combat), func(t *testing.T) {
			t.Parallel()
			systemstest.WorkersChangeNothing(t, func() systemstest.Config {
				protocol, populate := game.Protocol, game.Populate
				gather := func(n int) systems.GatherFunc { return game.NewBot(5, n, clients).Gather() }
				if combat {
					protocol, populate = game.CombatProtocol, game.PopulateCombat
					gather = func(n int) systems.GatherFunc { return game.NewGunner(5, n, clients).Gather() }
				}
				config := systemstest.Config{
					Protocol: protocol, Clients: clients, Seed: 5, FrameRate: 10,
					Link:     systemstest.RoundTrip(60*time.Millisecond, 10*time.Millisecond, 0.02),
					Populate: func(w *ecs.World) { populate(w, clients, npcs) },
					Client:   func(n int) systems.ClientConfig { return systems.ClientConfig{Gather: gather(n)} },
				}
				if combat {
					game.Arm(&config.Server)
				}
				return config
			}, func(c *systemstest.Crowd) {
				c.Connect()
				c.Run(2 * time.Second)
				walking := 0
				for _, r := range ecs.All[struct{ Vel components.Velocity }](c.Server.World()) {
					if r.Vel != (components.Velocity{}) {
						walking++
					}
				}
				if walking < npcs/3 {
					t.Errorf("%d of %d walk about", walking, npcs)
				}
			})
		})
	}
}
