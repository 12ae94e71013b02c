package systems

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/wire"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/serverapply"
)

// rewinding returns a game under ServerRewind in which players change direction in every tick, so that a repeated input is
// always wrong.
func rewinding(t *testing.T, clients int, link netsys.Link, c ServerConfig) *game {
	t.Helper()
	if c.Model == nil {
		c.Model = policy.ServerRewind{}
	}
	g := newGame(t, peopled, c)
	for range clients {
		g.join(ClientConfig{Gather: gatherTurns()}, link)
	}
	return g.connect()
}

func gatherTurns() GatherFunc {
	n := 0
	return Gather(func(_ *Client, in *push) {
		n++
		in.DX, in.DY = int8(n%3-1), int8(n/2%3-1)
	})
}

func (g *game) rewind() *serverapply.Rewind { return g.server.model.applier.(*serverapply.Rewind) }

// Inputs older than the window are ignored and counted. A client that keeps sending late inputs and does not lead further when
// it is asked to costs no more than its cap, and other clients are not affected.
func TestNetcodeB4_LateInputsAreCapped(t *testing.T) {
	t.Parallel()
	for _, late := range []int{45, 80} { // ticks, beside the lead
		t.Run(fmt.Sprint(late), func(t *testing.T) {
			g := rewinding(t, 3, netsys.Link{Latency: 30 * time.Millisecond}, ServerConfig{Seed: 1})
			m := g.rewind()
			g.run(600)
			stubborn := &g.clients[0].steps.steering
			err := g.clients[0].Schedule().Wrap("InputGather", func(run func(*ecs.World)) func(*ecs.World) {
				return func(w *ecs.World) {
					stubborn.Asked = min(stubborn.Asked, int32(m.MaxLead()*wire.ShiftUnit))
					run(w)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			far := netsys.Link{Latency: time.Duration(m.MaxLead()+late) * testTick}
			if err := g.links[0].SetLinks(far, far); err != nil {
				t.Fatal(err)
			}
			g.run(2400)
			before, one := g.server.Stats(), g.server.sessions.peers.All()[0].inputs.Stats()
			const ticks = 1200
			g.run(ticks)
			after, now := g.server.Stats(), g.server.sessions.peers.All()[0].inputs.Stats()
			again := float64(after.ResimulatedTicks-before.ResimulatedTicks) / ticks
			t.Logf("%.1f simulated again in a tick; of the late client %d inputs are capped, %d rejected in all, %d used",
				again, now.Capped-one.Capped, now.Rejected-one.Rejected, now.Consumed-one.Consumed)
			if again > float64(g.server.Model().Window)/2+1 {
				t.Errorf("%.1f ticks are simulated again in a tick, the cap of a client is %d", again, g.server.Model().Window/2)
			}
			if late < int(g.server.Model().Window) && now.Capped == one.Capped {
				t.Error("no input was capped")
			}
			if late > int(g.server.Model().Window) && (now.Consumed != one.Consumed || now.Rejected-one.Rejected < ticks || again != 0) {
				t.Error("inputs older than the window were used")
			}
			for _, p := range g.server.sessions.peers.All()[1:] {
				if st := p.inputs.Stats(); st.Rejected+st.Missing+st.Capped > 0 {
					t.Errorf("client %d pays for it: %+v", p.ID, st)
				}
			}
		})
	}
}

// Inputs stamped with ticks far in the future or the past are counted and have no effect. A client that returns to valid ticks
// plays on.
func TestRewindOfForgedStamps(t *testing.T) {
	t.Parallel()
	for _, by := range []int{61, 200, 5000, 20000, 32000, 33000, 50000, -90, -500} {
		t.Run(fmt.Sprint(by), func(t *testing.T) {
			g := rewinding(t, 3, netsys.Link{Latency: 30 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.02}, ServerConfig{Seed: 1})
			forger, forging := g.clients[0], false
			g.run(700)
			err := forger.Schedule().Wrap("Send", func(run func(*ecs.World)) func(*ecs.World) {
				return func(w *ecs.World) {
					newest, first := forger.inputs.Log.Newest, forger.inputs.Log.First
					if forging {
						forger.inputs.Log.Newest, forger.inputs.Log.First = uint32(max(int(newest)+by, 1)), 1
						forger.inputs.sender.ForgetBases()
					}
					run(w)
					forger.inputs.Log.Newest, forger.inputs.Log.First = newest, first
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			before, lead := g.server.Stats(), g.rewind().Lead()
			forging = true
			g.run(300)
			after := g.server.Stats()
			if after.Inputs.Rejected-before.Inputs.Rejected < 200 {
				t.Errorf("%d inputs were rejected", after.Inputs.Rejected-before.Inputs.Rejected)
			}
			if n := after.ResimulatedTicks - before.ResimulatedTicks; n > 300*uint64(g.server.Model().Window)/2 {
				t.Errorf("%d ticks were simulated again", n)
			}
			if now := g.rewind().Lead(); now > lead+6 {
				t.Errorf("the others lead %d ticks, %d before", now, lead)
			}
			forging = false
			g.run(300)
			consumed := g.server.sessions.peers.All()[0].inputs.Stats().Consumed
			g.run(120)
			if n := g.server.sessions.peers.All()[0].inputs.Stats().Consumed - consumed; n < 110 {
				t.Errorf("of the client that came back %d inputs are used in 120 ticks", n)
			}
			g.mustConverge()
		})
	}
}

// A server that has run longer than 16-bit sequences last still tells joining clients its tick.
func TestRewindJoinsLongAfter(t *testing.T) {
	g := newGame(t, peopled, ServerConfig{Seed: 1, Model: policy.ServerRewind{}})
	for _, ticks := range []int{40_000, 30_000} {
		g.run(ticks)
		c := g.join(ClientConfig{Gather: gatherTurns()}, netsys.Link{Latency: 50 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.05})
		g.connect()
		g.run(300)
		if st := c.Stats(); st.Confirmed < 50 || c.mirror.Own.Newest.Input > g.server.Tick() || c.mirror.Own.Newest.Input+60 < g.server.Tick() {
			t.Errorf("after input %d of %d: %+v", c.mirror.Own.Newest.Input, g.server.Tick(), st)
		}
		g.mustConverge()
		g.clients = nil
		if err := c.Close(g.now); err != nil {
			t.Error(err)
		}
	}
}

// Every model with stamped inputs sends states, whatever its other options are.
func TestStampedModels(t *testing.T) {
	t.Parallel()
	const window = 600 * time.Millisecond // the most that clients lead, half the window, is too little
	for name, p := range map[string]policy.ServerRewind{
		"neutral": {Window: window, Neutral: true}, "damped": {Window: window, Remotes: policy.Damped},
		"final after the window": {Window: window, FinalAfterWindow: true}, "no window": {Window: policy.NoWindow},
	} {
		t.Run(name, func(t *testing.T) {
			link := netsys.Link{Latency: 80 * time.Millisecond, Jitter: 60 * time.Millisecond, Loss: 0.05}
			rewinds := policy.TraitsOf(p).Rewinds
			if rewinds {
				link.Latency = 320 * time.Millisecond
			}
			g := rewinding(t, 3, link, ServerConfig{Seed: 1, Model: p})
			g.run(900)
			before := g.server.Stats()
			g.run(600)
			after := g.server.Stats()
			if n := after.Inputs.Consumed - before.Inputs.Consumed; n < 1700 {
				t.Errorf("%d inputs of 1800 were used", n)
			}
			if again := after.ResimulatedTicks - before.ResimulatedTicks; again > 0 != rewinds {
				t.Errorf("%d ticks were simulated again", again)
			}
			g.mustConverge()
		})
	}
}

// NewServer refuses windows with more ticks than a timeline stores.
func TestRewindRefusesAWindowOfTooManyTicks(t *testing.T) {
	c := ServerConfig{TickRate: 1000, Snapshots: Snapshots{SendRate: 20}, Model: policy.ServerRewind{}}
	c.Model = policy.ServerRewind{Window: 5 * time.Second}
	if err := c.Validate(); !errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), "5000 ticks") {
		t.Errorf("Validate: %v", err)
	}
	c.Model = policy.ServerRewind{Window: 4 * time.Second}
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
}
