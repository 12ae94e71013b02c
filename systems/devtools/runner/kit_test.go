package runner

import (
	"flag"
	"io"
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/inspect"
	"github.com/tactusgo/tactus/systems/internal/testgame"
)

// plaza returns a world of pawns that walk, and of tinted ones that drift by themselves.
func plaza() Game {
	return Game{
		Name: "plaza",
		Protocol: func(*Options) *ecs.Protocol {
			return testgame.Plaza(func(p *ecs.Protocol) {
				p.Simulate("drift", drift)
				ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) { testgame.SpawnPawn(w, client) })
			})
		},
		Populate: func(w *ecs.World, o *Options) {
			for n := range o.NPCs {
				w.Spawn(testgame.Place{X: float32(n%40) * 10, Y: float32(n / 40)}, testgame.Tint{Color: uint8(n % 200)})
			}
		},
		Rooms: &Rooms{Seats: 4, Bots: 1},
		Bot:   func(o *Options, n int) Bot { return walker(o.Seed<<8 + uint64(n)) },
		Place: at,
		Push: func(w *ecs.World, e ecs.Entity, dx, dy float32) {
			if p := ecs.Get[testgame.Place](w, e); p != nil {
				p.X, p.Y = p.X+dx, p.Y+dy
			}
		},
		Listen:  map[string]func(string) (netsys.Wire, error){"udp": Wire(eventloop.Listen), "ws": Wire(eventloop.ListenWebSocket)},
		Inspect: Inspect(inspect.Open),
	}
}

func at(w *ecs.World, e ecs.Entity) (x, y float32, ok bool) {
	p := ecs.Get[testgame.Place](w, e)
	if p == nil {
		return 0, 0, false
	}
	return p.X, p.Y, true
}

// drift moves entities with a color to and fro.
func drift(w *ecs.World) {
	for _, e := range ecs.Each[struct {
		At   *testgame.Place
		Tint *testgame.Tint
	}](w) {
		if step := float32(1) / 8; (w.Tick()/60+uint32(e.Tint.Color))%2 == 0 {
			e.At.Y += step
		} else {
			e.At.Y -= step
		}
	}
}

// walker returns a bot that walks where it likes.
func walker(seed uint64) Bot {
	draw, keys := ecs.NewRand(seed, 1), testgame.Push{}
	return NewBot(func(c *systems.Client, in *testgame.Push) {
		if c.World().Tick()%30 == 0 {
			keys = testgame.Push{DX: int8(draw.IntN(3)) - 1, DY: int8(draw.IntN(3)) - 1}
		}
		*in = keys
	})
}

// options returns a world's defaults with some flags.
func options(t testing.TB, game Game, args ...string) Options {
	t.Helper()
	var o Options
	fs := flag.NewFlagSet("test", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	o.register(fs, &game)
	if err := fs.Parse(args); err != nil {
		t.Fatal(err)
	}
	return o
}
