package serverapply_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/outcome"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// In wander every input differs from the one before, so each that comes late makes the server
// go back.

// An input applies X later than it was gathered, in the same tick here and on the server.
func TestNetcodeB1_InputAppliesWhereSuggested(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		suggest time.Duration
		ticks   uint32
	}{{policy.NoSuggest, 0}, {0, 2}, {100 * time.Millisecond, 6}} {
		t.Run(fmt.Sprint(x.ticks), func(t *testing.T) {
			config := fieldtest.PresetConfig(policy.ServerRewind{}, 1, 3, systemstest.RoundTrip(120*time.Millisecond, 30*time.Millisecond, 0.05))
			config.Server.Model = policy.ServerRewind{Suggest: x.suggest}
			config.Play = systemstest.Play(func(k *systemstest.Client, in *fieldtest.Walk) { // N: the tick that gathers it
				in.DX, in.DY, in.N = int8(k.Rand().IntN(3)-1), int8(k.Rand().IntN(3)-1), uint16(k.World().Tick())+1
			})
			c := systemstest.New(t, config)
			c.OnClientTick(func(k *systemstest.Client) {
				if k.Input() > 0 && k.World().Tick() != k.Input() {
					t.Fatalf("%v has predicted tick %d, and stands after %d", k, k.World().Tick(), k.Input())
				}
			})
			c.Connect()
			j := fieldtest.KeepJournal(c.Server.World())
			c.Run(time.Second)
			mine := fieldtest.KeepJournal(c.Clients[0].World())
			from := c.Server.Tick() + 60
			c.Run(10 * time.Second)
			for _, k := range c.Clients {
				in := j.Last(k.ID())
				for tick := from; tick < c.Server.Tick()-60; tick++ {
					if s, ok := in[tick]; !ok || uint32(s.N)+x.ticks != tick {
						t.Fatalf("%v: tick %d was simulated with the input gathered in tick %d, want %d before", k, tick, s.N, x.ticks)
					}
				}
			}
			for _, s := range mine.ForOwner(c.Clients[0].ID()) {
				if s.Tick >= from && uint32(s.In.N)+x.ticks != s.Tick {
					t.Fatalf("the client applied in tick %d the input gathered in tick %d", s.Tick, s.In.N)
				}
			}
			fieldtest.MustConverge(c)
		})
	}
}

// The clients' clocks lead the server's as far as late inputs are rare, at ±30 ms, and a
// link that changes moves them.
func TestNetcodeB2_LeadKeepsLateInputsRare(t *testing.T) {
	t.Parallel()
	systemstest.Seeds(t, 1, func(t *testing.T, seed uint64) {
		away := func(ms int) netsys.Link {
			return systemstest.RoundTrip(time.Duration(ms)*time.Millisecond, 30*time.Millisecond, 0)
		}
		c := fieldtest.Start(t, fieldtest.PresetConfig(policy.ServerRewind{}, seed, 4, away(200)), 0)
		for _, x := range []struct {
			at, settle int     // milliseconds, seconds: a clock moves by a tick a second
			most       float64 // ticks that inputs wait: else clocks lead too far
		}{{200, 12, 5}, {400, 12, 8}, {60, 37, 5}} {
			c.SetLinks(away(x.at), away(x.at))
			c.Run(time.Duration(x.settle) * time.Second)
			c.Mark()
			before := c.Server.Stats()
			c.Run(20 * time.Second)
			after := c.Server.Stats()
			again := float64(after.ResimulatedTicks-before.ResimulatedTicks) / float64(after.Ticks-before.Ticks)
			depth := 0.0
			for _, k := range c.Clients {
				depth = max(depth, k.Figures().MeanDepth())
			}
			if again > 0.05 || depth > x.most {
				t.Errorf("at %d ms: %.3f ticks are simulated again in a tick; inputs wait %.1f ticks", x.at, again, depth)
			}
			c.NoCorrections()
			c.NothingMissing()
		}
		fieldtest.MustConverge(c)
	})
}

