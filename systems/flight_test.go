package systems_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// flightModels returns all models, with both timings.
func flightModels() []policy.Model {
	return append(herdModels(), policy.LocalSync{Arrival: true}, policy.Buffered{Arrival: true, Missing: policy.Supersede},
		policy.ServerRewind{}, policy.Rollback{}, policy.Rollback{Suggest: 50 * time.Millisecond})
}

// flightConfig returns the configuration of a match of herd over a terrible network.
func flightConfig(seed uint64, m policy.Model, f *systems.Flight) systemstest.Config {
	c := herdConfig(seed, m, 4, nil, nil)
	c.Link = systemstest.RoundTrip(200*time.Millisecond, 60*time.Millisecond, 0.1)
	c.Server.Flight = f
	c.Client = func(int) systems.ClientConfig {
		return systems.ClientConfig{Models: []policy.Model{m}}
	}
	return c
}

// stir makes players send commands, leave, crash and return during a match.
func stir(t *testing.T, c *systemstest.Crowd, seconds int) {
	t.Helper()
	r := ecs.NewRand(uint64(seconds), 5)
	for n := range seconds {
		c.Run(time.Second)
		for _, k := range c.Clients {
			if k.Connected() && r.IntN(2) == 0 {
				if err := systems.Command(k.Client, herdName{uint8(r.IntN(200))}); err != nil {
					t.Fatal(err)
				}
			}
		}
		switch k := c.Clients[n%len(c.Clients)]; n % 9 {
		case 2:
			k.Leave()
		case 4:
			k.Kill()
		case 5:
			c.Join()
		case 7:
			c.Return(k)
		case 8:
			c.StallServer(300 * time.Millisecond)
		}
	}
}

// rerun reruns a flight of a match.
func rerun(t *testing.T, file []byte, c systemstest.Config) *systems.RerunReport {
	t.Helper()
	r, err := systems.Rerun(file, func(string, int) (*ecs.Protocol, systems.ServerConfig) { return c.Protocol(), c.Server })
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// flightOf returns the flight of a server.
func flightOf(t *testing.T, s *systems.Server) []byte {
	t.Helper()
	b, err := s.SaveFlight("test")()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A rerun of a match has the same world at every checkpoint and at every hash, under every model.
func TestRerunOfAHealthyMatch(t *testing.T) {
	for i, m := range flightModels() {
		t.Run(fmt.Sprintf("%d/%v", i, m), func(t *testing.T) {
			c := flightConfig(uint64(i), m, &systems.Flight{Length: 8 * time.Second})
			x := systemstest.New(t, c)
			stir(t, x, 20)
			file := flightOf(t, x.Server)
			r := rerun(t, file, c)
			if !r.Equal || r.Checkpoints < 4 || r.Hashes < 60 || r.Ticks < 480 || r.Reason != "test" || r.First < 300 {
				t.Errorf("%+v %v", *r, r.Difference)
			}
			x.Run(3 * time.Second) // the match continues after it
			if r := rerun(t, flightOf(t, x.Server), c); !r.Equal || len(file) > 1<<20 {
				t.Errorf("later: %+v %v", *r, r.Difference)
			}
		})
	}
}

// wrong makes the rule of a game wrong; zero: never.
type wrong struct {
	panics uint32         // the tick in which walk panics
	state  *atomic.Uint32 // outside of the world, which walk reads
	author bool           // a system of Authority reads it instead
	most   *int           // only so many protocols have the rule; the first is that of the server
	from   uint32         // first tick in which it is read
}

// wrongHerd returns herd with a wrong rule.
func wrongHerd(x wrong) func() *ecs.Protocol {
	built := 0
	return func() *ecs.Protocol {
		p := herd()
		if built++; x.most != nil && built > *x.most {
			return p
		}
		add := p.Simulate
		if x.author {
			add = p.Authority
		}
		add("limp", func(w *ecs.World) { limp(w, x) })
		return p
	}
}

func limp(w *ecs.World, x wrong) {
	for _, r := range ecs.Each[walker](w) {
		if x.panics > 0 && w.Tick() == x.panics && r.Owner.Client > 0 {
			stumble(r.Spot)
		}
		if x.state != nil && w.Tick() >= x.from {
			r.Spot.Y += int32(x.state.Add(1) * 0x9e3779b1 >> 28)
		}
	}
}

// stumble panics.
func stumble(at *herdSpot) {
	var legs []int
	at.X = int32(legs[at.Y|1])
}

// A server writes the flight when a rule panics, and the panic continues. The rerun panics in the same tick with the same stack.
func TestRerunOfAPanic(t *testing.T) {
	for i, m := range flightModels() {
		t.Run(fmt.Sprintf("%d/%v", i, m), func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "panic.flight")
			c := flightConfig(uint64(i), m, &systems.Flight{File: file, Length: 4 * time.Second})
			most := 1
			c.Protocol = wrongHerd(wrong{panics: 500, most: &most})
			x := systemstest.New(t, c)
			most = math.MaxInt
			var v any
			var stack string
			func() {
				defer func() { v, stack = recover(), string(debug.Stack()) }()
				x.Run(20 * time.Second)
			}()
			if _, is := v.(runtime.Error); !is || !strings.Contains(stack, "systems_test.stumble(") {
				t.Fatalf("the match panicked with %v: %s", v, stack)
			}
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			r := rerun(t, b, c)
			if !r.Equal || r.Panicked == nil || r.Panic == nil || r.Panic.Tick != 500 || r.Panic.Value != fmt.Sprint(v) || r.Reason != "panic" || r.Checkpoints == 0 {
				t.Fatalf("%+v %v, %+v and %+v", *r, r.Difference, r.Panicked, r.Panic)
			}
			if len(r.Panic.Stack) < 2 || !strings.Contains(r.Panic.Stack[0], "systems_test.stumble:") || !slices.Equal(r.Panic.Stack, r.Panicked.Stack) {
				t.Errorf("stacks %q and %q", r.Panic.Stack, r.Panicked.Stack)
			}
			c.Protocol = herd // without the bug
			if r := rerun(t, b, c); r.Equal || r.Panic != nil || r.Difference != nil {
				t.Errorf("without the bug: %+v", *r)
			}
		})
	}
}

