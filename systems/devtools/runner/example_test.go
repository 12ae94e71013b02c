package runner_test

import (
	"context"
	"fmt"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/inspect"
	"github.com/tactusgo/tactus/systems/devtools/runner"
)

// Hop is the input: one step to a side.
type Hop struct {
	DX int8 `net:"-1..1"`
}

// Hops counts steps.
type Hops struct {
	Count uint16 `net:"0..65535"`
}

// hopper is the row of the rule below.
type hopper struct {
	Pos  *components.Position
	Hops *Hops
	In   *Hop
}

// Tally is the result of a match: the field "world" of the report.
type Tally struct {
	Players int  `json:"players"`
	Hopped  bool `json:"hopped"`
}

// hop returns the whole game.
func hop() runner.Game {
	return runner.Game{
		Name:  "hop",
		About: "Players hop to and fro, and are counted.",
		Protocol: func(*runner.Options) *ecs.Protocol {
			p := ecs.NewProtocol("hop/1")
			ecs.Replicate[components.Position](p, ecs.Predicted|ecs.Interpolated)
			ecs.Replicate[Hops](p, ecs.Predicted)
			ecs.Input[Hop](p)
			ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
				w.Spawn(components.Owner{Client: client}, components.Position{}, Hops{}, Hop{})
			})
			p.Simulate("hop", func(w *ecs.World) {
				for _, h := range ecs.Each[hopper](w) {
					if h.In.DX != 0 {
						h.Pos.X += float32(h.In.DX)
						h.Hops.Count++
					}
				}
			})
			return p
		},
		// Bots hop for a second to one side, then for a second to the other.
		Bot: func(_ *runner.Options, n int) runner.Bot {
			return runner.NewBot(func(c *systems.Client, in *Hop) { in.DX = int8((c.World().Tick()/60+uint32(n))%2)*2 - 1 })
		},
		Proof: func(s *systems.Server, _ []*systems.Client) any {
			t := Tally{Hopped: true}
			for _, h := range ecs.All[struct{ Hops Hops }](s.World()) {
				t.Players++
				t.Hopped = t.Hopped && h.Hops.Count > 60
			}
			return t
		},
		Listen:  map[string]func(string) (netsys.Wire, error){"udp": runner.Wire(eventloop.Listen)},
		Inspect: runner.Inspect(inspect.Open),
	}
}

// A whole small game. Its main is one line,
//
//	os.Exit(runner.Main(context.Background(), hop(), os.Args[1:], os.Stdout, os.Stderr))
//
// and go run . -h explains what it can do. Here a test plays it.
func Example() {
	r, err := runner.Headless(context.Background(), hop(), "-virtual", "-duration", "5s", "-clients", "4")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("everybody agrees with the server:", r.Converged)
	fmt.Printf("%+v\n", r.World)
	// Output:
	// everybody agrees with the server: true
	// {Players:4 Hopped:true}
}
