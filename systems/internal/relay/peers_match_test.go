package relay_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
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
