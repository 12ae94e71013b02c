package systems

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/race"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/internal/clock"
	"github.com/tactusgo/tactus/systems/interpolate"
	"github.com/tactusgo/tactus/systems/policy"
)

// stroll is the input of the promenade, and strollers walk there at so many units a second,
// looking where they aim.
type stroll struct {
	DX  int8   `net:"-1..1"`
	Aim uint16 `net:"0..65535"`
}

const strollSpeed = 100

type stroller struct {
	Pos  *components.Position
	Head *components.Heading
	In   *stroll
}

func promenade() *ecs.Protocol {
	p := ecs.NewProtocol("promenade/1")
	ecs.Replicate[components.Position](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[components.Heading](p, ecs.Predicted|ecs.Interpolated)
	ecs.Input[stroll](p)
	p.Simulate("stroll", func(w *ecs.World) {
		for _, s := range ecs.Each[stroller](w) {
			s.Pos.X += float32(s.In.DX) * strollSpeed * w.Step()
			s.Head.Angle = s.In.Aim
		}
	})
	return p
}

// walk is a client on the promenade whose frames come when they like, and what its player
// holds down.
type walk struct {
	*game
	k    *Client
	held stroll
}

func newWalk(t testing.TB, tickRate int, policies policy.Policies, smoothing interpolate.Smoothing) *walk {
	join := func(w *ecs.World, client uint32) {
		w.Spawn(components.Owner{Client: client}, components.Position{}, components.Heading{}, stroll{})
	}
	g := &walk{game: newGame(t, promenade, ServerConfig{TickRate: tickRate, SendRate: 10, Policies: policies, Join: join})}
	input := Gather(func(_ *ecs.World, in *stroll) { *in = g.held })
	g.k = g.join(ClientConfig{Gather: input, Partial: input, Smoothing: smoothing, Join: join}, netsys.Link{})
	return g
}

// lag makes the way to the server as long as a real one.
func (g *walk) lag() {
	g.t.Helper()
	way := netsys.Link{Latency: 70 * time.Millisecond}
	if err := g.links[0].SetLinks(way, way); err != nil {
		g.t.Fatal(err)
	}
}

// frame lets time pass, and draws a frame with what the player does in it.
func (g *walk) frame(passes time.Duration) {
	for end := g.now.Add(passes); g.now.Before(end); {
		g.now = g.now.Add(min(time.Millisecond, end.Sub(g.now)))
		g.server.Advance(g.now)
	}
	g.k.Advance(g.now)
	g.k.Frame(g.now)
}

// drawn is where its player is.
func (g *walk) drawn() (x float64, angle uint16) {
	g.t.Helper()
	e, ok := g.k.Own(g.k.View())
	if !ok {
		g.t.Fatal("the view has no player")
	}
	return float64(ecs.Get[components.Position](g.k.View(), e).X), ecs.Get[components.Heading](g.k.View(), e).Angle
}

// onPromenade runs a test at frame rates and tick rates that hardly ever agree.
func onPromenade(t *testing.T, test func(t *testing.T, g *walk, frame time.Duration)) {
	tickRates, frameRates := []int{30, 60, 120}, []float64{30, 59.94, 60, 75, 90, 120, 144, 240}
	if race.Enabled {
		tickRates, frameRates = []int{60}, []float64{59.94, 144}
	}
	for _, preset := range []policy.Preset{policy.LocalSync, policy.Rollback} {
		for _, ticks := range tickRates {
			for _, frames := range frameRates {
				t.Run(fmt.Sprintf("%v, %d ticks, %v frames", preset, ticks, frames), func(t *testing.T) {
					g := newWalk(t, ticks, preset.Policies(), interpolate.Smoothing{})
					frame := time.Duration(float64(time.Second) / frames)
					for range int(3 * frames) {
						g.frame(frame)
					}
					test(t, g, frame)
				})
			}
		}
	}
}

// A key that goes down before a frame moves the player in that very frame, one that comes
// up stops it there, and so it is with where it looks.
func TestPartialTicks_KeyShowsInItsFrame(t *testing.T) {
	t.Parallel()
	onPromenade(t, func(t *testing.T, g *walk, frame time.Duration) {
		late, presses := 0, 0
		for n := range 200 {
			before, _ := g.drawn()
			g.held = stroll{DX: int8(n%2)*2 - 1, Aim: uint16(n * 321)}
			g.frame(frame)
			presses++
			x, angle := g.drawn()
			if (x-before)*float64(g.held.DX) < 0.01 || angle != g.held.Aim {
				late++
			}
			for range n % 7 {
				g.frame(frame)
			}
			g.held.DX = 0
			g.frame(frame)
			rest, _ := g.drawn()
			for range 3 + n%5 {
				g.frame(frame)
				if x, _ := g.drawn(); math.Abs(x-rest) > 1e-3 {
					t.Fatalf("press %d: drawn %v from where it came to rest", n, x-rest)
				}
			}
		}
		if late != 0 {
			t.Errorf("%d of %d keys did not show in their frame", late, presses)
		}
	})
}

// Who walks steadily is drawn by its speed further in each frame, whether that had no tick
// or two.
func TestPartialTicks_SteadyMotion(t *testing.T) {
	onPromenade(t, func(t *testing.T, g *walk, frame time.Duration) {
		g.held.DX = 1
		g.frame(frame)
		g.frame(frame)
		last, _ := g.drawn()
		worst, ticks := 0.0, g.k.Stats().Ticks
		for range 600 {
			g.frame(frame)
			x, _ := g.drawn()
			worst = max(worst, math.Abs((x-last)/(strollSpeed*frame.Seconds())-1))
			last = x
		}
		t.Logf("at most %.3f %% off, %d ticks in 600 frames", 100*worst, g.k.Stats().Ticks-ticks)
		if worst > 0.01 {
			t.Errorf("a frame moves the player by %.2f %% more or less than its speed", 100*worst)
		}
	})
}

// Where the server counts inputs in the tick that they are stamped with, and where others
// are damped or own state comes on mismatch only, who walks is drawn steadily as well.
func TestPartialTicks_Presets(t *testing.T) {
	for preset, off := range map[policy.Preset]float64{
		policy.LocalSync: 0.001, policy.Buffered: 0.001, policy.CorrectOnMismatch: 0.001,
		policy.ServerRewind: 2 * clock.MaxSteer, // its clock is steered
	} {
		t.Run(preset.String(), func(t *testing.T) {
			g := newWalk(t, 60, preset.Policies(), interpolate.Smoothing{})
			g.lag()
			const frame = time.Second / 144
			g.held.DX = 1
			for range 144 * 12 {
				g.frame(frame)
			}
			before := g.k.Stats().Corrections
			last, _ := g.drawn()
			for range 600 {
				g.frame(frame)
				x, _ := g.drawn()
				if d := (x-last)/(strollSpeed*frame.Seconds()) - 1; math.Abs(d) > off {
					t.Fatalf("a frame moves the player by %.2f %% more or less than its speed", 100*d)
				}
				last = x
			}
			if n := g.k.Stats().Corrections - before; n != 0 {
				t.Errorf("%d corrections", n)
			}
		})
	}
}

// A correction between two frames does not show, at any share of a tick, and what a
// partial tick moves is no visual error: once that is gone who stands is drawn where it is.
func TestPartialTicks_CorrectionsDoNotShow(t *testing.T) {
	for _, frames := range []float64{59.94, 75, 144, 240} {
		t.Run(fmt.Sprint(frames, " frames"), func(t *testing.T) {
			g := newWalk(t, 60, policy.LocalSync.Policies(), interpolate.Smoothing{})
			g.lag()
			frame := time.Duration(float64(time.Second) / frames)
			for range int(3 * frames) {
				g.frame(frame)
			}
			const pushed = 4.0
			seconds := frame.Seconds()
			g.held.DX = 1
			g.frame(frame)
			last, _ := g.drawn()
			for n := range int(12 * frames) {
				if n%int(frames) == 0 && n < int(10*frames) {
					for _, s := range ecs.Each[stroller](g.server.World()) {
						s.Pos.X += pushed
					}
				}
				stops := n == int(11*frames)
				if stops {
					g.held.DX = 0
				}
				before := g.k.Stats().Corrections
				g.frame(frame)
				x, _ := g.drawn()
				fades := math.Exp(-20 * seconds) // see Smoothing
				most := pushed - fades/(1+pushed/3*(1-fades))
				if g.k.Stats().Corrections != before {
					most = 0 // it was corrected in this very frame
				}
				if d := x - last - float64(g.held.DX)*strollSpeed*seconds; !stops && (d < -0.03 || d > most+0.03) {
					t.Fatalf("frame %d: drawn %v further than its speed explains", n, d)
				}
				last = x
			}
			e, _ := g.k.Own(g.k.World())
			if x := float64(ecs.Get[components.Position](g.k.World(), e).X); math.Abs(x-last) > 0.001 {
				t.Errorf("drawn at %v, simulated at %v", last, x)
			}
			if n := g.k.Stats().Corrections; n < 10 || n > 30 {
				t.Errorf("%d corrections of 10 pushes", n)
			}
		})
	}
}

// A frame with a partial tick allocates nothing.
func TestPartialTicks_AllocateNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	g := newWalk(t, 60, policy.LocalSync.Policies(), interpolate.Smoothing{})
	for range 144 * 20 { // until all rings have gone round
		g.frame(time.Second / 144)
	}
	g.held.DX = 1
	if n := testing.AllocsPerRun(1, func() {
		for range 300 {
			g.frame(time.Second / 144)
		}
	}); n != 0 {
		t.Errorf("%v allocations in 300 frames", n)
	}
}

// BenchmarkFrame draws frames between ticks, with partial ticks and without.
func BenchmarkFrame(b *testing.B) {
	for _, partial := range []bool{false, true} {
		b.Run(fmt.Sprint("partial=", partial), func(b *testing.B) {
			g := newWalk(b, 60, policy.LocalSync.Policies(), interpolate.Smoothing{})
			for range 60 * 3 {
				g.frame(time.Second / 60)
			}
			if !partial {
				g.k.config.Partial = GatherFunc{}
			}
			now := g.now.Add(time.Millisecond)
			b.ReportAllocs()
			for b.Loop() {
				g.k.Frame(now)
			}
		})
	}
}