// On any link all peers agree in the end, and no prediction is corrected while players do not touch: owner state is that of
// the newest tick with all inputs of the client.
func TestNetcodeB3_OwnStateIsOfTheProcessedTick(t *testing.T) {
	t.Parallel()
	systemstest.Seeds(t, fieldtest.SeedCount(2), func(t *testing.T, seed uint64) {
		config := fieldtest.PresetConfig(policy.ServerRewind{}, seed, 3, netsys.Link{Latency: 380 * time.Millisecond, Jitter: 60 * time.Millisecond, Loss: 0.1, Duplicate: 0.05})
		config.Server.Model = policy.ServerRewind{Window: 600 * time.Millisecond} // half of it is the most that clients lead
		c := fieldtest.Start(t, config, 12*time.Second)
		before := c.Server.Stats()
		c.Run(20 * time.Second)
		if after := c.Server.Stats(); after.Inputs.Rewrote-before.Inputs.Rewrote < 1000 || after.ResimulatedTicks-before.ResimulatedTicks < 1000 {
			t.Error("few inputs were late: the link was too good for this test")
		}
		c.NoCorrections()
		fieldtest.MustConverge(c)
	})
}

// Late inputs change only ticks of the window, whatever its size. It bounds the jumps of other players.
func TestNetcodeB6_WindowBoundsWhatChanges(t *testing.T) {
	t.Parallel()
	for _, window := range fieldtest.Rows(2, []time.Duration{100 * time.Millisecond, time.Second, 500 * time.Millisecond}) {
		t.Run(window.String(), func(t *testing.T) {
			link := systemstest.RoundTrip(100*time.Millisecond, 20*time.Millisecond, 0.02)
			config := fieldtest.PresetConfig(policy.ServerRewind{}, 1, 2, link)
			config.Server.Model = policy.ServerRewind{Window: window}
			c := fieldtest.Start(t, config, 0)
			most, longest, before := uint64(math.Round(window.Seconds()*60)), uint64(0), c.Server.Stats().ResimulatedTicks
			c.OnServerTick(func() {
				now := c.Server.Stats().ResimulatedTicks
				longest, before = max(longest, now-before), now
			})
			c.Run(5 * time.Second)
			rejected := c.Server.Stats().Inputs.Rejected
			for slow := link; slow.Latency < 1050*time.Millisecond; slow.Latency += 66 * time.Millisecond { // the way of one client stands still
				c.Clients[0].SetLinks(slow, link)
				c.Run(700 * time.Millisecond)
				c.Clients[0].SetLinks(link, link)
				c.Run(2 * time.Second)
			}
			if longest > most || longest < most/2 {
				t.Errorf("up to %d ticks were simulated again at once, the window is %d", longest, most)
			}
			if window < time.Second && c.Server.Stats().Inputs.Rejected == rejected {
				t.Error("no input was older than the window")
			}
			c.Run(time.Second)
			fieldtest.MustConverge(c)
		})
	}
}

// A client that is held, and a server that is, find back to each other.
func TestRewindAfterStalls(t *testing.T) {
	t.Parallel()
	c := fieldtest.Start(t, fieldtest.PresetConfig(policy.ServerRewind{}, 3, 3, systemstest.RoundTrip(100*time.Millisecond, 20*time.Millisecond, 0.02)), 15*time.Second)
	for _, length := range []time.Duration{300 * time.Millisecond, 900 * time.Millisecond, 5 * time.Second} {
		recovers := func(who string, within time.Duration) {
			c.Run(length + within)
			c.Mark()
			before := c.Server.Stats().Inputs
			c.Run(10 * time.Second)
			after := c.Server.Stats().Inputs
			if rejected, late := after.Rejected-before.Rejected, after.Late-before.Late; rejected > 0 || late > 150 {
				t.Errorf("%s was held for %v: %d inputs are rejected %v later, %d late", who, length, rejected, within, late)
			}
			c.NoCorrections()
			c.NothingMissing()
			for _, k := range c.Clients {
				if f := k.Figures(); f.MeanDepth() > 8 || f.Consumed < 590 {
					t.Errorf("%s was held for %v: %v: %d inputs consumed, waiting %.1f ticks", who, length, k, f.Consumed, f.MeanDepth())
				}
			}
		}
		c.Clients[1].Stall(length)
		recovers("the client", 5*time.Second)
		c.StallServer(length)
		recovers("the server", 15*time.Second)
	}
	fieldtest.MustConverge(c)
}

