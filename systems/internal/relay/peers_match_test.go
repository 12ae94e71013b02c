package relay_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/outcome"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// resimulated returns the number of re-simulated ticks of the server and of each client.
func resimulated(c *systemstest.Crowd) []int {
	r := []int{int(c.Server.Stats().ResimulatedTicks)}
	for _, k := range c.Clients {
		r = append(r, int(k.Stats().Resimulated))
	}
	return r
}

// completed returns the number of completed ticks of each peer.
func completed(c *systemstest.Crowd) []int {
	r := []int{int(c.Server.Tick())}
	for _, k := range c.Clients {
		r = append(r, int(k.Stats().Ticks))
	}
	return r
}

// less returns the differences of two results.
func less(now, before []int) []int {
	d := make([]int, len(before))
	for i := range before {
		d[i] = now[i] - before[i]
	}
	return d
}

// Lockstep simulates nothing again. Nobody waits for a joining player: its first input is expected when it can have arrived.
func TestNetcodeACost_LockstepSimulatesOnce(t *testing.T) {
	c := fieldtest.Start(t, fieldtest.PresetConfig(policy.Lockstep{}, 2, 2, systemstest.RoundTrip(400*time.Millisecond, 0, 0)), 0)
	c.Join()
	c.Run(10 * time.Second)
	if due := int(c.Elapsed() / fieldtest.Ticks(1)); due-int(c.Server.Tick()) > 3 {
		t.Errorf("the server made %d of %d ticks", c.Server.Tick(), due)
	}
	for i, n := range resimulated(c) {
		if n != 0 {
			t.Errorf("peer %d simulated %d ticks again", i, n)
		}
	}
	fieldtest.MustConverge(c)
}

// On any link, with late joins, leaves, crashes and stalls, all peers agree on all final ticks. No peer simulates more than
// its window again at once, and lockstep nothing at all.
func TestNetcodeE7_PeersComeAndGo(t *testing.T) {
	t.Parallel()
	for _, preset := range fieldtest.PeerPresets {
		t.Run(preset.String(), func(t *testing.T) {
			systemstest.Seeds(t, fieldtest.SeedCount(3), func(t *testing.T, seed uint64) {
				link := fieldtest.BadLink()
				link.Duplicate, link.Burst = 0.05, 40*time.Millisecond
				config := fieldtest.PresetConfig(preset, seed, 5, link)
				config.Server.Model = fieldtest.WithDesync(preset, func(d policy.Divergence) { t.Error(d) })
				c := fieldtest.Start(t, config, 3*time.Second)
				late := c.Join()
				c.Clients[0].Leave()
				c.Clients[1].Kill()
				c.Run(4 * time.Second)
				c.Clients[2].Stall(3 * time.Second)
				c.Run(2 * time.Second)
				c.StallServer(200 * time.Millisecond)
				c.Run(10 * time.Second)
				if n := len(fieldtest.Positions(c.Server.World())); n != 4+4 {
					t.Errorf("%d entities on the server, want 4 drifters and 4 players", n)
				}
				if st := late.Status(); st.Inputs.Consumed < 300 {
					t.Errorf("who joined late had %d inputs consumed", st.Inputs.Consumed)
				}
				fieldtest.MustConverge(c)
				s := c.Server.Stats()
				if s.MalformedMessages != 0 || s.Divergences != 0 {
					t.Errorf("%d malformed messages, %d divergences", s.MalformedMessages, s.Divergences)
				}
				for i, n := range resimulated(c) {
					if (n == 0) != (policy.Is[policy.Lockstep](preset)) {
						t.Errorf("peer %d simulated %d ticks again", i, n)
					}
				}
				for _, k := range c.Clients {
					if st := k.Stats(); st.LongestReplay > 120 || st.MalformedMessages != 0 {
						t.Errorf("%v: %d ticks simulated again at once, %d malformed messages", k, st.LongestReplay, st.MalformedMessages)
					}
				}
			})
		})
	}
}

