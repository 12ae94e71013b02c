package systems_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/outcome"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Fate is how many ticks a duellist still lies.
type Fate struct {
	Down uint8 `net:"0..60"`
}

// duelField is the field in which who jumps shoots all others, who fall at the end of the
// tick: who shoot in the same tick fall together.
func duelField() *ecs.Protocol {
	p := fieldBase()
	ecs.Replicate[Fate](p, ecs.Predicted)
	p.Simulate("walk", walk)
	p.Authority("duel", func(w *ecs.World) {
		type duellist struct {
			Fate Fate
			In   Walk
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
	})
	return p
}

// Two players with round trips of 20 and 200 ms shoot each other at the same moment. To
// apply whatever has arrived favours the low latency; a server that rewinds, whose clients
// lead alike, kills both; so does rollback, and lockstep, whose clients show a tick at the same time and have
// one delay.
//
//mutant:rule B7 systems/mode_peers_client.go
//mutant:from m.clock.Rate(m.due()-m.relay.Lag(),
//mutant:to m.clock.Rate(m.due(),
//mutant:rule B7 systems/relay/slack.go
//mutant:from c.delay = ticks
//mutant:to c.delay = c.need
//mutant:rule B7 systems/mode_rewind_server.go
//mutant:from p.inputs.slack.asked = m.lead
//mutant:to p.inputs.slack.asked = m.lead * int32(p.id%2)
//mutant:rule B7 systems/mode_rewind_client.go
//mutant:from m.clock.Heard(m.frame(pk.At), m.seen, m.roundTrip())
//mutant:to m.clock.Heard(m.frame(pk.At), m.seen, 0)
func TestNetcodeB7_DuelOfTwoLatencies(t *testing.T) {
	greedy := policy.LocalSync.Policies()
	greedy.Timing = policy.TimingArrival
	const rounds = 10
	for _, x := range []struct {
		name            string
		model           policy.Policies
		low, high, both int // who is left standing
	}{
		{"greedy", greedy, rounds, 0, 0},
		{"ServerRewind", policy.ServerRewind.Policies(), 0, 0, rounds},
		{"Rollback", policy.Rollback.Policies(), 0, 0, rounds},
		{"Lockstep", policy.Lockstep.Policies(), 0, 0, rounds},
	} {
		t.Run(x.name, func(t *testing.T) {
			var at time.Time
			var c *systemstest.Crowd
			config := onField(1, 2, netsys.Link{})
			config.Protocol, config.Populate = duelField, nil
			config.Server.Policies = x.model
			config.Server.Join = func(w *ecs.World, client uint32) {
				w.Spawn(components.Owner{Client: client}, components.Position{X: 10 * float32(client)}, Jumps{}, Fate{}, Walk{})
			}
			config.Links = func(n int) (up, down netsys.Link) {
				way := netsys.Link{Latency: []time.Duration{10, 100}[n] * time.Millisecond}
				return way, way
			}
			config.Play = systemstest.Play(func(_ *systemstest.Client, in *Walk) {
				since := c.Now().Sub(at)
				in.Jump = !at.IsZero() && since >= 0 && since < ticks(1)
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
				at = c.Now().Add(time.Duration(draw.Float64() * float64(ticks(1))))
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

// An outcome is final when its tick precedes what every connected player is known to have
// done, or has left the window, whichever is first; until then it can be withdrawn.
//
//mutant:rule B5 systems/mode_rewind_server.go
//mutant:from m.policies.FirstOpen(m.config.TickRate, m.line.Next()-1, m.line.Horizon())
//mutant:to m.policies.FirstOpen(m.config.TickRate, m.line.Next()-1, m.line.Next())
//mutant:rule B5 systems/outcomes.go
//mutant:from x.Rewind(from)
//mutant:to x.Rewind(0)
func TestNetcodeB5_OutcomesAreFinalPastTheHorizon(t *testing.T) {
	systemstest.Seeds(t, 3, func(t *testing.T, seed uint64) {
		config := rewindOn(seed, 3, netsys.Link{Latency: 300 * time.Millisecond, Jitter: 90 * time.Millisecond, Loss: 0.1})
		window := 600 * time.Millisecond
		config.Server.Policies.Window = window
		config.Server.Timeout = 3 * time.Second
		config.Protocol = func() *ecs.Protocol {
			p := field()
			p.Simulate("strides", func(w *ecs.World) {
				for e, d := range ecs.Each[walker](w) {
					if d.In.DX != 0 && w.Tick()%10 == 0 {
						outcome.Raise(w, e, Stride{d.Own.Client})
					}
				}
			})
			return p
		}
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
						if k.LastInput < o.Tick && age < uint32(window/ticks(1)) {
							t.Errorf("final in tick %d: tick %d, of client %d only %d is known", w.Tick(), o.Tick, k.ID, k.LastInput)
						}
					}
				},
				Cancel: func(*ecs.World, outcome.Outcome[Stride]) { cancelled++ },
			})
		}
		c = systemstest.New(t, config)
		j := journalOf(c.Server.World())
		c.Connect()
		c.Run(20 * time.Second)
		if cancelled == 0 {
			t.Error("none was withdrawn: the link was too good for this test")
		}
		if most := uint32(window / ticks(1)); late > most {
			t.Errorf("an outcome was final %d ticks later, the window has %d", late, most)
		}
		late = 0
		c.Clients[2].Kill() // who is silent delays it up to the window
		c.Run(2 * time.Second)
		if most := uint32(window / ticks(1)); late < most-2 || late > most {
			t.Errorf("with a silent player outcomes are final %d ticks later, want the window, %d", late, most)
		}
		c.Run(5 * time.Second)
		c.Settle()
		for _, k := range c.Clients {
			for tick, in := range j.last(k.ID()) {
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