// Joins and leaves happen once, although their ticks are simulated again. A player with a reserved seat stands still and plays
// on.
func TestRewindRosterIsRepeated(t *testing.T) {
	systemstest.Seeds(t, 1, func(t *testing.T, seed uint64) {
		config := fieldtest.PresetConfig(policy.ServerRewind{}, seed, 3, netsys.Link{Latency: 300 * time.Millisecond, Jitter: 90 * time.Millisecond, Loss: 0.1})
		config.Server.Model, config.Server.Session.Timeout = policy.ServerRewind{Window: 600 * time.Millisecond}, 1500*time.Millisecond // a handshake of three round trips, in which keep-alives are lost
		c := fieldtest.Start(t, config, 0)
		for i := range 6 {
			c.Run(3 * time.Second)
			if k := c.Clients[i]; i%2 == 0 {
				k.Leave()
			} else {
				k.Kill()
			}
			c.Join()
		}
		c.Run(5 * time.Second)
		fieldtest.MustConverge(c)
		players := 0
		for range ecs.All[struct{ Own components.Owner }](c.Server.World()) {
			players++
		}
		if players != 3 || c.Server.Stats().ResimulatedTicks == 0 {
			t.Errorf("%d players are in the world, want 3; %d ticks were simulated again", players, c.Server.Stats().ResimulatedTicks)
		}
	})
}

// An input that equals the assumed one changes nothing, however late it arrives.
func TestNetcodeB3_EqualInputChangesNothing(t *testing.T) {
	config := fieldtest.PresetConfig(policy.ServerRewind{}, 1, 3, systemstest.RoundTrip(200*time.Millisecond, 80*time.Millisecond, 0.2))
	config.Play = fieldtest.Steady(fieldtest.Walk{DX: 1})
	c := fieldtest.Start(t, config, 2*time.Second)
	before := c.Server.Stats()
	c.Run(30 * time.Second)
	after := c.Server.Stats()
	if n := after.ResimulatedTicks - before.ResimulatedTicks; n != 0 {
		t.Errorf("%d ticks were simulated again for inputs that were as assumed", n)
	}
	if after.Inputs.Late == before.Inputs.Late {
		t.Error("no input was late: the link was too good for this test")
	}
	fieldtest.MustConverge(c)
}

// Fate is how many ticks a duellist still lies.
type Fate struct {
	Down uint8 `net:"0..60"`
}

// duelField is a field in which a player who jumps shoots all others. They fall at the end of the tick, so players who shoot
// in the same tick fall together.
var duelField = duelOf()

// duelOf is duelField with more systems.
func duelOf(more ...fieldtest.Part) func() *ecs.Protocol {
	return fieldtest.ProtocolWith(append([]fieldtest.Part{fieldtest.Predicted[Fate], fieldtest.OnJoin(fieldtest.JoinWith(Fate{})), fieldtest.Authority(shoot)}, more...)...)
}

func shoot(w *ecs.World) {
	type duellist struct {
		Fate Fate
		In   fieldtest.Walk
	}
	for e, d := range ecs.EachInOrder[struct{ Fate *Fate }](w) {
		if d.Fate.Down > 1 {
			d.Fate.Down--
			continue
		}
		d.Fate.Down = 0
		for by, s := range ecs.All[duellist](w) {
			if by != e && s.In.Jump && (s.Fate.Down == 0 || s.Fate.Down == 60) {
				d.Fate.Down = 60
			}
		}
	}
}

