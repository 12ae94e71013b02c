package systems_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Who joins in mid-match sees the whole world in one moment, costs those who play no
// correction and no stall, and plays like them.
func TestNetcodeE7_JoinsInMidMatch(t *testing.T) {
	systemstest.Seeds(t, 6, func(t *testing.T, seed uint64) {
		config := onField(seed, 3, systemstest.RoundTrip(200*time.Millisecond, 30*time.Millisecond, 0.05))
		loaded := 0
		var crowd *systemstest.Crowd
		config.Client = func(n int) systems.ClientConfig {
			return systems.ClientConfig{Loaded: func(w *ecs.World, tick uint32) {
				if n < 3 {
					return
				}
				loaded++
				seen := 0
				for range ecs.All[struct{ Pos components.Position }](w) {
					seen++
				}
				if want := 4 + len(crowd.Clients); seen < want-1 {
					t.Errorf("in tick %d the newcomer sees %d entities, there are %d", tick, seen, want)
				}
			}}
		}
		c := systemstest.New(t, config)
		crowd = c
		c.Connect()
		c.Run(12 * time.Second)
		c.Mark()
		late := c.Join()
		c.Connect()
		c.Run(8 * time.Second)
		if loaded != 1 {
			t.Errorf("told %d times that all was there", loaded)
		}
		if f := late.Figures(); f.Consumed < 300 || f.Corrections > 0 {
			t.Errorf("the newcomer: %d inputs consumed, %d corrections", f.Consumed, f.Corrections)
		}
		for _, k := range c.Clients[:3] {
			if f := k.Figures(); f.Corrections != 0 || f.Stalls != 0 || f.Missing != 0 {
				t.Errorf("%v: %d corrections, %d stalls, %d inputs missing", k, f.Corrections, f.Stalls, f.Missing)
			}
		}
		c.Settle()
		c.Converged()
	})
}

// A client that stood still for seconds goes on with a few steps at a time, simulates
// again no more than it predicted, and the server simulates nothing again at all.
func TestNetcodeE7_AStallEndsWithoutABurst(t *testing.T) {
	systemstest.Seeds(t, 6, func(t *testing.T, seed uint64) {
		config := onField(seed, 3, bad())
		config.Server.Timeout = time.Minute
		c := systemstest.New(t, config)
		c.Connect()
		c.Run(12 * time.Second)
		k := c.Clients[1]
		const most = 5
		for range 3 {
			c.Mark()
			before := k.Stats()
			last := before.Ticks
			c.OnClientTick(func(x *systemstest.Client) {
				if x != k {
					return
				}
				if n := k.Stats().Ticks - last; n > most {
					t.Fatalf("%d steps at once", n)
				}
				last = k.Stats().Ticks
			})
			stall := time.Duration(1+k.Rand().IntN(4)) * time.Second
			k.Stall(stall)
			c.Run(stall + 5*time.Second)
			after := k.Stats()
			// What it predicts ahead of the server is its buffer and the round trip.
			if after.LongestReplay > 90 {
				t.Errorf("%d ticks simulated again at once", after.LongestReplay)
			}
			if n := c.Server.Stats().ResimulatedTicks; n != 0 {
				t.Errorf("the server simulated %d ticks again", n)
			}
			for _, other := range []*systemstest.Client{c.Clients[0], c.Clients[2]} {
				if f := other.Figures(); f.Corrections != 0 || f.Stalls != 0 || f.Missing != 0 {
					t.Errorf("%v: %d corrections, %d stalls, %d inputs missing", other, f.Corrections, f.Stalls, f.Missing)
				}
			}
			if k.Status().LastInput+300 < k.Input() {
				t.Errorf("input %d, and the server is at %d", k.Input(), k.Status().LastInput)
			}
		}
		c.Settle()
		c.Converged()
	})
}

// rogue is a system with a flaw, in the field.
func rogue(name string, flaw func(w *ecs.World)) func() *ecs.Protocol {
	return func() *ecs.Protocol {
		p := fieldBase()
		p.Simulate("walk", walk)
		p.Simulate(name, flaw)
		p.Simulate("drift", drift)
		return p
	}
}

// With every tick simulated twice in another storage order, a system that is not a
// function of the world, or of the order of its rows, is found and named with the
// component and field where it shows; and one that is neither is not.
func TestNetcodeE8_ForcedRollbackNamesTheSystem(t *testing.T) {
	calls := 0
	for _, r := range []struct {
		name, component, field string
		flaw                   func(w *ecs.World)
	}{
		{"counter", "Jumps", "Count", func(w *ecs.World) {
			for _, d := range ecs.Each[walker](w) {
				calls++ // state outside the world
				d.Jumps.Count = uint16(calls)
			}
		}},
		{"order", "Position", "Y", func(w *ecs.World) {
			n := float32(0)
			for _, d := range ecs.Each[walker](w) {
				d.Pos.Y += n // depends on who comes first
				n += inputLimit
			}
		}},
		{"", "", "", func(w *ecs.World) {
			n := float32(0)
			for _, d := range ecs.EachInOrder[walker](w) {
				d.Pos.Y += n
				n += inputLimit
			}
		}},
	} {
		name := r.name
		if name == "" {
			name = "in order"
		}
		t.Run(name, func(t *testing.T) {
			systemstest.Seeds(t, 3, func(t *testing.T, seed uint64) {
				config := onField(seed, 4, bad())
				config.Protocol = rogue(name, r.flaw)
				c := systemstest.New(t, config)
				var found []ecs.Divergence
				c.Server.World().ForceRollback(func(d ecs.Divergence) { found = append(found, d) })
				c.Connect()
				c.Run(2 * time.Second)
				if (len(found) > 0) != (r.name != "") {
					t.Fatalf("%d divergences", len(found))
				}
				if len(found) == 0 {
					return
				}
				if d := found[0]; d.System != r.name || d.Component != r.component || d.Field != r.field || d.First == d.Again {
					t.Errorf("found %v", d)
				}
				if s := found[0].String(); !strings.Contains(s, r.name) || !strings.Contains(s, r.component+"."+r.field) {
					t.Errorf("said %q", s)
				}
			})
		})
	}
}
