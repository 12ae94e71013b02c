package systemstest_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// failures records test failures.
type failures struct {
	testing.TB
	errors []string
}

// fatal is the panic value with which failures ends the watched function.
type fatal struct{}

func (f *failures) Helper() {}

func (f *failures) Errorf(format string, args ...any) {
	f.errors = append(f.errors, fmt.Sprintf(format, args...))
}

func (f *failures) Fatalf(format string, args ...any) {
	f.Errorf(format, args...)
	panic(fatal{})
}

func (f *failures) Fatal(args ...any) { f.Fatalf("%s", fmt.Sprint(args...)) }

func (f *failures) FailNow() { panic(fatal{}) }

// watch runs a function that should fail, until it ends the test.
func (f *failures) watch(run func()) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(fatal); !ok {
				panic(r)
			}
		}
	}()
	run()
}

// want compares the failures with patterns, one each.
func (f *failures) want(t *testing.T, patterns ...string) {
	t.Helper()
	for i, p := range patterns {
		if i >= len(f.errors) {
			t.Errorf("no report like %q", p)
		} else if !regexp.MustCompile(p).MatchString(f.errors[i]) {
			t.Errorf("reported:\n%s\nwant\n%s", f.errors[i], p)
		}
	}
	if len(f.errors) > len(patterns) {
		t.Errorf("reported besides:\n%s", strings.Join(f.errors[len(patterns):], "\n"))
	}
	f.errors = nil
}

func TestConfigIsChecked(t *testing.T) {
	for _, test := range []struct {
		change func(c *systemstest.Config)
		want   string
	}{
		{func(c *systemstest.Config) { c.Protocol = nil }, `Protocol is nil: give the function`},
		{func(c *systemstest.Config) { c.Clients = -1 }, `Clients -1 is negative`},
		{func(c *systemstest.Config) { c.FrameRate = -2 }, `FrameRate -2 is below -1`},
		{func(c *systemstest.Config) { c.Server.Snapshots.SendRate = 7 }, `the server: .*SendRate 7`},
		{func(c *systemstest.Config) { c.Link = systemstest.RoundTrip(time.Second, time.Second, 0) }, `link of client 0: .*Jitter`},
		{func(c *systemstest.Config) {
			c.Client = func(int) systems.ClientConfig {
				return systems.ClientConfig{Prediction: systems.Prediction{History: -1}}
			}
		}, `client 0: .*History -1`},
		{func(c *systemstest.Config) {
			c.Client = func(int) systems.ClientConfig {
				return systems.ClientConfig{Gather: systems.Gather(func(*systems.Client, *Move) {})}
			}
		}, `client 0 has a Gather besides Config.Play`},
	} {
		config, f := dots(1, 1), &failures{}
		test.change(&config)
		f.watch(func() { systemstest.New(f, config) })
		f.want(t, test.want)
	}
}

func TestConnectSaysWhoDidNot(t *testing.T) {
	config, f := dots(1, 3), &failures{}
	n := 0
	config.Protocol = func() *ecs.Protocol { // the last client has other data
		if n++; n < 4 {
			return Dots()
		}
		p := ecs.NewProtocol("dots/1")
		ecs.ReplicateFields[components.Position](p, ecs.Predicted, schema.Fields{"X": "raw", "Y": "raw"})
		ecs.Input[Move](p)
		return p
	}
	f.watch(func() { systemstest.New(f, config).Connect() })
	f.want(t, `client 2: .*Position.*step 0.01.*raw`)
}

func TestNothingMissingSaysWhat(t *testing.T) {
	f := &failures{}
	c := play(f, dots(1, 2), 10*time.Second)
	c.Mark()
	tick := c.Server.Tick()
	lost := 0
	c.Lose(func(p systemstest.Packet) bool {
		if p.Up && p.Client.N == 1 {
			lost++
		}
		return p.Up && p.Client.N == 1 && lost < 30
	})
	c.Run(time.Second)
	c.NothingMissing()
	missing := c.Clients[1].Figures().Missing
	f.want(t, fmt.Sprintf(`client 1 \(id %d\) had inputs missing between ticks %d and %d: %d of \d+ inputs, the first at tick \d+ \(\d came late`,
		c.Clients[1].ID(), tick, c.Server.Tick(), missing))
	c.Mark()
	c.NothingMissing()
	f.want(t)
}

