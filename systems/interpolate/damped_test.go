package interpolate_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// buffered returns a configuration of the field under the preset Buffered, at three steps a
// wake-up.
func buffered(seed uint64, clients int, link netsys.Link) systemstest.Config {
	config := fieldtest.Config(seed, clients, link)
	config.Server.Model = policy.Buffered{}
	config.Server.WakeEvery = 3
	return config
}

// A server with WakeEvery 3 simulates three steps per wake-up, each with one input of each client, and acknowledges the last
// one.
func TestNetcodeC1_ThreeStepsAWakeUp(t *testing.T) {
	systemstest.Seeds(t, 1, func(t *testing.T, seed uint64) {
		c := fieldtest.Start(t, buffered(seed, 3, fieldtest.Lag(4)), 15*time.Second) // until the buffers are as deep as they stay
		var last [3]systems.ClientStatus
		ticks, wakes := c.Server.Tick(), 0
		for i, k := range c.Clients {
			last[i] = k.Status()
		}
		c.OnServerTick(func() {
			if now := c.Server.Tick(); now-ticks != 3 {
				t.Fatalf("%d steps a wake-up", now-ticks)
			}
			ticks += 3
			wakes++
			for i, k := range c.Clients {
				st := k.Status()
				holds := uint32(st.Inputs.Holds - last[i].Inputs.Holds)
				if took := st.LastInput - last[i].LastInput; took+holds != 3 {
					t.Fatalf("%v: %d inputs and %d holds a wake-up", k, took, holds)
				}
				last[i] = st
			}
		})
		c.Run(10 * time.Second)
		if wakes != 200 {
			t.Errorf("%d wake-ups in ten seconds", wakes)
		}
		c.NothingMissing()
		c.NoCorrections() // with another input than the last one the comparison would fail
		for _, k := range c.Clients {
			if f := k.Figures(); f.Confirmed < 195 {
				t.Errorf("%v: %d own states agreed, of 200", k, f.Confirmed)
			}
		}
	})
}

// Rates that do not divide each other are refused.
func TestNetcodeC1_OtherRatiosAreRefused(t *testing.T) {
	for _, c := range []struct {
		config systems.ServerConfig
		ok     bool
	}{
		{systems.ServerConfig{TickRate: 60, WakeEvery: 3}, true},
		{systems.ServerConfig{TickRate: 60, WakeEvery: 7}, false},
		{systems.ServerConfig{TickRate: 60, WakeEvery: 3, Snapshots: systems.Snapshots{SendRate: 20}}, true},
		{systems.ServerConfig{TickRate: 60, WakeEvery: 3, Snapshots: systems.Snapshots{SendRate: 30}}, false},
		{systems.ServerConfig{TickRate: 60, WakeEvery: -1}, false},
	} {
		c.config.Model = policy.Buffered{}
		if err := c.config.Validate(); (err == nil) != c.ok || err != nil && !errors.Is(err, systems.ErrConfig) {
			t.Errorf("%d steps, one wake-up in %d, %d sends: %v", c.config.TickRate, c.config.WakeEvery, c.config.Snapshots.SendRate, err)
		}
	}
}

// Damped entities follow their newest confirmed position: at most at the configured speed, never beyond it, at any frame rate.
// They stop there when the position stops.
func TestNetcodeC6_Damped(t *testing.T) {
	t.Parallel()
	const rate, snap = 6.0, 4.0
	fieldtest.EachSeed(t, []int{30, 144}, 1, func(t *testing.T, frames int, seed uint64) {
		config := buffered(seed, 2, fieldtest.RoughLink())
		config.FrameRate = frames
		config.Protocol = fieldtest.ProtocolWithAuthority(fieldtest.PushAt(func(tick, _ uint32) (components.Position, bool) {
			return components.Position{X: 2 * snap}, tick%200 == 0
		}))
		config.Client = func(int) systems.ClientConfig {
			return systems.ClientConfig{Models: []policy.Model{policy.Buffered{Damping: policy.Damping{Rate: rate, Snap: snap}}}}
		}
		c := fieldtest.Start(t, config, 2*time.Second)
		jumps, moves := 0, 0
		fieldtest.WatchFrames(c, func(k *systemstest.Client, was, now fieldtest.Picture) {
			dt := (now.At - was.At).Seconds()
			for id, at := range now.Others {
				source, ok := k.World().ByNetID(id)
				from, known := was.Others[id]
				if !ok || !known {
					continue
				}
				target := fieldtest.Position(k.World(), source)
				away, left := fieldtest.Distance(from, target), fieldtest.Distance(at, target)
				if away > snap {
					jumps++
					if left != 0 {
						t.Fatalf("%v units apart, drawn %v from there", away, left)
					}
					continue
				}
				// Euler's steps are as good as one likes: here a thousand.
				want := away
				for range 1000 {
					want = max(want-max(rate, want*rate)*dt/1000, 0)
				}
				if math.Abs(left-want) > 0.02 {
					t.Fatalf("%v units apart, and %v after %v s; %v by the rule", away, left, dt, want)
				}
				if left < away {
					moves++
				}
			}
		})
		c.Run(8 * time.Second)
		if jumps == 0 || moves == 0 {
			t.Errorf("%d jumps and %d moves seen", jumps, moves)
		}
		fieldtest.MustConverge(c)
		drifts := drifterNumbers(c)
		for _, k := range c.Clients {
			truth := fieldtest.Positions(k.World())
			for id, p := range fieldtest.Positions(k.View()) {
				if _, ok := drifts[id]; !ok && id != 0 && p != truth[id] {
					t.Errorf("%v draws %d at %v when all is quiet, not at %v", k, id, p, truth[id])
				}
			}
		}
	})
}

