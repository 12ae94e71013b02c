package game

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// standing is what of the yard stands at a place.
type standing struct{ At components.Position }

// With an Interpolate of the game's own the yard is the same under every model: others walk in
// the view without a jump, the view has whoever is there, and in the end everybody agrees.
func TestOwnInterpolate(t *testing.T) {
	for _, preset := range policy.Presets() {
		t.Run(preset.String(), func(t *testing.T) {
			const clients, leaves = 4, 3
			var bots []*Bot
			for n := range clients {
				bots = append(bots, NewBot(7, n))
			}
			c := systemstest.New(t, systemstest.Config{
				Protocol: Protocol,
				Server:   systems.ServerConfig{Join: Join, Policies: preset.Policies(), Timeout: 2 * time.Second},
				Populate: func(w *ecs.World) { Populate(w, 20) },
				Client: func(int) systems.ClientConfig {
					return systems.ClientConfig{Systems: systems.ClientSystems{Interpolate: Draw}}
				},
				Play:    systemstest.Play(func(k *systemstest.Client, in *Input) { bots[k.N].Fill(k.World(), in) }),
				Clients: clients,
				Link:    systemstest.RoundTrip(300*time.Millisecond, 50*time.Millisecond, 0.05),
				Seed:    7,
			})
			c.Connect()
			c.Run(warm)
			seen, walked, jumped := make(map[components.NetID]components.Position), 0, 0
			c.OnFrame(func(k *systemstest.Client) {
				if k.N != 0 {
					return
				}
				for e, x := range ecs.All[standing](k.View()) {
					id := k.View().NetID(e)
					was, known := seen[id]
					if seen[id] = x.At; known && was != x.At {
						walked++
						if length(x.At.X-was.X, x.At.Y-was.Y) > 3*Width {
							jumped++
						}
					}
				}
			})
			c.Run(10 * time.Second)
			if walked < 1000 || jumped > 0 {
				t.Errorf("%d steps seen, %d of them jumps", walked, jumped)
			}
			c.Clients[leaves].Leave()
			c.Settle()
			c.Converged()
			for _, k := range c.Clients[:leaves] {
				if k.DrawnTick() < float64(k.ServerTick())-120 || k.DrawnTick() > float64(c.Server.Tick())+60 {
					t.Errorf("%v draws tick %v of %d", k, k.DrawnTick(), k.ServerTick())
				}
				there := 0
				for e, x := range ecs.All[standing](k.World()) {
					there++
					v, ok := k.View().ByNetID(k.World().NetID(e))
					if at := ecs.Get[components.Position](k.View(), v); !ok || at == nil || length(at.X-x.At.X, at.Y-x.At.Y) > 2*Width {
						t.Errorf("%v draws entity %d, which is at %v, at %v", k, k.World().NetID(e), x.At, at)
					}
				}
				for range ecs.All[standing](k.View()) {
					there--
				}
				if there != 0 {
					t.Errorf("%v draws %d too many", k, -there)
				}
			}
		})
	}
}