// A rerun finds a rule that depends on something outside of the world, and names tick, system, component and field.
func TestRerunFindsARule(t *testing.T) {
	for i, m := range flightModels() {
		t.Run(fmt.Sprintf("%d/%v", i, m), func(t *testing.T) {
			const from = 400
			c := flightConfig(uint64(i), m, &systems.Flight{Length: 8 * time.Second})
			c.Protocol = wrongHerd(wrong{state: new(atomic.Uint32), from: from, author: i%2 == 1})
			x := systemstest.New(t, c)
			x.Run(8 * time.Second)
			r := rerun(t, flightOf(t, x.Server), c)
			d := r.Difference
			if r.Equal || d == nil || !d.Certain || d.System != "limp" || d.Component != "herdSpot" || d.Field != "Y" || d.Tick < from || d.Tick > from+hashes {
				t.Errorf("%+v %v", *r, d)
			}
		})
	}
}

// hashes is the largest number of ticks between two hashes.
const hashes = 8

// A rerun finds at the next checkpoint a rule that behaved differently in the other process, although it is deterministic
// here.
func TestRerunFindsADifferentProcess(t *testing.T) {
	for i, m := range flightModels() {
		t.Run(fmt.Sprintf("%d/%v", i, m), func(t *testing.T) {
			const from = 400
			extra := int32(0)
			c := flightConfig(uint64(i), m, &systems.Flight{Length: 8 * time.Second})
			c.Protocol = func() *ecs.Protocol {
				p := herd()
				p.Simulate("limp", func(w *ecs.World) {
					for _, r := range ecs.Each[walker](w) {
						if w.Tick() >= from {
							r.Spot.Y += extra
						}
					}
				})
				return p
			}
			x := systemstest.New(t, c)
			x.Run(10 * time.Second)
			file := flightOf(t, x.Server)
			extra = 1
			r := rerun(t, file, c)
			d := r.Difference
			if r.Equal || d == nil || d.Certain || !strings.Contains(d.System, "limp") || d.Component != "herdSpot" || d.Field != "Y" || d.Tick < from || d.Tick > from+hashes {
				t.Errorf("%+v %v", *r, d)
			}
		})
	}
}

// Under Rollback and Lockstep a server writes the flight when the world of a client differs.
func TestDesyncWritesAFlight(t *testing.T) {
	for _, m := range []policy.Model{policy.Rollback{}, policy.Lockstep{}} {
		t.Run(m.String(), func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "desync.flight")
			c := flightConfig(1, m, &systems.Flight{File: file})
			c.Protocol = wrongHerd(wrong{state: new(atomic.Uint32), from: 400})
			x := systemstest.New(t, c)
			x.RunUntil(20*time.Second, func() bool { return x.Server.Stats().Divergences > 0 })
			if err := x.Server.Close(x.Now()); err != nil { // waits until the file is written
				t.Fatal(err)
			}
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if r := rerun(t, b, c); r.Equal || !strings.HasPrefix(r.Reason, "desync: player") || r.Difference == nil || r.Difference.System != "limp" {
				t.Errorf("%+v %v", *r, r.Difference)
			}
		})
	}
}

// steer is an input whose words are not 0 when it is neutral.
type steer struct {
	DX int8 `net:"-1..1"`
}

// A flight that is written between the join of a player and the first input of that player reruns equal, although a rule reads the
// input of players who take no step yet.
func TestRerunOfAJoin(t *testing.T) {
	t.Parallel()
	for _, m := range flightModels() {
		t.Run(fmt.Sprintf("%+v", m), func(t *testing.T) {
			t.Parallel()
			config := systemstest.Config{
				Protocol: func() *ecs.Protocol {
					p := ecs.NewProtocol("steered/1")
					ecs.Replicate[components.Position](p, ecs.Predicted|ecs.Interpolated)
					ecs.Input[steer](p)
					ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
						w.Spawn(components.Owner{Client: client}, components.Position{}, steer{})
					})
					p.Authority("drift", func(w *ecs.World) {
						for _, r := range ecs.Each[struct {
							At *components.Position
							In *steer
						}](w) {
							r.At.X += float32(r.In.DX)
						}
					})
					return p
				},
				Server: systems.ServerConfig{Model: m, Flight: &systems.Flight{}}, Clients: 1, Seed: 1,
				Link: systemstest.RoundTrip(200*time.Millisecond, 0, 0),
			}
			c := systemstest.New(t, config)
			c.Connect()
			c.Run(2 * time.Second)
			c.Join()
			for range 30 {
				c.RunTicks(2)
				file, err := c.Server.SaveFlight("test")()
				if err != nil {
					t.Fatal(err)
				}
				r, err := systems.Rerun(file, func(string, int) (*ecs.Protocol, systems.ServerConfig) { return config.Protocol(), config.Server })
				if err != nil {
					t.Fatal(err)
				}
				if !r.Equal {
					t.Fatalf("%d ticks of the server: %v", c.Server.Tick(), r.Difference)
				}
			}
		})
	}
}
