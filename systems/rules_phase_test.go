package systems_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// A client that catches up receives once, gathers and applies once for every
// tick, and sends once; no two of its ticks share an input.
func TestNetcodeA7_ClientCatchesUpTickByTick(t *testing.T) {
	var ran []string
	config := onField(1, 1, lag(3))
	config.Play = straight() // a filler is as good as the input: no replays
	config.Client = func(int) systems.ClientConfig {
		return systems.ClientConfig{Schedule: noteSystems(&ran, "Receive", "Reconcile", "InputGather", "Predict", "Send")}
	}
	c := systemstest.New(t, config)
	c.Connect()
	c.Run(time.Second)
	k := c.Clients[0]
	j := journalOf(k.World())
	caught := 0
	c.OnClientTick(func(k *systemstest.Client) {
		n := len(j.steps)
		want := []string{"Receive", "Reconcile"}
		for range n {
			want = append(want, "InputGather", "Predict")
		}
		want = append(want, "Send")
		if !slices.Equal(ran, want) {
			t.Fatalf("%d steps ran %v, not %v", n, ran, want)
		}
		for i, s := range j.steps {
			if s.in.N != uint16(k.Input())-uint16(n)+1+uint16(i) {
				t.Fatalf("step %d of %d took input %d, the newest is %d", i+1, n, s.in.N, k.Input())
			}
		}
		if n > 1 {
			caught++
		}
		ran, j.steps = nil, nil
	})
	ran = nil
	server := journalOf(c.Server.World())
	for range 10 {
		k.Stall(ticks(4))
		c.Run(time.Second)
	}
	if caught != 10 {
		t.Errorf("caught up %d times of 10", caught)
	}
	seen := map[uint16]bool{}
	for _, s := range server.of(k.ID()) {
		seen[s.in.N] = true
	}
	if f := k.Figures(); len(seen) < int(f.Consumed)-120 || f.Corrections != 0 {
		t.Errorf("the server stepped %d different inputs of %d, %d corrections", len(seen), f.Consumed, f.Corrections)
	}
}

// A server that catches up receives once, consumes one input of each client in
// every tick, and sends one state: the newest, not one for each tick.
func TestNetcodeA7_ServerCatchesUpTickByTick(t *testing.T) {
	var ran []string
	config := onField(1, 2, lag(3))
	config.Server.Schedule = noteSystems(&ran, "Receive", "ServerApply", "Snapshot", "Send")
	c := systemstest.New(t, config)
	j := journalOf(c.Server.World())
	c.Connect()
	c.Run(3 * time.Second)
	last := c.Server.Tick()
	updates := c.Server.Stats().Updates
	caught := 0
	c.OnServerTick(func() {
		n := int(c.Server.Tick() - last)
		last = c.Server.Tick()
		want := []string{"Receive"}
		for range n {
			want = append(want, "ServerApply")
		}
		want = append(want, "Snapshot", "Send")
		if !slices.Equal(ran, want) {
			t.Fatalf("%d ticks ran %v, not %v", n, ran, want)
		}
		if n > 1 {
			caught++
			if got := c.Server.Stats().Updates - updates; got != 2 {
				t.Fatalf("%d updates to 2 clients after %d ticks at once", got, n)
			}
		}
		updates = c.Server.Stats().Updates
		ran = nil
	})
	ran = nil
	for range 10 {
		c.StallServer(ticks(5))
		c.Run(time.Second)
	}
	if caught != 10 {
		t.Errorf("caught up %d times of 10", caught)
	}
	for _, k := range c.Clients {
		steps := j.of(k.ID())
		for i := 1; i < len(steps); i++ {
			if steps[i].tick <= steps[i-1].tick || steps[i].in.N != steps[i-1].in.N+1 {
				t.Fatalf("%v: tick %d consumed input %d after tick %d with input %d", k,
					steps[i].tick, steps[i].in.N, steps[i-1].tick, steps[i-1].in.N)
			}
		}
	}
	c.NoCorrections()
}

// Tick inside Simulate is the same on both sides: the tick in which the server
// consumes an input is the one for which the client predicted it, the first time
// and in every replay, while the buffer does not hold.
func TestNetcodeA8_TickIsTheServers(t *testing.T) {
	systemstest.Seeds(t, 4, func(t *testing.T, seed uint64) {
		config := onField(seed, 3, bad())
		config.Protocol = fieldWith(pushAt(func(tick, owner uint32) (components.Position, bool) {
			return components.Position{Y: 2}, tick%90 == owner // so that there are replays
		}))
		c := systemstest.New(t, config)
		c.Connect()
		c.Run(15 * time.Second)
		c.Mark()
		server := journalOf(c.Server.World())
		for _, k := range c.Clients {
			journalOf(k.World())
		}
		c.Run(10 * time.Second)
		for _, k := range c.Clients {
			consumed := map[uint16]uint32{}
			for _, s := range server.of(k.ID()) {
				consumed[s.in.N] = s.tick
			}
			compared := 0
			for _, s := range journalOf(k.World()).steps {
				if tick, ok := consumed[s.in.N]; ok {
					compared++
					if tick != s.tick {
						t.Fatalf("%v predicted input %d for tick %d, the server consumed it in tick %d", k, s.in.N, s.tick, tick)
					}
				}
			}
			if f := k.Figures(); f.Holds != 0 || f.Missing != 0 || compared < 600 || f.Resimulated == 0 {
				t.Errorf("%v: %d holds, %d missing, %d steps compared, %d of them in replays", k, f.Holds, f.Missing, compared, f.Resimulated)
			}
		}
	})
}

// Doors and platforms that follow the tick line up with what clients predict.
func TestNetcodeA8_DoorsAndPlatformsLineUp(t *testing.T) {
	protocol := func() *ecs.Protocol {
		p := fieldBase()
		p.Simulate("walk", walk)
		p.Simulate("platform", func(w *ecs.World) {
			for _, d := range ecs.Each[walker](w) {
				d.Pos.Y = 20 * float32(math.Sin(float64(w.Tick())/30))
			}
		})
		p.Simulate("door", func(w *ecs.World) {
			const every = 45
			for _, d := range ecs.Each[walker](w) {
				if w.Tick()/every%2 == 0 && d.Pos.X > 20 {
					d.Pos.X = 20
				}
			}
		})
		return p
	}
	systemstest.Seeds(t, 4, func(t *testing.T, seed uint64) {
		config := onField(seed, 3, bad())
		config.Protocol = protocol
		config.Play = systemstest.Play(func(k *systemstest.Client, in *Walk) {
			in.DX = 1
			if k.Input()%400 > 250 {
				in.DX = -1
			}
		})
		c := systemstest.New(t, config)
		c.Connect()
		c.Run(15 * time.Second)
		c.Mark()
		c.Run(20 * time.Second)
		for _, k := range c.Clients {
			if f := k.Figures(); f.Holds != 0 || f.Confirmed < 200 {
				t.Errorf("%v: %d holds, %d own states confirmed", k, f.Holds, f.Confirmed)
			}
		}
		c.NoCorrections()
		c.Settle()
		c.Converged()
	})
}