// Two players with round trips of 20 and 200 ms shoot each other at the same moment. A server that applies inputs as they
// arrive favours the low latency. With a common lead, a server that rewinds kills both. So do rollback, and lockstep, whose
// clients show a tick at the same time and have one delay.
func TestNetcodeB7_DuelOfTwoLatencies(t *testing.T) {
	t.Parallel()
	greedy := policy.LocalSync{Arrival: true}
	const rounds = 10
	for _, x := range []struct {
		name            string
		model           policy.Model
		low, high, both int // who is left standing
	}{
		{"greedy", greedy, rounds, 0, 0},
		{"ServerRewind", policy.ServerRewind{}, 0, 0, rounds},
		{"Rollback", policy.Rollback{}, 0, 0, rounds},
		{"Lockstep", policy.Lockstep{}, 0, 0, rounds},
	} {
		t.Run(x.name, func(t *testing.T) {
			var at time.Time
			var c *systemstest.Crowd
			config := fieldtest.Config(1, 2, netsys.Link{})
			config.Protocol, config.Populate = duelField, nil
			config.Server.Model = x.model
			config.Links = func(n int) (up, down netsys.Link) {
				way := netsys.Link{Latency: []time.Duration{10, 100}[n] * time.Millisecond}
				return way, way
			}
			config.Play = systemstest.Play(func(_ *systemstest.Client, in *fieldtest.Walk) {
				since := c.Now().Sub(at)
				in.Jump = !at.IsZero() && since >= 0 && since < fieldtest.Ticks(1)
			})
			c = systemstest.New(t, config)
			var fell [3]bool
			c.OnServerTick(func() {
				for _, p := range ecs.All[struct {
					Own  components.Owner
					Fate Fate
				}](c.Server.World()) {
					fell[p.Own.Client] = fell[p.Own.Client] || p.Fate.Down > 0
				}
			})
			c.Connect()
			c.Run(15 * time.Second)
			low, high, both, none := 0, 0, 0, 0
			draw := ecs.NewRand(1, 1)
			for range rounds {
				fell = [3]bool{}
				at = c.Now().Add(time.Duration(draw.Float64() * float64(fieldtest.Ticks(1))))
				c.Run(3 * time.Second)
				near, far := fell[c.Clients[0].ID()], fell[c.Clients[1].ID()]
				switch {
				case near && far:
					both++
				case far:
					low++
				case near:
					high++
				default:
					none++
				}
			}
			t.Logf("20 ms is left standing %d times, 200 ms %d times, %d times both fall", low, high, both)
			if none > 0 || low != x.low || high != x.high || both != x.both {
				t.Errorf("20 ms is left standing %d times, 200 ms %d times, %d times both fall, %d times nobody does", low, high, both, none)
			}
		})
	}
}

// Stride is an outcome of this test: a player walked along X, at a tick in ten.
type Stride struct{ Owner uint32 }