// Sixty players see each other, and no snapshot exceeds its budget: once all have joined, no entity waits.
func TestNetcodeC10_ACrowdFitsTheBudget(t *testing.T) {
	t.Parallel()
	const crowd, budget = 60, 225 // 3.75 bytes a player
	config := fieldtest.Config(1, crowd, fieldtest.Lag(3))
	config.Server.Snapshots.Budget = budget
	config.FrameRate = 1 // nobody looks
	config.Protocol = fieldtest.ProtocolWith(fieldtest.OnJoin(func(w *ecs.World, client uint32) {
		w.Spawn(components.Owner{Client: client}, components.Position{X: float32(client%16)*60 - 450, Y: float32(client/16)*100 - 400}, fieldtest.Jumps{}, fieldtest.Walk{})
	}))
	c := systemstest.New(t, config)
	c.Connect()
	c.Run(2 * time.Second)
	before := c.Server.Stats()
	c.Run(2 * time.Second)
	st := c.Server.Stats()
	if updates := st.Updates - before.Updates; updates < uint64(crowd*39) {
		t.Errorf("%d updates in two seconds", updates)
	}
	if st.Snapshots.Largest > budget || st.OverBudget != before.OverBudget {
		t.Errorf("a snapshot of %d bytes, where %d are allowed; %d in which somebody had to wait", st.Snapshots.Largest, budget, st.OverBudget-before.OverBudget)
	}
	c.Settle()
	c.Converged()
}

// Confirmed returns the server's state of the own player, which equals the prediction after its input. It returns nothing for
// other players.
func TestNetcodeC7_TheServersGhost(t *testing.T) {
	systemstest.Seeds(t, fieldtest.SeedCount(2), func(t *testing.T, seed uint64) {
		c := systemstest.New(t, fieldtest.Config(seed, 2, fieldtest.BadLink()))
		type at struct{ client, when uint32 }
		truth, predicted := map[at]components.Position{}, map[at]components.Position{}
		c.OnServerTick(func() {
			for _, k := range c.Clients {
				truth[at{k.ID(), c.Server.Tick()}] = fieldtest.Position(c.Server.World(), fieldtest.OwnOnServer(c, k))
			}
		})
		c.Connect()
		c.Run(2 * time.Second)
		seen, behind, compared := 0, 0, 0
		c.OnClientTick(func(k *systemstest.Client) {
			e, ok := k.Own(k.World())
			if !ok {
				return
			}
			predicted[at{k.ID(), k.Input()}] = fieldtest.Position(k.World(), e)
			ghost, ok := systems.Confirmed[components.Position](k.Client, e)
			if want := truth[at{k.ID(), k.ConfirmedTick()}]; !ok || ghost != want {
				t.Fatalf("%v: at %v (%v) in tick %d, the server had it at %v", k, ghost, ok, k.ConfirmedTick(), want)
			}
			if was, known := predicted[at{k.ID(), k.ConfirmedInput()}]; known && c.Elapsed() > 5*time.Second {
				if compared++; fieldtest.Distance(ghost, was) > fieldtest.Tolerance {
					t.Fatalf("%v: predicted at %v after input %d, the server had it at %v", k, was, k.ConfirmedInput(), ghost)
				}
			}
			seen++
			if ghost != fieldtest.Position(k.World(), e) {
				behind++
			}
		})
		c.Run(8 * time.Second)
		if seen == 0 || behind == 0 || compared < 500 {
			t.Errorf("%d ghosts, %d of them elsewhere than predicted, %d compared with what was predicted", seen, behind, compared)
		}
		for e, r := range ecs.All[struct{ Pos components.Position }](c.Clients[0].World()) {
			if e != fieldtest.OwnEntity(c.Clients[0]) {
				if g, ok := systems.Confirmed[components.Position](c.Clients[0].Client, e); ok {
					t.Errorf("a ghost at %v of somebody else at %v", g, r.Pos)
				}
			}
		}
	})
}