// A client whose inputs are all as late as the window allows makes the server simulate half a window per tick again while its
// tokens last, and never more than a window at once.
func TestNetcodeE7_LateInputsAreCapped(t *testing.T) {
	t.Parallel()
	config := fieldtest.PresetConfig(policy.Rollback{}, 3, 2, netsys.Link{})
	config.Links = func(n int) (up, down netsys.Link) {
		if n == 1 {
			return fieldtest.LagBetweenTicks(50), fieldtest.LagBetweenTicks(50)
		}
		return fieldtest.LagBetweenTicks(3), fieldtest.LagBetweenTicks(3)
	}
	config.Play = systemstest.Play(func(k *systemstest.Client, in *fieldtest.Walk) { in.DX = int8(k.Input()%2)*2 - 1 })
	c := fieldtest.Start(t, config, 10*time.Second)
	before, rejected := resimulated(c), c.Clients[1].Status().Inputs.Rejected
	c.OnServerTick(func() {
		now := resimulated(c)
		if n := now[0] - before[0]; n > 60 {
			t.Fatalf("%d ticks simulated again at once", n)
		}
		before = now
	})
	start := before[0]
	c.RunTicks(600)
	if n := (before[0] - start) / 600; n > 30+3 {
		t.Errorf("%d ticks simulated again a tick, 30 for the late client and 3 for the other at most", n)
	}
	if n := c.Clients[1].Status().Inputs.Rejected - rejected; n == 0 {
		t.Error("no input was refused, so nothing was capped")
	}
	fieldtest.MustConverge(c)
}

// passed is an outcome: a player has moved from one row of the field to the next.
type passed struct{ To int32 }

// peerOutcomes records the outcomes of a peer.
type peerOutcomes struct {
	open    map[string]bool
	commits map[uint32][]string
	begun   int
	gone    int
}

// follow records the outcomes of a log. Each must start once, and then be committed or withdrawn.
func (x *peerOutcomes) follow(t *testing.T, l *outcome.Log) {
	x.open, x.commits = map[string]bool{}, map[uint32][]string{}
	name := func(o outcome.Outcome[passed]) string { return fmt.Sprint(o.Tick, o.Subject.NetID, o.Value) }
	end := func(o outcome.Outcome[passed]) string {
		n := name(o)
		if !x.open[n] {
			t.Errorf("%s ends without a begin", n)
		}
		delete(x.open, n)
		return n
	}
	outcome.Handle(l, outcome.Handlers[passed]{
		Begin: func(_ *ecs.World, o outcome.Outcome[passed]) {
			if x.open[name(o)] {
				t.Errorf("%s begins twice", name(o))
			}
			x.open[name(o)] = true
			x.begun++
		},
		Commit: func(_ *ecs.World, o outcome.Outcome[passed]) { x.commits[o.Tick] = append(x.commits[o.Tick], end(o)) },
		Cancel: func(_ *ecs.World, o outcome.Outcome[passed]) { x.gone++; end(o) },
	})
}

// Although ticks are simulated again, each outcome starts once and is then withdrawn or committed, and all peers commit the
// same ones.
func TestNetcodeB5_PeersAgreeOnWhatIsFinal(t *testing.T) {
	t.Parallel()
	systemstest.Seeds(t, fieldtest.SeedCount(2), func(t *testing.T, seed uint64) {
		config := fieldtest.PresetConfig(policy.Rollback{}, seed, 4, fieldtest.BadLink())
		config.Protocol = fieldtest.ProtocolWith(fieldtest.Simulate("tell", func(w *ecs.World) {
			for e, d := range ecs.EachInOrder[fieldtest.Walker](w) {
				y := float64(d.Pos.Y)
				if to := math.Floor(y); to != math.Floor(y-float64(d.In.DY)*fieldtest.StepLength) {
					outcome.Raise(w, e, passed{int32(to)})
				}
			}
		}))
		server, clients := &peerOutcomes{}, make([]peerOutcomes, 4)
		config.Server.Outcomes = func(l *outcome.Log) { server.follow(t, l) }
		config.Client = func(n int) systems.ClientConfig {
			return systems.ClientConfig{Outcomes: func(l *outcome.Log) { clients[n].follow(t, l) }}
		}
		c := fieldtest.Start(t, config, 4*time.Second)
		from := c.Server.Tick()
		c.Run(10 * time.Second)
		to := c.Server.Tick()
		c.Settle()
		if server.gone == 0 || len(server.commits) < 50 {
			t.Fatalf("%d outcomes taken back, %d ticks with final ones: too little happened", server.gone, len(server.commits))
		}
		for n := range clients {
			if clients[n].gone == 0 {
				t.Errorf("client %d took nothing back", n)
			}
			for tick := from; tick < to; tick++ {
				if got, want := fmt.Sprint(clients[n].commits[tick]), fmt.Sprint(server.commits[tick]); got != want {
					t.Fatalf("tick %d: client %d has %s, the server %s", tick, n, got, want)
				}
			}
		}
	})
}