// An outcome is final when the inputs of all connected players up to its tick are known, or when its tick has left the window.
// Until then it can be withdrawn.
func TestNetcodeB5_OutcomesAreFinalPastTheHorizon(t *testing.T) {
	t.Parallel()
	systemstest.Seeds(t, fieldtest.SeedCount(2), func(t *testing.T, seed uint64) {
		config := fieldtest.PresetConfig(policy.ServerRewind{}, seed, 3, netsys.Link{Latency: 300 * time.Millisecond, Jitter: 90 * time.Millisecond, Loss: 0.1})
		window := 600 * time.Millisecond
		config.Server.Model = policy.ServerRewind{Window: window}
		config.Server.Session.Timeout = 3 * time.Second
		config.Protocol = fieldtest.ProtocolWith(fieldtest.Simulate("strides", func(w *ecs.World) {
			for e, d := range ecs.Each[fieldtest.Walker](w) {
				if d.In.DX != 0 && w.Tick()%10 == 0 {
					outcome.Raise(w, e, Stride{d.Own.Client})
				}
			}
		}))
		type key struct{ tick, owner uint32 }
		committed, cancelled, late := map[key]int{}, 0, uint32(0)
		var c *systemstest.Crowd
		config.Server.Outcomes = func(l *outcome.Log) {
			outcome.Handle(l, outcome.Handlers[Stride]{
				Commit: func(w *ecs.World, o outcome.Outcome[Stride]) {
					committed[key{o.Tick, o.Value.Owner}]++
					age := w.Tick() - o.Tick
					late = max(late, age)
					for k := range c.Server.Clients {
						if k.LastInput < o.Tick && age < uint32(window/fieldtest.Ticks(1)) {
							t.Errorf("final in tick %d: tick %d, of client %d only %d is known", w.Tick(), o.Tick, k.ID, k.LastInput)
						}
					}
				},
				Cancel: func(*ecs.World, outcome.Outcome[Stride]) { cancelled++ },
			})
		}
		c = systemstest.New(t, config)
		j := fieldtest.KeepJournal(c.Server.World())
		c.Connect()
		c.Run(20 * time.Second)
		if cancelled == 0 {
			t.Error("none was withdrawn: the link was too good for this test")
		}
		if most := uint32(window / fieldtest.Ticks(1)); late > most {
			t.Errorf("an outcome was final %d ticks later, the window has %d", late, most)
		}
		late = 0
		c.Clients[2].Kill() // who is silent delays it up to the window
		c.Run(2 * time.Second)
		if most := uint32(window / fieldtest.Ticks(1)); late < most-2 || late > most {
			t.Errorf("with a silent player outcomes are final %d ticks later, want the window, %d", late, most)
		}
		c.Run(5 * time.Second)
		c.Settle()
		for _, k := range c.Clients {
			for tick, in := range j.Last(k.ID()) {
				want := 0
				if in.DX != 0 && tick%10 == 0 {
					want = 1
				}
				if got := committed[key{tick, k.ID()}]; got != want && tick+60 < c.Server.Tick() {
					t.Errorf("%v: in tick %d it walked along X %d times, committed were %d", k, tick, want, got)
				}
			}
		}
		c.Converged()
	})
}

// A state that agrees with a client's prediction does not make an outcome final: the server can still rewrite the tick for a
// late input of another player. So a client commits only outcomes that the server commits, too.
func TestNetcodeB5_ConfirmedOutcomesCanBeRewritten(t *testing.T) {
	t.Parallel()
	config := fieldtest.PresetConfig(policy.ServerRewind{}, 1, 3, netsys.Link{})
	config.Protocol, config.Populate = duelOf(fieldtest.Simulate("strides", func(w *ecs.World) {
		for e, d := range ecs.Each[struct {
			Own  *components.Owner
			Fate *Fate
			In   *fieldtest.Walk
		}](w) {
			if d.In.DX != 0 && d.Fate.Down == 0 {
				outcome.Raise(w, e, Stride{d.Own.Client})
			}
		}
	})), nil
	// One client is near the server. The inputs of the others come late.
	config.Links = func(n int) (up, down netsys.Link) {
		if n == 0 {
			return
		}
		way := netsys.Link{Latency: 400 * time.Millisecond, Jitter: 200 * time.Millisecond, Loss: 0.2}
		return way, way
	}
	type key struct{ tick, owner uint32 }
	var committed [4]map[key]bool // by the server, and by each client
	withdrawn := 0
	follow := func(n int) func(l *outcome.Log) {
		committed[n] = make(map[key]bool)
		return func(l *outcome.Log) {
			outcome.Handle(l, outcome.Handlers[Stride]{
				Commit: func(_ *ecs.World, o outcome.Outcome[Stride]) { committed[n][key{o.Tick, o.Value.Owner}] = true },
				Cancel: func(*ecs.World, outcome.Outcome[Stride]) {
					if n == 0 {
						withdrawn++
					}
				},
			})
		}
	}
	config.Server.Outcomes = follow(0)
	config.Client = func(n int) systems.ClientConfig { return systems.ClientConfig{Outcomes: follow(n + 1)} }
	c := systemstest.New(t, config)
	c.Connect()
	c.Run(30 * time.Second)
	c.Settle()
	if withdrawn == 0 {
		t.Error("the server withdrew no outcome: the links were too good for this test")
	}
	for n := range c.Clients {
		wrong := 0
		for k := range committed[n+1] {
			if !committed[0][k] {
				wrong++
			}
		}
		if wrong > 0 {
			t.Errorf("client %d committed %d of %d outcomes that the server withdrew", n, wrong, len(committed[n+1]))
		}
	}
}
