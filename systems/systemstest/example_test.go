package systemstest_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Move is the input of a game.
type Move struct {
	DX, DY int8 `net:"-1..1"`
}

// dot is a player.
type dot struct {
	Pos *components.Position
	In  *Move
}

// Dots returns the protocol of a game: players walk where their inputs say.
func Dots() *ecs.Protocol {
	p := ecs.NewProtocol("dots/1")
	ecs.Replicate[components.Position](p, ecs.Predicted|ecs.Interpolated)
	ecs.Input[Move](p)
	ecs.Join(p, func(w *ecs.World, client uint32, _ *struct{}) {
		w.Spawn(components.Owner{Client: client}, components.Position{}, Move{})
	})
	p.Simulate("walk", func(w *ecs.World) {
		for _, d := range ecs.Each[dot](w) {
			d.Pos.X += float32(d.In.DX)
			d.Pos.Y += float32(d.In.DY)
		}
	})
	return p
}

// roam walks somewhere else every now and then.
func roam() systemstest.Script {
	heading := map[int]Move{}
	return systemstest.Play(func(c *systemstest.Client, in *Move) {
		if c.Rand().IntN(20) == 0 {
			heading[c.N] = Move{DX: int8(c.Rand().IntN(3) - 1), DY: int8(c.Rand().IntN(3) - 1)}
		}
		*in = heading[c.N]
	})
}

// dots returns a crowd's configuration.
func dots(seed uint64, clients int) systemstest.Config {
	return systemstest.Config{
		Protocol: Dots,
		Play:     roam(),
		Clients:  clients,
		Link:     systemstest.RoundTrip(100*time.Millisecond, 20*time.Millisecond, 0.02),
		Seed:     seed,
	}
}

// report replaces the *testing.T of a test, because an example has none.
type report struct{ testing.TB }

func (report) Helper() {}

func (report) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }

func (report) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func (report) Fatal(args ...any) { panic(fmt.Sprint(args...)) }

// A minute of a game with four players over a link of 100 ms: no prediction is
// wrong, nobody stalls, and in the end all see the same. In a test t is a
// *testing.T, and systemstest.Seeds repeats it all with many seeds.
func Example() {
	var t report

	crowd := systemstest.New(t, systemstest.Config{
		Protocol: Dots,
		Play: systemstest.Play(func(c *systemstest.Client, in *Move) {
			in.DX = int8(c.Rand().IntN(3) - 1)
		}),
		Clients: 4,
		Link:    systemstest.RoundTrip(100*time.Millisecond, 20*time.Millisecond, 0.02),
		Seed:    1,
	})
	crowd.Connect()
	crowd.Run(10 * time.Second) // buffers grow to what the link asks for
	crowd.Mark()
	crowd.Run(time.Minute)
	crowd.NothingMissing()
	crowd.NoCorrections()
	crowd.NoStalls()
	crowd.Settle()
	crowd.Converged()
	fmt.Println(crowd.Clients[0].Figures().Corrections, "corrections after", crowd.Elapsed().Round(10*time.Second))
	// Output: 0 corrections after 1m10s
}
