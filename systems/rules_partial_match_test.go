package systems

import (
	"fmt"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/race"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/event"
	"github.com/tactusgo/tactus/systems/outcome"
	"github.com/tactusgo/tactus/systems/policy"
)

// bulletin is what a skirmish tells of itself each half second.
type bulletin struct {
	now     time.Duration
	server  uint64
	world   uint64
	input   uint32
	stats   ClientStats
	sent    event.Stats
	raised  outcome.Stats
	handled string
	sum     ServerStats
}

// tellSkirmish plays a match with spawns, despawns, outcomes and events over bad links,
// drawn 144 times a second, and tells how it went. With partial ticks the game is asked in
// frames, too, for what is nothing like the inputs of ticks.
func tellSkirmish(t *testing.T, seed uint64, preset policy.Preset, partial bool) (all [][]bulletin, looked *int) {
	policies := preset.Policies()
	if policies.Missing != policy.MissingWait {
		policies.Outcomes = policy.OutcomesPastHorizon
	}
	join := func(w *ecs.World, client uint32) {
		w.Spawn(components.Owner{Client: client}, spot{X: int16(client%8) * 3}, cannon{}, order{})
	}
	events := event.NewServer(skirmishEvents(), event.ServerConfig{})
	ledgers := []*ledger{newLedger("server")}
	g := newGame(t, skirmish, ServerConfig{Seed: seed, Policies: policies, Join: join, Events: events, Outcomes: ledgers[0].register})
	looked = new(int)
	var heard []*event.Client
	for n := range 3 {
		mine, l := event.NewClient(skirmishEvents(), event.ClientConfig{}), newLedger(fmt.Sprint("client ", n))
		draw := ecs.NewRand(seed, uint64(n))
		c := ClientConfig{Events: mine, Outcomes: l.register, Join: join, Gather: Gather(func(_ *ecs.World, in *order) {
			in.DX, in.Fire = int8(draw.IntN(3)-1), draw.IntN(9) == 0
		})}
		if seed%2 == 0 && !everywhere(policies) { // others are simulated, too
			c.Scope = func(*ecs.World, ecs.Entity) Scope { return ScopeCoSimulated }
			c.Assume = Assume(func(w *ecs.World, _ ecs.Entity, in *order) { in.DX = int8(w.Tick()/8%3) - 1 })
		}
		if partial {
			c.Partial = Gather(func(w *ecs.World, in *order) {
				if !w.Partial() || w.Step() > 1/float32(w.TickRate()) {
					t.Error("asked outside of a partial tick")
				}
				*looked++
				in.DX, in.Fire = int8(*looked%3-1), *looked%2 == 0
			})
		}
		heard, ledgers = append(heard, mine), append(ledgers, l)
		g.join(c, netsys.Link{Latency: 60 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.05})
	}
	for frame := 1; frame <= 144*8; frame++ {
		g.now = birth.Add(time.Duration(frame) * time.Second / 144)
		g.server.Advance(g.now)
		for _, c := range g.clients {
			c.Advance(g.now)
			c.Frame(g.now)
		}
		if frame%72 != 0 {
			continue
		}
		var now []bulletin
		for n, c := range g.clients {
			x := bulletin{now: g.now.Sub(birth), server: g.server.World().Hash(), input: c.Input(), stats: c.Stats(), sent: heard[n].Stats(), sum: g.server.Stats()}
			if c.World() != nil {
				x.world = c.World().Hash()
			}
			if c.Outcomes() != nil {
				x.raised = c.Outcomes().Stats()
			}
			x.handled = fmt.Sprint(ledgers[n+1].last, len(ledgers[n+1].committed), ledgers[n+1].cancelled, len(ledgers[0].committed))
			now = append(now, x)
		}
		all = append(all, now)
	}
	return all, looked
}

// Nothing but the view tells of partial ticks: worlds, inputs, datagrams, corrections,
// outcomes and events are the same with and without, under each preset.
func TestPartialTicks_ChangeNothing(t *testing.T) {
	t.Parallel()
	for _, preset := range policy.Presets() {
		t.Run(preset.String(), func(t *testing.T) {
			seeds := uint64(2)
			if race.Enabled {
				seeds = 1
			}
			for seed := range seeds {
				without, _ := tellSkirmish(t, seed+1, preset, false)
				with, looked := tellSkirmish(t, seed+1, preset, true)
				for n := range without {
					for k := range without[n] {
						if a, b := without[n][k], with[n][k]; a != b {
							t.Fatalf("seed %d, client %d, without and with partial ticks:\n%+v\n%+v", seed+1, k, a, b)
						}
					}
				}
				end := with[len(with)-1][0]
				known := preset == policy.ServerRewind || preset == policy.Lockstep // the coming tick's input, before it
				if known == (*looked > 1000) {
					t.Errorf("seed %d: asked %d times", seed+1, *looked)
				}
				if end.sent.Raised+end.stats.Resimulated < 50 {
					t.Errorf("seed %d: too little happened: %+v", seed+1, end)
				}
			}
		})
	}
}
