package systems_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/relay"
	"github.com/tactusgo/tactus/systems/outcome"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// rolling is a match of three players at the latencies of the proof of cost, under
// rollback, once everybody keeps time. turns says whether a player's input of a tick is
// another than that of the tick before.
func rolling(t *testing.T, lags []int, turns func(tick uint32) bool) *systemstest.Crowd {
	t.Helper()
	config := underPreset(policy.Rollback, 1, len(lags), netsys.Link{})
	config.Links = func(n int) (up, down netsys.Link) { l := half(lags[n%len(lags)]); return l, l }
	config.Play = systemstest.Play(func(k *systemstest.Client, in *Walk) {
		in.DX = 1
		if turns(k.Input() + 1) {
			in.DX = -1
		}
	})
	c := systemstest.New(t, config)
	c.Connect()
	return c
}

// resimulated is what the server and each client have simulated again.
func resimulated(c *systemstest.Crowd) []int {
	r := []int{int(c.Server.Stats().ResimulatedTicks)}
	for _, k := range c.Clients {
		r = append(r, int(k.Stats().Resimulated))
	}
	return r
}

// completed is how many ticks each has completed.
func completed(c *systemstest.Crowd) []int {
	r := []int{int(c.Server.Tick())}
	for _, k := range c.Clients {
		r = append(r, int(k.Stats().Ticks))
	}
	return r
}

// less are the differences of two of them.
func less(now, before []int) []int {
	d := make([]int, len(now))
	for i := range now {
		d[i] = now[i] - before[i]
	}
	return d
}

// One change of each player costs rollback 17 ticks on the server and 19, 22 and 27 on
// the clients.
func TestNetcodeACost_RollbackOfOneChange(t *testing.T) {
	for _, x := range []struct {
		lags []int
		want string
	}{
		{[]int{2, 5, 10}, "[17 19 22 27]"},
		{[]int{3, 4, 9}, "[16 19 20 25]"},
	} {
		const turn = 1200
		c := rolling(t, x.lags, func(tick uint32) bool { return tick >= turn })
		for c.Server.Tick() < turn-20 {
			c.RunTicks(1)
		}
		before := resimulated(c)
		c.RunTicks(120)
		if got := fmt.Sprint(less(resimulated(c), before)); got != x.want {
			t.Errorf("latencies %v: simulated again %s, want %s", x.lags, got, x.want)
		}
		c.Converged()
	}
}

// With inputs that change in every tick the passes merge: 10, 12, 15 and 15 ticks a tick.
func TestNetcodeACost_RollbackMerged(t *testing.T) {
	for _, x := range []struct {
		lags []int
		want string
	}{
		{[]int{2, 5, 10}, "[10 12 15 15]"},
		{[]int{3, 4, 9}, "[9 12 13 13]"},
	} {
		c := rolling(t, x.lags, func(tick uint32) bool { return tick%2 == 0 })
		c.Run(15 * time.Second)
		before, ticks := resimulated(c), completed(c)
		c.RunTicks(300)
		again, ticks := less(resimulated(c), before), less(completed(c), ticks)
		per := make([]float64, len(again))
		for i := range per {
			per[i] = float64(again[i]) / float64(ticks[i])
		}
		if got := fmt.Sprint(per); got != x.want {
			t.Errorf("latencies %v: simulated again %s a tick, want %s", x.lags, got, x.want)
		}
	}
}

// Lockstep simulates nothing again, and nobody waits for a player who joins: its first
// input is expected when it can be there.
func TestNetcodeACost_LockstepSimulatesOnce(t *testing.T) {
	c := systemstest.New(t, underPreset(policy.Lockstep, 2, 2, systemstest.RoundTrip(400*time.Millisecond, 0, 0)))
	c.Connect()
	c.Join()
	c.Run(10 * time.Second)
	if due := int(c.Elapsed() / ticks(1)); due-int(c.Server.Tick()) > 3 {
		t.Errorf("the server made %d of %d ticks", c.Server.Tick(), due)
	}
	for i, n := range resimulated(c) {
		if n != 0 {
			t.Errorf("peer %d simulated %d ticks again", i, n)
		}
	}
	c.Settle()
	c.Converged()
}

