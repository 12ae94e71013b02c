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

// A crowd large enough for its rows to be shared among workers walks the same way for each number of them, with guns and
// without: the world is the same after every tick, and so is what clients were sent.
func TestWorkersChangeNothing(t *testing.T) {
	for _, combat := range []bool{false, true} {
		t.Run(fmt.Sprintf("combat=%v", combat), func(t *testing.T) {
			t.Parallel()
			want := ""
			for _, workers := range []int{1, 4} {
				if got := stroll(t, combat, workers); want == "" {
					want = got
				} else if got != want {
					t.Errorf("%d workers: %s, one has %s", workers, got, want)
				}
			}
			t.Log(want)
		})
	}
}

// stroll lets a crowd walk for two seconds; it returns all hashes of the world in one, and what was sent.
func stroll(t *testing.T, combat bool, workers int) string {
	t.Helper()
	const clients, npcs = 3, 1200
	protocol, populate := game.Protocol, game.Populate
	if combat {
		protocol, populate = game.CombatProtocol, game.PopulateCombat
	}
	config := systemstest.Config{Protocol: protocol, Clients: clients, Seed: 5,
		Link: systemstest.RoundTrip(60*time.Millisecond, 10*time.Millisecond, 0.02), Server: systems.ServerConfig{Workers: workers}}
	config.Client = func(n int) systems.ClientConfig {
		if combat {
			return systems.ClientConfig{Gather: game.NewGunner(5, n, clients).Gather()}
		}
		return systems.ClientConfig{Gather: game.NewBot(5, n, clients).Gather()}
	}
	if combat {
		game.Arm(&config.Server)
	}
	c := systemstest.New(t, config)
	w := c.Server.World()
	populate(w, clients, npcs)
	sum := uint64(0)
	c.Connect()
	for range 120 {
		c.Run(time.Second / 60)
		sum = (sum ^ w.Hash()) * 1099511628211
	}
	walking := 0
	for _, r := range ecs.All[struct{ Vel components.Velocity }](w) {
		if r.Vel != (components.Velocity{}) {
			walking++
		}
	}
	if walking < npcs/3 {
		t.Errorf("%d of %d walk about", walking, npcs)
	}
	return fmt.Sprintf("%x, %d bytes", sum, c.Server.Stats().Snapshots.Bytes)
}
