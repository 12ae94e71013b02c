package matches_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/snapshot"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// While acknowledgements are late, as on a busy path, baselines get older but snapshots do not grow. Two seconds after
// acknowledgements arrive in time again, everything is as before.
func TestLateAcknowledgementsDoNotGrowSnapshots(t *testing.T) {
	t.Parallel()
	for name, interest := range map[string]systems.Interest{"none": nil, "grid": &systems.Grid[components.Position]{Cell: 100, Radius: 3000}} {
		t.Run(name, func(t *testing.T) {
			var all []ecs.Entity
			usual := systemstest.RoundTrip(60*time.Millisecond, 10*time.Millisecond, 0.01)
			c := systemstest.New(t, systemstest.Config{
				Protocol: fieldtest.Protocol, Clients: 2, Seed: 1, Link: usual,
				Server: systems.ServerConfig{Snapshots: systems.Snapshots{Interest: interest}, Overload: systems.Overload{Off: true}},
				Populate: func(w *ecs.World) {
					for n := range 300 {
						all = append(all, w.Spawn(components.Position{X: float32(n), Y: float32(n % 20)}))
					}
				},
				Play: systemstest.Play(func(c *systemstest.Client, in *fieldtest.Walk) { in.DX = int8(c.Input()/60%3) - 1 }),
			})
			c.OnServerTick(func() {
				w := c.Server.World()
				for n, e := range all {
					if (n+int(w.Tick()))%12 == 0 {
						ecs.Get[components.Position](w, e).X += float32(n%5) - 2
					}
				}
			})
			// size returns the mean size of the snapshots of some seconds.
			size := func(seconds int) float64 {
				a := c.Server.Stats()
				c.Run(time.Duration(seconds) * time.Second)
				b := c.Server.Stats()
				return float64(b.Snapshots.Bytes-a.Snapshots.Bytes) / float64(b.Updates-a.Updates)
			}
			c.Connect()
			c.Run(3 * time.Second)
			before := size(5)
			for _, k := range c.Clients {
				k.SetLinks(systemstest.RoundTrip(6*time.Second, 800*time.Millisecond, 0.01), usual)
			}
			c.Run(time.Second)
			late, over := size(10), c.Server.Stats().OverBudget
			for _, k := range c.Clients {
				k.SetLinks(usual, usual)
			}
			c.Run(2 * time.Second)
			after := size(5)
			if late > 1.4*before || over == 0 {
				t.Errorf("snapshots of %.0f bytes, and of %.0f while acknowledgements are late; %d did not hold all", before, late, over)
			}
			if after > 1.1*before {
				t.Errorf("snapshots of %.0f bytes before, and of %.0f afterwards", before, after)
			}
			fieldtest.MustConverge(c)
		})
	}
}

// A client whose acknowledgements are 64 or more sends late has everything that it should have, even if each snapshot contains
// only a part of its set and entities spawn and despawn.
func TestLateAcknowledgementsOfParts(t *testing.T) {
	t.Parallel()
	systemstest.Seeds(t, 1, func(t *testing.T, seed uint64) {
		var all []ecs.Entity
		late := systemstest.RoundTrip(1400*time.Millisecond, 200*time.Millisecond, 0.05)
		c := systemstest.New(t, systemstest.Config{
			Protocol: fieldtest.Protocol, Clients: 2, Seed: seed, Link: late,
			Server: systems.ServerConfig{
				Overload:  systems.Overload{Off: true},
				Snapshots: systems.Snapshots{SendRate: 60, Budget: 300, Interest: &systems.Grid[components.Position]{Cell: 100, Radius: 3000}},
			},
			Populate: func(w *ecs.World) {
				for n := range 200 {
					all = append(all, w.Spawn(components.Position{X: float32(n), Y: float32(n % 20)}))
				}
			},
			Play: systemstest.Play(func(*systemstest.Client, *fieldtest.Walk) {}),
		})
		c.OnServerTick(func() {
			w := c.Server.World()
			if w.Tick()%4 == 0 {
				n := int(w.Tick()) / 4 % len(all)
				w.Despawn(all[n])
				all[n] = w.Spawn(components.Position{X: float32(n)})
			}
			for n, e := range all {
				ecs.Get[components.Position](w, e).X += float32((n+int(w.Tick()))%5) - 2
			}
		})
		c.Connect()
		c.Run(15 * time.Second)
		if c.Server.Stats().OverBudget == 0 {
			t.Error("all snapshots hold everything")
		}
		fieldtest.MustConverge(c)
	})
}