// Whatever links do, who joins late, leaves, disappears or stands still: all peers agree
// on all final ticks, nobody simulates more than its window again at once, and lockstep
// nothing at all.
func TestNetcodeE7_PeersComeAndGo(t *testing.T) {
	t.Parallel()
	for _, preset := range peersPresets {
		t.Run(preset.String(), func(t *testing.T) {
			systemstest.Seeds(t, 6, func(t *testing.T, seed uint64) {
				link := bad()
				link.Duplicate, link.Burst = 0.05, 40*time.Millisecond
				config := underPreset(preset, seed, 5, link)
				config.Server.Desync = func(d relay.Divergence) { t.Error(d) }
				c := systemstest.New(t, config)
				c.Connect()
				c.Run(3 * time.Second)
				late := c.Join()
				c.Clients[0].Leave()
				c.Clients[1].Kill()
				c.Run(4 * time.Second)
				c.Clients[2].Stall(3 * time.Second)
				c.Run(2 * time.Second)
				c.StallServer(200 * time.Millisecond)
				c.Run(10 * time.Second)
				if n := len(places(c.Server.World())); n != 4+4 {
					t.Errorf("%d entities on the server, want 4 drifters and 4 players", n)
				}
				if st := late.Status(); st.Inputs.Consumed < 300 {
					t.Errorf("who joined late had %d inputs consumed", st.Inputs.Consumed)
				}
				c.Settle()
				c.Converged()
				s := c.Server.Stats()
				if s.MalformedMessages != 0 || s.Divergences != 0 {
					t.Errorf("%d malformed messages, %d divergences", s.MalformedMessages, s.Divergences)
				}
				for i, n := range resimulated(c) {
					if (n == 0) != (preset == policy.Lockstep) {
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

// A client whose every input comes as late as the window allows makes the server simulate
// half a window a tick again, as its tokens last, and never more than a window at once.
func TestNetcodeE7_LateInputsAreCapped(t *testing.T) {
	config := underPreset(policy.Rollback, 3, 2, netsys.Link{})
	config.Links = func(n int) (up, down netsys.Link) {
		if n == 1 {
			return half(50), half(50)
		}
		return half(3), half(3)
	}
	config.Play = systemstest.Play(func(k *systemstest.Client, in *Walk) { in.DX = int8(k.Input()%2)*2 - 1 })
	c := systemstest.New(t, config)
	c.Connect()
	c.Run(10 * time.Second)
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
	c.Settle()
	c.Converged()
}

// passed is an outcome: a player has passed from a row of the field to the next.
type passed struct{ To int32 }

// rows is the field, where passing to another row is told.
func rows() *ecs.Protocol {
	p := field()
	p.Simulate("tell", func(w *ecs.World) {
		for e, d := range ecs.EachInOrder[walker](w) {
			y := float64(d.Pos.Y)
			if to := math.Floor(y); to != math.Floor(y-float64(d.In.DY)*inputLimit) {
				outcome.Raise(w, e, passed{int32(to)})
			}
		}
	})
	return p
}

// told is what became of the outcomes of a peer.
type told struct {
	open    map[string]bool
	commits map[uint32][]string
	begun   int
	gone    int
}

// follow notes the outcomes of a log; each must begin once, and then either commit or be
// taken back.
func (x *told) follow(t *testing.T, l *outcome.Log) {
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

// Although ticks are simulated again, each outcome begins once, and is then either
// taken back or final; and final are the same on all peers.
func TestNetcodeB5_PeersAgreeOnWhatIsFinal(t *testing.T) {
	systemstest.Seeds(t, 4, func(t *testing.T, seed uint64) {
		config := underPreset(policy.Rollback, seed, 4, bad())
		config.Protocol = rows
		server, clients := &told{}, make([]told, 4)
		config.Server.Outcomes = func(l *outcome.Log) { server.follow(t, l) }
		config.Client = func(n int) systems.ClientConfig {
			return systems.ClientConfig{Outcomes: func(l *outcome.Log) { clients[n].follow(t, l) }}
		}
		c := systemstest.New(t, config)
		c.Connect()
		c.Run(4 * time.Second)
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

// lucky makes a world do what others do not.
type lucky struct{ times uint16 }

// A client whose world does something else is named to the server: since which tick, in
// which component and field, and by which system.
func TestNetcodeE8_ADivergedPeerIsNamed(t *testing.T) {
	for _, preset := range peersPresets {
		t.Run(preset.String(), func(t *testing.T) {
			config := underPreset(preset, 1, 3, systemstest.RoundTrip(100*time.Millisecond, 20*time.Millisecond, 0.02))
			config.Protocol = func() *ecs.Protocol {
				p := field()
				p.Simulate("luck", func(w *ecs.World) {
					l := ecs.Resource[lucky](w)
					if l == nil {
						return
					}
					for _, d := range ecs.EachInOrder[walker](w) {
						l.times++
						d.Jumps.Count += l.times % 5
					}
				})
				return p
			}
			var found []relay.Divergence
			config.Server.Desync = func(d relay.Divergence) { found = append(found, d) }
			c := systemstest.New(t, config)
			c.Connect()
			c.Run(5 * time.Second)
			if len(found) > 0 {
				t.Fatalf("found without cause: %v", found)
			}
			ecs.SetResource(c.Clients[1].World(), &lucky{})
			tick := c.Server.Tick()
			c.Run(5 * time.Second)
			if len(found) == 0 {
				t.Fatal("nothing was found")
			}
			first := found[0]
			if first.Player != c.Clients[1].ID() || first.Where != "Jumps.Count" || first.Tick+60 < tick || first.Tick > tick+60 {
				t.Errorf("found %v; client %d has diverged since tick %d", first, c.Clients[1].ID(), tick)
			}
			if !slices.ContainsFunc(found, func(d relay.Divergence) bool {
				return strings.Contains(d.System, `"luck"`) && strings.Contains(d.System, "Jumps.Count")
			}) {
				t.Errorf("found %v, not the system", found)
			}
			if err := systems.Difference(c.Server, c.Clients[1].Client); err == nil || !strings.Contains(err.Error(), "Jumps.Count") {
				t.Errorf("the difference is %v", err)
			}
			for _, k := range []int{0, 2} {
				if err := systems.Difference(c.Server, c.Clients[k].Client); err != nil {
					t.Errorf("%v: %v", c.Clients[k], err)
				}
			}
		})
	}
}

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

// slip makes a world do in one tick what others do not.
type slip struct{ tick uint32 }

// A client that diverged in one tick over a bad link has the server's world again within four seconds, plays on, and
// costs the others nothing.
func TestNetcodeE8_ADivergedPeerIsBroughtBack(t *testing.T) {
	for _, preset := range peersPresets {
		t.Run(preset.String(), func(t *testing.T) {
			config := underPreset(preset, 5, 3, systemstest.RoundTrip(500*time.Millisecond, 84*time.Millisecond, 0.05))
			config.Protocol = func() *ecs.Protocol {
				p := field()
				p.Simulate("slip", func(w *ecs.World) {
					if s := ecs.Resource[slip](w); s != nil && w.Tick() == s.tick {
						for _, d := range ecs.EachInOrder[walker](w) {
							d.Jumps.Count += 7
						}
					}
				})
				return p
			}
			c := systemstest.New(t, config)
			c.Connect()
			c.Run(10 * time.Second)
			for round := range 2 {
				odd := c.Clients[1]
				begun := c.Server.Tick()
				ecs.SetResource(odd.World(), &slip{odd.World().Tick() + 5})
				took := time.Duration(0)
				for mended := uint64(round + 1); took < 4*time.Second && (c.Server.Stats().Mended < mended || systems.Difference(c.Server, odd.Client) != nil); took += 50 * time.Millisecond {
					c.Run(50 * time.Millisecond)
				}
				t.Logf("equal again after %v", took)
				c.Run(4*time.Second - took)
				if err := systems.Difference(c.Server, odd.Client); err != nil {
					t.Errorf("time %d: %v", round, err)
				}
				s := c.Server.Stats()
				if s.Mended != uint64(round+1) || s.Divergences == 0 {
					t.Errorf("time %d: %d divergences were named, %d states sent", round, s.Divergences, s.Mended)
				}
				for _, k := range []int{0, 2} {
					if err := systems.Difference(c.Server, c.Clients[k].Client); err != nil {
						t.Errorf("time %d: client %d: %v", round, k, err)
					}
				}
				if n := c.Server.Tick() - begun; n < 4*60-8 {
					t.Errorf("time %d: the server made %d ticks in 4 seconds", round, n)
				}
				c.Run(4 * time.Second)
			}
		})
	}
}

// watch sees who plays in a match: a client does while the server consumes its inputs, and its own world is
// no further behind than its link explains.
type watch struct {
	c        *systemstest.Crowd
	consumed []uint64    // of each client
	played   []time.Time // of each, when it did last
	tick     []uint32
	moved    []time.Time // of each, when its world made a tick last
	again    []uint64    // of each, ticks simulated again

	idle    time.Time     // when somebody did not play last
	stopped time.Duration // longest that a world stood still, of others than the excused
	replay  uint64        // most ticks simulated again at once
	excused *systemstest.Client
}

// behind is how far behind the server a client may be that plays, beside two ticks.
const behind = 300 * time.Millisecond

func newWatch(c *systemstest.Crowd, excused *systemstest.Client) *watch {
	n := len(c.Clients)
	w := &watch{
		c: c, consumed: make([]uint64, n), played: make([]time.Time, n), tick: make([]uint32, n),
		moved: make([]time.Time, n), again: make([]uint64, n), excused: excused,
	}
	for i, k := range c.Clients {
		w.played[i], w.moved[i], w.again[i] = c.Now(), c.Now(), k.Stats().Resimulated
	}
	c.OnServerTick(w.look)
	c.OnClientTick(func(k *systemstest.Client) {
		n := k.Stats().Resimulated
		w.replay, w.again[k.N] = max(w.replay, n-w.again[k.N]), n
	})
	return w
}

func (w *watch) look() {
	now, step := w.c.Now(), w.c.Server.World().StepDuration()
	for i, k := range w.c.Clients {
		if k.World() == nil {
			continue
		}
		tick := k.World().Tick()
		if n := k.Status().Inputs.Consumed; n != w.consumed[i] && tick+uint32(behind/step)+2 >= w.c.Server.Tick() {
			w.consumed[i], w.played[i] = n, now
		}
		if now.Sub(w.played[i]) > max(3*step, 200*time.Millisecond) {
			w.idle = now
		}
		if tick != w.tick[i] {
			w.tick[i], w.moved[i] = tick, now
		}
		if k != w.excused {
			w.stopped = max(w.stopped, now.Sub(w.moved[i]))
		}
	}
}

// hitches runs a match of three for each model and tick rate, in which something takes so many seconds: after two more
// all play again. Meanwhile others than the one to whom it happens did not stop, but under lockstep for as long as the
// server waits; and nobody simulated more than its window again at once.
func hitches(t *testing.T, seconds []time.Duration, happen func(c *systemstest.Crowd, link netsys.Link, d time.Duration) *systemstest.Client) {
	t.Helper()
	for _, preset := range peersPresets {
		for _, rate := range []int{10, 20, 30, 60, 128} {
			for _, d := range seconds {
				t.Run(fmt.Sprintf("%v/%d/%v", preset, rate, d), func(t *testing.T) {
					link := systemstest.RoundTrip(100*time.Millisecond, 20*time.Millisecond, 0.01)
					config := underPreset(preset, 1, 3, link)
					config.Server.TickRate, config.Server.Timeout = rate, time.Minute
					config.Client = func(int) systems.ClientConfig { return systems.ClientConfig{Timeout: time.Minute} }
					c := systemstest.New(t, config)
					c.Connect()
					c.Run(6 * time.Second)
					begun := c.Now()
					k := happen(c, link, d)
					w := newWatch(c, k)
					c.Run(d)
					k.SetLinks(link, link)
					c.Run(5 * time.Second)
					still := 3 * c.Server.World().StepDuration()
					if preset == policy.Lockstep {
						still += time.Second
					}
					over := w.idle.Sub(begun)
					t.Logf("all play after %v; others stood still for %v; %d ticks again at once", over, w.stopped, w.replay)
					if over > d+2*time.Second || w.stopped > still || w.replay > uint64(2*rate) {
						t.Errorf("%v of a hitch are over after %v; others stood still for %v; %d ticks were simulated again at once", d, over, w.stopped, w.replay)
					}
					c.Settle()
					c.Converged()
				})
			}
		}
	}
}

// A client that did not run for a while plays again when it does: it takes in all that it was told
// meanwhile, however far ahead that reaches.
func TestNetcodeE7_AHitchIsMadeUpFor(t *testing.T) {
	hitches(t, []time.Duration{time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second},
		func(c *systemstest.Crowd, _ netsys.Link, d time.Duration) *systemstest.Client {
			c.Clients[1].Stall(d)
			return c.Clients[1]
		})
}

// A newcomer whose first state takes seconds plays soon after, and is not waited for before.
func TestNetcodeE7_ASlowJoinStopsNobody(t *testing.T) {
	hitches(t, []time.Duration{time.Second, 3 * time.Second, 9 * time.Second},
		func(c *systemstest.Crowd, link netsys.Link, d time.Duration) *systemstest.Client {
			late := c.Join()
			c.RunUntil(5*time.Second, late.Connected)
			late.SetLinks(link, netsys.Link{Loss: 1})
			return late
		})
}

// A dead path stops everybody under lockstep for the time that the server is told to wait, whatever its rates are.
func TestNetcodeE7_LockstepWaitsForATime(t *testing.T) {
	for _, x := range []struct {
		rate, wake   int
		stall, waits time.Duration
	}{
		{10, 1, 0, time.Second}, {10, 2, 0, time.Second}, {60, 1, 0, time.Second}, {60, 6, 0, time.Second}, {128, 1, 0, time.Second},
		{10, 1, 300 * time.Millisecond, 300 * time.Millisecond}, {128, 2, 300 * time.Millisecond, 300 * time.Millisecond},
		{60, 3, 2 * time.Second, 2 * time.Second}, {30, 1, time.Millisecond, 0},
	} {
		config := underPreset(policy.Lockstep, 1, 3, systemstest.RoundTrip(100*time.Millisecond, 0, 0))
		config.Server.TickRate, config.Server.WakeEvery, config.Server.Stall = x.rate, x.wake, x.stall
		c := systemstest.New(t, config)
		c.Connect()
		c.Run(3 * time.Second)
		tick, moved, stopped := c.Server.Tick(), c.Now(), time.Duration(0)
		c.OnServerTick(func() {
			if now := c.Server.Tick(); now != tick {
				tick, moved = now, c.Now()
			}
			stopped = max(stopped, c.Now().Sub(moved))
		})
		c.Clients[1].SetLinks(netsys.Link{Loss: 1}, systemstest.RoundTrip(100*time.Millisecond, 0, 0))
		c.Run(6 * time.Second)
		wake := time.Duration(x.wake) * c.Server.World().StepDuration()
		if stopped > x.waits || stopped < x.waits-2*wake {
			t.Errorf("%+v: the world stood still for %v", x, stopped)
		}
	}
	for stall, valid := range map[time.Duration]bool{-1: false, 0: true, time.Minute: true, time.Minute + 1: false} {
		if err := (systems.ServerConfig{Stall: stall}).Validate(); (err == nil) != valid {
			t.Errorf("Stall %v: %v", stall, err)
		}
	}
}

// Who joins is where its inputs are in time, however far everybody is behind the server for the sake of one whose way is long:
// it stands still until it is as far behind, and its inputs are there all the same.
func TestNetcodeE7_NobodyWaitsForWhoJoinsBesideALongWay(t *testing.T) {
	for _, rate := range []int{10, 20, 60, 128} {
		long := systemstest.RoundTrip(800*time.Millisecond, 0, 0)
		config := underPreset(policy.Lockstep, 1, 2, long)
		config.Server.TickRate = rate
		c := systemstest.New(t, config)
		c.Connect()
		c.Run(6 * time.Second)
		late := c.Join()
		late.SetLinks(netsys.Link{}, netsys.Link{})
		c.RunUntil(5*time.Second, late.Connected)
		tick := c.Server.Tick()
		c.Run(4 * time.Second)
		if n := int(c.Server.Tick() - tick); n < 4*rate-2 {
			t.Errorf("at %d Hz the server made %d ticks of %d while one joined", rate, n, 4*rate)
		}
		if n := late.Status().Inputs; n.Consumed < uint64(2*rate) || n.Missing > 0 {
			t.Errorf("at %d Hz of who joined: %+v", rate, n)
		}
		c.Settle()
		c.Converged()
	}
}

// Nobody runs away from a server that stands still, and all go on with it soon after.
func TestNetcodeE7_AServerThatStoodStillIsFollowed(t *testing.T) {
	for _, preset := range peersPresets {
		for _, rate := range []int{10, 20, 60, 128} {
			config := underPreset(preset, 1, 3, systemstest.RoundTrip(100*time.Millisecond, 0, 0))
			config.Server.TickRate, config.Server.Timeout = rate, time.Minute
			config.Client = func(int) systems.ClientConfig { return systems.ClientConfig{Timeout: time.Minute} }
			c := systemstest.New(t, config)
			c.Connect()
			c.Run(4 * time.Second)
			for range 2 {
				ahead := 0
				watched := true
				c.OnClientTick(func(k *systemstest.Client) {
					if watched {
						ahead = max(ahead, int(k.World().Tick())-int(c.Server.Tick()))
					}
				})
				c.StallServer(3 * time.Second)
				c.Run(3 * time.Second)
				watched = false
				if most := rate*3/5 + 10; ahead > most {
					t.Errorf("%v at %d Hz: a client was %d ticks ahead of a server that stood still", preset, rate, ahead)
				}
				c.Run(time.Second)
				before := completed(c)
				c.Run(2 * time.Second)
				for i, n := range less(completed(c), before) {
					if n < 2*rate*9/10 {
						t.Errorf("%v at %d Hz: peer %d made %d ticks in the second and third second after the server stood still", preset, rate, i, n)
					}
				}
			}
			c.Settle()
			c.Converged()
		}
	}
}