func TestNoCorrectionsSaysWhat(t *testing.T) {
	f := &failures{}
	config := dots(1, 2)
	c := play(f, config, 5*time.Second)
	c.Mark()
	id := c.Clients[1].ID()
	for e, d := range ecs.Each[struct {
		Pos *components.Position
		Own *components.Owner
		Me  ecs.Entity
	}](c.Server.World()) {
		if d.Own.Client == id {
			d.Pos.Y += 100
			_ = e
		}
	}
	c.Run(2 * time.Second)
	c.NoCorrections()
	f.want(t, fmt.Sprintf(`client 1 \(id %d\) was corrected between ticks \d+ and \d+: 1 of \d+ owner states\n`+
		`\tentity \d+: Position\.Y after input \d+, tick \d+: -?\d+ on the client, \d+ on the server`, id))
}

func TestNoStallsSaysWhen(t *testing.T) {
	f := &failures{}
	c := play(f, dots(1, 2), 5*time.Second)
	c.Mark()
	c.Lose(func(p systemstest.Packet) bool { return !p.Up && p.Client.N == 0 })
	c.Run(time.Second)
	c.NoStalls()
	f.want(t, `client 0 \(id \d+\) stalled .*: \d+ frames, the first at tick \d+: it drew tick [\d.]+, its newest snapshot was of tick \d+`)
}

func TestConvergedSaysWhatDiffers(t *testing.T) {
	f := &failures{}
	c := play(f, dots(1, 2), 5*time.Second)
	c.Settle()
	c.Converged()
	f.want(t)
	w := c.Clients[0].World()
	for id := components.NetID(1); id < 10; id++ {
		if e, ok := w.ByNetID(id); ok && !ecs.Has[components.Predicted](w, e) {
			ecs.Get[components.Position](w, e).Y += 3
		}
	}
	c.Converged()
	f.want(t, `client 0 \(id \d+\) has another state than the server .*: entity \d+ at tick \d+: Position\.Y: -?[\d.]+ on the client, -?[\d.]+ on the server`)
}

func TestAssertionsNoticeWhoIsGone(t *testing.T) {
	f := &failures{}
	config := dots(1, 2)
	config.Client = func(int) systems.ClientConfig {
		return systems.ClientConfig{Session: systems.ClientSession{Timeout: time.Second}}
	}
	c := play(f, config, 2*time.Second)
	c.Lose(func(p systemstest.Packet) bool { return !p.Up && p.Client.N == 1 })
	c.Run(3 * time.Second)
	c.NoStalls()
	f.want(t, `client 1 \(id \d+\) is gone: .*timed out`)
}

// lift is on what players ride.
type lift struct {
	Top uint8 `net:"0..200"`
}

// aboard is on a player who stands on a lift.
type aboard struct {
	Lift components.NetID `net:"ref parent"`
	X    float32          `net:"-64..64 step 0.01"`
}

// TestConvergedWithPassengers has players who walk on lifts that only the server moves: their places on the clients are those
// on the lifts that the clients see, which are older than the server's.
func TestConvergedWithPassengers(t *testing.T) {
	lifts := func() *ecs.Protocol {
		p := ecs.NewProtocol("lifts/1")
		ecs.Replicate[components.Position](p, ecs.Predicted|ecs.Interpolated)
		ecs.Replicate[aboard](p, ecs.Predicted)
		ecs.Replicate[lift](p, 0)
		ecs.Input[Move](p)
		ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
			lift := w.Spawn(lift{Top: 100}, components.Position{Y: float32(10 * client)})
			w.Spawn(components.Owner{Client: client}, components.Position{}, Move{}, aboard{Lift: w.NetID(lift)})
		})
		p.Simulate("walk", func(w *ecs.World) {
			for _, d := range ecs.Each[struct {
				In *Move
				On *aboard
			}](w) {
				d.On.X = min(max(d.On.X+float32(d.In.DX)/4, -64), 64)
			}
		})
		p.Authority("move lifts", func(w *ecs.World) {
			for _, l := range ecs.Each[struct {
				At *components.Position
				On *lift
			}](w) {
				l.At.Y = float32(w.Tick() % uint32(l.On.Top))
			}
		})
		ecs.Carry(p, func(a aboard, lift components.Position) components.Position {
			lift.X += a.X
			return lift
		})
		return p
	}
	for _, m := range policy.Presets() {
		t.Run(fmt.Sprint(m), func(t *testing.T) {
			c := systemstest.New(t, systemstest.Config{
				Protocol: lifts, Play: roam(), Clients: 2, Server: systems.ServerConfig{Model: m},
				Link: systemstest.RoundTrip(100*time.Millisecond, 20*time.Millisecond, 0.02),
			})
			c.Connect()
			c.Run(5 * time.Second)
			c.Settle()
			c.Converged()
		})
	}
}