// A server that wakes up late and runs several ticks at once sends a snapshot at the tick of each send, as if it were in time.
func TestLateWakeUpsDoNotSkipSends(t *testing.T) {
	t.Parallel()
	c := systemstest.New(t, systemstest.Config{Protocol: fieldtest.Protocol, Clients: 2, Seed: 1, Server: systems.ServerConfig{Overload: systems.Overload{Off: true}}})
	c.Connect()
	// play returns how many snapshots were sent in the next 600 ticks.
	play := func() uint64 {
		before := c.Server.Stats().Updates
		c.RunTicks(600)
		return c.Server.Stats().Updates - before
	}
	usual := play()
	c.OnServerTick(func() { c.StallServer(5 * c.Server.World().StepDuration()) })
	if late := play(); late != usual {
		t.Errorf("%d snapshots, and %d from a server that runs five ticks at once", usual, late)
	}
	fieldtest.MustConverge(c)
}

// A client that has received nothing for longer than baselines last gets the whole state again, even with a small budget and
// while entities spawn and despawn.
func TestLongOutageWithSmallBudget(t *testing.T) {
	t.Parallel()
	var all []ecs.Entity
	c := systemstest.New(t, systemstest.Config{
		Protocol: fieldtest.Protocol, Clients: 2, Seed: 1,
		Server: systems.ServerConfig{
			Overload:  systems.Overload{Off: true},
			Snapshots: systems.Snapshots{Budget: snapshot.MinBudget, Interest: &systems.Grid[components.Position]{Cell: 100, Radius: 3000}},
		},
		Populate: func(w *ecs.World) {
			for n := range 400 {
				all = append(all, w.Spawn(components.Position{X: float32(n * 7), Y: float32(n * n % 2000)}))
			}
		},
		Play: systemstest.Play(func(*systemstest.Client, *fieldtest.Walk) {}),
	})
	comes := true
	c.OnServerTick(func() {
		if w := c.Server.World(); comes && w.Tick()%2 == 0 {
			n := int(w.Tick()) / 2 % len(all)
			w.Despawn(all[n])
			all[n] = w.Spawn(components.Position{X: float32(n), Y: float32(n * n % 2000)})
		}
	})
	c.Connect()
	c.Run(10 * time.Second)
	k := c.Clients[0]
	k.SetLinks(netsys.Link{Loss: 1}, netsys.Link{Loss: 1})
	c.Run(8 * time.Second)
	k.SetLinks(netsys.Link{}, netsys.Link{})
	c.Run(5 * time.Second)
	comes = false
	c.Run(20 * time.Second)
	fieldtest.MustConverge(c)
	for s := range c.Server.Clients {
		if s.Joining || s.OverBudget {
			t.Errorf("client %d: joining %v, over budget %v", s.ID, s.Joining, s.OverBudget)
		}
	}
}

// An entity that is despawned while a client stalls leaves the client's world, even if the client receives hundreds of later
// snapshots before it places them.
func TestGoneDuringStall(t *testing.T) {
	t.Parallel()
	var all []ecs.Entity
	c := systemstest.New(t, systemstest.Config{
		Protocol: fieldtest.Protocol, Clients: 1, Seed: 1,
		Server: systems.ServerConfig{Snapshots: systems.Snapshots{SendRate: 60, Interest: &systems.Grid[components.Position]{Cell: 100, Radius: 3000}}},
		Populate: func(w *ecs.World) {
			for n := range 10 {
				all = append(all, w.Spawn(components.Position{X: float32(n)}))
			}
		},
		Play: systemstest.Play(func(*systemstest.Client, *fieldtest.Walk) {}),
	})
	// entities returns how many entities the client draws.
	entities := func() (n int) {
		for range ecs.All[struct{ Pos components.Position }](c.Clients[0].View()) {
			n++
		}
		return n
	}
	c.Connect()
	c.Run(2 * time.Second)
	before := entities()
	c.Clients[0].Stall(8 * time.Second)
	c.Run(time.Second)
	c.Server.World().Despawn(all[0])
	c.Run(12 * time.Second)
	if after := entities(); before < len(all) || after != before-1 {
		t.Errorf("%d entities before one was gone, %d afterwards", before, after)
	}
}