// Every tick is simulated twice, the second time in another storage order. A system whose result depends on the order of its
// rows, or on anything outside of the world, is named with the component and field. Correct systems are not.
func TestNetcodeE8_ForcedRollbackNamesTheSystem(t *testing.T) {
	calls := 0
	for _, r := range []struct {
		name, component, field string
		flaw                   func(w *ecs.World)
	}{
		{"counter", "Jumps", "Count", func(w *ecs.World) {
			for _, d := range ecs.Each[fieldtest.Walker](w) {
				calls++ // state outside the world
				d.Jumps.Count = uint16(calls)
			}
		}},
		{"order", "Position", "Y", func(w *ecs.World) {
			n := float32(0)
			for _, d := range ecs.Each[fieldtest.Walker](w) {
				d.Pos.Y += n // depends on who comes first
				n += fieldtest.StepLength
			}
		}},
		{"", "", "", func(w *ecs.World) {
			n := float32(0)
			for _, d := range ecs.EachInOrder[fieldtest.Walker](w) {
				d.Pos.Y += n
				n += fieldtest.StepLength
			}
		}},
	} {
		name := r.name
		if name == "" {
			name = "in order"
		}
		t.Run(name, func(t *testing.T) {
			systemstest.Seeds(t, 1, func(t *testing.T, seed uint64) {
				config := fieldtest.Config(seed, 4, fieldtest.BadLink())
				config.Protocol = fieldtest.ProtocolFrom(fieldtest.Simulate("walk", fieldtest.MoveWalkers), fieldtest.Simulate(name, r.flaw), fieldtest.Simulate("drift", fieldtest.MoveDrifters))
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

// slip makes a world differ from the others in a range of ticks.
type slip struct {
	from, to uint32
	times    uint16
}

// The server learns of a diverged client: the first tick, the component and field, and the system. A client that diverged in
// one tick over a bad link has the server's world again within four seconds and plays on, and other clients are not affected.
func TestNetcodeE8_ADivergedPeerIsNamedAndBroughtBack(t *testing.T) {
	t.Parallel()
	for _, preset := range fieldtest.PeerPresets {
		t.Run(preset.String(), func(t *testing.T) {
			play := func(seed uint64, link netsys.Link) (c *systemstest.Crowd, found *[]policy.Divergence, same func(when string, clients ...int)) {
				config := fieldtest.PresetConfig(preset, seed, 3, link)
				config.Protocol = fieldtest.ProtocolWith(fieldtest.Simulate("luck", func(w *ecs.World) {
					if s := ecs.Resource[slip](w); s != nil && w.Tick() >= s.from && w.Tick() < s.to {
						for _, d := range ecs.EachInOrder[fieldtest.Walker](w) {
							s.times++
							d.Jumps.Count += s.times % 5
						}
					}
				}))
				found = new([]policy.Divergence)
				config.Server.Model = fieldtest.WithDesync(preset, func(d policy.Divergence) { *found = append(*found, d) })
				c = systemstest.New(t, config)
				c.Connect()
				c.Run(10 * time.Second)
				if len(*found) > 0 {
					t.Fatalf("found without cause: %v", *found)
				}
				return c, found, func(when string, clients ...int) {
					t.Helper()
					for _, k := range clients {
						if err := systems.Difference(c.Server, c.Clients[k].Client); err != nil {
							t.Errorf("%s: client %d: %v", when, k, err)
						}
					}
				}
			}

			c, found, same := play(5, systemstest.RoundTrip(500*time.Millisecond, 84*time.Millisecond, 0.05))
			odd := c.Clients[1]
			for round := range uint64(2) {
				begun, at := c.Server.Tick(), odd.World().Tick()+5
				ecs.SetResource(odd.World(), &slip{from: at, to: at + 1})
				c.Run(4 * time.Second)
				if s := c.Server.Stats(); s.Mended != round+1 || s.Divergences == 0 || len(*found) == 0 {
					t.Errorf("%d divergences, %d of them named; %d states sent", s.Divergences, len(*found), s.Mended)
				}
				same("four seconds later", 0, 1, 2)
				if n := c.Server.Tick() - begun; n < 4*60-8 {
					t.Errorf("the server made %d ticks in 4 seconds", n)
				}
				c.Run(4 * time.Second)
			}

			c, found, same = play(1, systemstest.RoundTrip(100*time.Millisecond, 20*time.Millisecond, 0.02))
			odd = c.Clients[1]
			tick := c.Server.Tick()
			ecs.SetResource(odd.World(), &slip{to: ecs.MaxTick})
			c.Run(5 * time.Second)
			if len(*found) == 0 {
				t.Fatal("nothing was found")
			}
			if d := (*found)[0]; d.Player != odd.ID() || d.Where != "Jumps.Count" || d.Tick+60 < tick || d.Tick > tick+60 {
				t.Errorf("found %v; client %d has diverged since tick %d", d, odd.ID(), tick)
			}
			if !slices.ContainsFunc(*found, func(d policy.Divergence) bool {
				return strings.Contains(d.System, `"luck"`) && strings.Contains(d.System, "Jumps.Count")
			}) {
				t.Errorf("found %v, not the system", *found)
			}
			if err := systems.Difference(c.Server, odd.Client); err == nil || !strings.Contains(err.Error(), "Jumps.Count") {
				t.Errorf("the difference is %v", err)
			}
			same("while one differs", 0, 2)
		})
	}
}

// One change of each player's input costs rollback 17 re-simulated ticks on the server and 19, 22 and 27 on the clients. If
// inputs change in every tick, passes merge: 10, 12, 15 and 15 ticks per tick.
func TestNetcodeACost_RollbackOfChanges(t *testing.T) {
	t.Parallel()
	type row struct {
		lags        []int
		each, turns string // cost of a tick in which all change, and of one change
	}
	for _, x := range fieldtest.Rows(1, []row{
		{[]int{2, 5, 10}, "[10 12 15 15]", "[17 19 22 27]"},
		{[]int{3, 4, 9}, "[9 12 13 13]", "[16 19 20 25]"},
	}) {
		const warm, merged, turn = 600, 300, 1200
		config := fieldtest.PresetConfig(policy.Rollback{}, 1, len(x.lags), netsys.Link{})
		config.Links = func(n int) (up, down netsys.Link) { l := fieldtest.LagBetweenTicks(x.lags[n%len(x.lags)]); return l, l }
		config.Play = systemstest.Play(func(k *systemstest.Client, in *fieldtest.Walk) {
			in.DX = 1
			if tick := k.Input(); tick >= turn || tick < warm+merged+60 && tick%2 == 0 {
				in.DX = -1
			}
		})
		c := systemstest.New(t, config)
		c.RunUntil(time.Minute, func() bool { return c.Server.Tick() >= warm })
		before, ticks := resimulated(c), completed(c)
		c.RunTicks(merged)
		again, ticks := less(resimulated(c), before), less(completed(c), ticks)
		per := make([]float64, len(again))
		for i := range per {
			per[i] = float64(again[i]) / float64(ticks[i])
		}
		if got := fmt.Sprint(per); got != x.each {
			t.Errorf("latencies %v: simulated again %s a tick, want %s", x.lags, got, x.each)
		}
		c.RunUntil(time.Minute, func() bool { return c.Server.Tick() >= turn-20 })
		before = resimulated(c)
		c.RunTicks(120)
		if got := fmt.Sprint(less(resimulated(c), before)); got != x.turns {
			t.Errorf("latencies %v: simulated again %s, want %s", x.lags, got, x.turns)
		}
		c.Converged()
	}
}
