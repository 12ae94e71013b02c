package matches_test

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Cursor is a component.
type Cursor struct {
	X, Y int16 `net:"-512..512"`
}

// Coarse is a predicted component whose tolerance is smaller than its step.
type Coarse struct {
	X float32 `net:"0..1000 step 10 tol 0.1"`
}

// Each part of a protocol and each schedule works under every model, and the match converges. Otherwise NewServer or the
// client's session refuses it with an error that names the part, the model and the remedy.
func TestModelsRefuseWhatTheyCannotPlay(t *testing.T) {
	t.Parallel()
	both := func(says string) map[string]string { return map[string]string{"Rollback": says, "Lockstep": says} }
	for _, x := range []struct {
		name    string
		game    fieldtest.Part
		server  func(c *systems.ServerConfig)
		client  func(c *systems.ClientConfig)
		refused map[string]string // by model: the remedy
	}{
		{name: "Authority", game: fieldtest.Authority(func(w *ecs.World) {
			for _, d := range ecs.Each[fieldtest.Drifter](w) {
				d.Pos.Y = float32(w.Tick() % 8)
			}
		})},
		{name: "QuantizeSteps", game: (*ecs.Protocol).QuantizeSteps},
		{name: "OwnerOnly", game: func(p *ecs.Protocol) { ecs.Replicate[Cursor](p, ecs.OwnerOnly) }},
		{name: "Singleton", game: func(p *ecs.Protocol) { ecs.Singleton[Cursor](p, 0) }},
		{name: "Extrapolate", game: func(p *ecs.Protocol) { ecs.Extrapolate[components.Position](p, 100*time.Millisecond) }},
		{name: "server", game: fieldtest.Predicted[fieldtest.Patient]},
		{name: "Coarse.X", game: fieldtest.Predicted[Coarse], refused: map[string]string{"CorrectOnMismatch": "use a tol above"}},
		{name: "Patient.Health is tagged server", game: func(p *ecs.Protocol) { ecs.Replicate[fieldtest.Patient](p, ecs.Predicted|ecs.OwnerOnly) },
			refused: map[string]string{"CorrectOnMismatch": "OwnerOnly and not Predicted"}},
		{name: "Schedule", server: func(c *systems.ServerConfig) {
			c.Schedule = func(s *ecs.Schedule) error { return s.Remove("ServerApply") }
		}, refused: map[string]string{"ServerRewind": "no ServerApply", "Rollback": "no ServerApply", "Lockstep": "no ServerApply"}},
		{name: "Schedule", client: func(c *systems.ClientConfig) { c.Schedule = systems.Thin }, refused: both("no Predict")},
		{name: "Systems", client: func(c *systems.ClientConfig) {
			c.Systems.Reconcile = func(systems.ClientParts) func(*ecs.World) { return func(*ecs.World) {} }
		}, refused: both("leave these two out")},
	} {
		for _, m := range policy.Presets() {
			says, refused := x.refused[m.String()]
			if !refused && x.game == nil {
				continue
			}
			build := func() systemstest.Config {
				config := fieldtest.PresetConfig(m, 1, 2, fieldtest.RoughLink())
				config.Protocol = fieldtest.ProtocolWith(func(p *ecs.Protocol) {
					if x.game != nil {
						x.game(p)
					}
				})
				if x.server != nil {
					x.server(&config.Server)
				}
				if x.client != nil {
					config.Client = func(int) (c systems.ClientConfig) { x.client(&c); return c }
				}
				return config
			}
			config := build()
			_, err := systems.NewServer(netsys.NewNetwork().Node(netip.AddrPort{}), config.Protocol(), config.Server)
			if err == nil {
				c := systemstest.New(t, build())
				for range 2 * 60 {
					c.Run(fieldtest.Ticks(1))
					if err = c.Clients[0].Err(); err != nil {
						break
					}
				}
				if err == nil {
					fieldtest.MustConverge(c)
				}
			}
			switch {
			case !refused && err != nil:
				t.Errorf("%s under %v is refused: %v", x.name, m, err)
			case refused && !(errors.Is(err, systems.ErrConfig) && strings.Contains(err.Error(), says) && strings.Contains(err.Error(), x.name) && strings.Contains(err.Error(), m.String())):
				t.Errorf("%s under %v: %v; want ErrConfig with the part, the model and %q", x.name, m, err, says)
			}
		}
	}
}

// A client that is configured for another model than the server's gets an error that says so.
func TestClientOfAnotherModel(t *testing.T) {
	t.Parallel()
	config := fieldtest.PresetConfig(policy.Buffered{}, 1, 1, netsys.Link{})
	config.Client = func(int) systems.ClientConfig { return systems.ClientConfig{Models: []policy.Model{policy.Buffered{}}} }
	config.Server.Model = policy.Buffered{Arrival: true}
	c := systemstest.New(t, config)
	c.Connect()
	config.Server.Model = policy.Rollback{}
	c = systemstest.New(t, config)
	c.Run(time.Second)
	if err := c.Clients[0].Err(); !errors.Is(err, systems.ErrConfig) || !strings.Contains(err.Error(), "the server plays Rollback, but Models has only [Buffered]") {
		t.Error(err)
	}
}

// Under the models that relay inputs, a write outside of the protocol is undone as soon as a tick is simulated again, or is
// reported as a divergence and repaired.
func TestForeignWritesAreTold(t *testing.T) {
	fieldtest.EachRow(t, fieldtest.PeerPresets, func(t *testing.T, preset policy.Model) {
		config := fieldtest.PresetConfig(preset, 1, 2, fieldtest.Lag(3))
		var told []policy.Divergence
		config.Server.Model = fieldtest.WithDesync(preset, func(d policy.Divergence) { told = append(told, d) })
		config.Server.Schedule = func(s *ecs.Schedule) error {
			return s.InsertBefore("Snapshot", ecs.System{Name: "weather", Run: func(w *ecs.World) {
				for _, d := range ecs.Each[fieldtest.Drifter](w) {
					if w.Tick() == 240 {
						d.Pos.Y += 3
					}
				}
			}})
		}
		c := systemstest.New(t, config)
		c.Connect()
		c.Run(10 * time.Second)
		undone := true
		for _, d := range ecs.All[struct {
			Pos components.Position
			Do  fieldtest.Drift
		}](c.Server.World()) {
			undone = undone && d.Pos.Y == -100
		}
		if undone != (policy.Is[policy.Rollback](preset)) || !undone && (len(told) < 2 || !strings.HasPrefix(told[0].Where, "Position.Y")) {
			t.Errorf("undone %v, told of %+v", undone, told)
		}
		fieldtest.MustConverge(c)
	})
}
