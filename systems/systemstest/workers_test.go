package systemstest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// drift is a row that workers share.
type drift struct {
	Vel components.Velocity
	Pos *components.Position
}

// wrong changes a match depending on the number of its server's workers.
type wrong struct {
	row    func(workers int, s ecs.Step, r drift)            // on the server
	input  func(workers int, c *systemstest.Client, m *Move) // of a client
	client func(workers int, w *ecs.World)                   // in clients' worlds alone
}

// afloat plays dots among more rows than workers leave to one, as wrong has it.
func afloat(t testing.TB, seed uint64, play func(c *systemstest.Crowd), x wrong) {
	workers := 0 // of the match at hand
	systemstest.WorkersChangeNothing(t, func() systemstest.Config {
		config, sides := dots(seed, 3), 0
		config.Protocol = func() *ecs.Protocol {
			p, client := Dots(), sides > 0
			sides++
			ecs.Local[components.Velocity](p, 0)
			p.Authority("drift", ecs.Rows(func(r drift, s ecs.Step) {
				r.Pos.X += r.Vel.X * s.Seconds
				if x.row != nil {
					x.row(workers, s, r)
				}
			}))
			p.Simulate("sway", func(w *ecs.World) {
				if client && x.client != nil {
					x.client(workers, w)
				}
			})
			return p
		}
		config.Populate = func(w *ecs.World) {
			for i := range 600 {
				w.Spawn(components.Position{Y: float32(i)}, components.Velocity{X: float32(i%7) - 3})
			}
		}
		config.Play = systemstest.Play(func(c *systemstest.Client, m *Move) {
			m.DX = 1
			if x.input != nil {
				x.input(workers, c, m)
			}
		})
		return config
	}, func(c *systemstest.Crowd) {
		workers = c.Server.Config().Workers
		play(c)
	})
}

// second lets a crowd play.
func second(c *systemstest.Crowd) {
	c.Connect()
	c.Run(time.Second)
}

// A match that is right passes, and is played with one worker, with two and with four.
func TestWorkersChangeNothing(t *testing.T) {
	var played []int
	afloat(t, 3, func(c *systemstest.Crowd) {
		played = append(played, c.Server.Config().Workers)
		second(c)
	}, wrong{})
	if fmt.Sprint(played) != "[1 2 4]" {
		t.Errorf("played with %v workers", played)
	}
}

// Each kind of dependence on the number of workers is found where it first shows.
func TestWorkersThatChangeSomething(t *testing.T) {
	for name, test := range map[string]struct {
		wrong
		want string
	}{
		"world": {
			wrong{row: func(workers int, s ecs.Step, r drift) {
				if s.Tick == 40 && r.Pos.Y >= 400 {
					r.Pos.X += float32(workers)
				}
			}},
			`with 2 workers the match .* at tick 40 of the server the first that differs is the server's world\n` +
				`\tthere, the second value with 2 workers: Position\.X of entity 401: -?[\d.]+ and -?[\d.]+\n` +
				`\tSeed 9; repeat it alone: go test ./systems/systemstest( -short)? -run '\^TestWorkersThatChangeSomething\$/\^world\$'$`,
		},
		"four alone": {
			wrong{row: func(workers int, s ecs.Step, r drift) {
				if s.Tick >= 33 && workers == 4 {
					r.Pos.X++
				}
			}},
			`with 4 workers the match .* at tick 33 of the server the first that differs is the server's world\n\tthere, .* with 4 workers: Position\.X of entity 1: `,
		},
		"inputs": {
			wrong{input: func(workers int, c *systemstest.Client, m *Move) {
				if workers > 1 && c.N == 2 && c.Input() > 30 {
					m.DX = -1
				}
			}},
			`with 2 workers the match .* at tick \d+ of the server the first that differs is a datagram that client 2 sends\n\tSeed 9;`,
		},
		"views": {
			wrong{client: func(workers int, w *ecs.World) {
				for _, d := range ecs.Each[dot](w) {
					d.Pos.Y += float32(workers - 1)
				}
			}},
			`with 2 workers the match .* at tick \d+ of the server the first that differs is the view of client \d\n\tSeed 9;`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := &failures{TB: t}
			afloat(f, 9, second, test.wrong)
			f.want(t, test.want)
		})
	}
}

// A match that is longer or ends with other worlds differs, though all until then was the same.
func TestWorkersChangeTheEnd(t *testing.T) {
	for name, end := range map[string]func(c *systemstest.Crowd){
		"longer":  func(c *systemstest.Crowd) { c.RunTicks(c.Server.Config().Workers / 2) },
		"shorter": func(c *systemstest.Crowd) { c.RunTicks(4 - c.Server.Config().Workers) },
		"end": func(c *systemstest.Crowd) {
			c.Server.World().Spawn(components.Position{X: float32(c.Server.Config().Workers)}, components.Velocity{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := &failures{TB: t}
			afloat(f, 9, func(c *systemstest.Crowd) {
				second(c)
				end(c)
			}, wrong{})
			f.want(t, `with 2 workers the match .* at tick \d+ of the server the first that differs is `)
		})
	}
}

// A match that depends on the previous one is distinguished from one that depends on workers.
func TestMatchesThatDifferAnyway(t *testing.T) {
	f, n := &failures{TB: t}, 0
	afloat(f, 9, second, wrong{input: func(_ int, c *systemstest.Client, m *Move) {
		n++
		m.DY = int8(n % 7 / 6)
	}})
	f.want(t, `with 2 workers the match .*\n\tbut two matches with one worker differ too, at number \d+ of \d+ that was seen: build all that a match uses in the function`)
}

func TestWorkersChangeNothingIsMisused(t *testing.T) {
	f := &failures{TB: t}
	f.watch(func() { systemstest.WorkersChangeNothing(f, nil, second) })
	f.want(t, `needs a function that builds the configuration, and one that plays`)
	f.watch(func() { systemstest.WorkersChangeNothing(f, func() systemstest.Config { return dots(1, 1) }, nil) })
	f.want(t, `needs a function that builds the configuration, and one that plays`)
	f.watch(func() { afloat(f, 1, func(*systemstest.Crowd) {}, wrong{}) })
	f.want(t, `play lets no time pass: call Connect and Run`)
}

// If Seeds repeats a test, it prints the command.
func TestWorkersLeaveTheCommandToSeeds(t *testing.T) {
	t.Run("seed=9", func(t *testing.T) {
		f := &failures{TB: t}
		afloat(f, 9, second, wrong{row: func(workers int, s ecs.Step, r drift) { r.Pos.X += float32(workers) }})
		if len(f.errors) != 1 || !strings.HasSuffix(f.errors[0], "\tSeed 9") {
			t.Errorf("%q", f.errors)
		}
	})
}
