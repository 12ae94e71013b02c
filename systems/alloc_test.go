package systems_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// repaint is a command that nobody gives while allocations are counted.
type repaint struct {
	Colour uint8 `net:"0..7"`
}

// Ticks and frames of servers and clients allocate nothing once memory has grown, under every model: on a rough link, with frames
// between ticks, with corrections, and in a protocol that has commands.
func TestTicksAllocateNothing(t *testing.T) {
	fieldtest.SkipUnderRace(t)
	type row struct {
		fieldtest.Name
		model  policy.Model
		thin   bool
		worker int
		work   func(c *systemstest.Crowd) uint64 // the counter of the work that the row is about
	}
	corrections := func(c *systemstest.Crowd) uint64 { return c.Clients[0].Stats().Corrections }
	again := func(c *systemstest.Crowd) uint64 { return c.Server.Stats().ResimulatedTicks }
	consumed := func(c *systemstest.Crowd) uint64 { return c.Server.Stats().Inputs.Consumed }
	fieldtest.EachRow(t, []row{
		{"LocalSync", policy.LocalSync{}, false, 1, corrections},
		{"arrival", policy.LocalSync{Arrival: true}, false, 1, corrections},
		{"CorrectOnMismatch", policy.CorrectOnMismatch{}, false, 1, corrections},
		{"ServerRewind", policy.ServerRewind{Window: 600 * time.Millisecond}, false, 1, again},
		{"Rollback", policy.Rollback{}, false, 1, again},
		{"Lockstep", policy.Lockstep{}, false, 1, consumed},
		{"thin clients", policy.LocalSync{}, true, 1, consumed},
		{"two workers", policy.LocalSync{}, false, 2, consumed},
	}, func(t *testing.T, x row) {
		link := netsys.Link{Latency: 150 * time.Millisecond, Jitter: 40 * time.Millisecond, Loss: 0.05}
		config := fieldtest.PresetConfig(x.model, 1, 3, link)
		config.Populate, config.CountOnly, config.FrameRate = fieldtest.Drifters(40), true, 75
		config.Server.Workers = x.worker
		config.Protocol = fieldtest.ProtocolWith(fieldtest.Authority(func(w *ecs.World) {
			if w.Tick()%fieldtest.PushEvery == 0 {
				fieldtest.PushPlayers(w)
			}
		}), func(p *ecs.Protocol) {
			ecs.Command(p, func(*ecs.World, uint32, *repaint) {})
		})
		config.Client = func(int) systems.ClientConfig {
			if x.thin {
				return systems.ClientConfig{Schedule: systems.Thin}
			}
			partial := systems.Gather(func(_ *systems.Client, in *fieldtest.Walk) { in.DX = 1 })
			return systems.ClientConfig{Prediction: systems.Prediction{Partial: partial}}
		}
		c := systemstest.New(t, config)
		c.Connect()
		for _, k := range c.Clients {
			if err := systems.Command(k.Client, repaint{1}); err != nil {
				t.Fatal(err)
			}
		}
		c.Run(40 * time.Second)
		before := x.work(c)
		fieldtest.AllocatesNothing(t, c, 300)
		if x.work(c) == before {
			t.Errorf("the work that is measured did not happen: %d as before", before)
		}
	})
}
