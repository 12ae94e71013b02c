package systems

import (
	"fmt"
	"math"
	"os"
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

// stride is the input on the avenue, where everybody walks at one speed and throws stones,
// which fly as fast.
type stride struct {
	DX    int8 `net:"-1..1"`
	Throw bool `net:"edge"`
}

const strideSpeed = 20

// stone is the how manieth of its owner's it is, and how many ticks it has left.
type stone struct {
	Number uint16 `net:"0..65535"`
	Left   uint8  `net:"0..255"`
}

type strider struct {
	Own *components.Owner
	Pos *components.Position
	In  *stride
}

type flyingStone struct {
	Pos   *components.Position
	Stone *stone
}

func avenue() *ecs.Protocol {
	p := ecs.NewProtocol("avenue/1")
	ecs.Replicate[components.Position](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[stone](p, ecs.Predicted)
	ecs.Input[stride](p)
	p.Simulate("stride", func(w *ecs.World) {
		for e, s := range ecs.Each[flyingStone](w) {
			s.Pos.X += strideSpeed * w.Step()
			if s.Stone.Left--; s.Stone.Left == 0 {
				w.Despawn(e)
			}
		}
		for _, s := range ecs.Each[strider](w) {
			s.Pos.X += float32(s.In.DX) * strideSpeed * w.Step()
			if s.In.Throw {
				w.Spawn(*s.Own, components.Position{}, stone{uint16(w.Tick()), 40})
			}
		}
	})
	return p
}

// onAvenue lets two clients walk to and fro, whose frames come at a rate and at 77 a second,
// and shows each frame of the first: how long it took, and how long ago both turned. Where
// stalls is not 0 one of its frames comes so much later, every six seconds.
func onAvenue(t *testing.T, preset policy.Preset, trip time.Duration, frames float64, stalls, play time.Duration, see func(k *Client, way, passed, turned float64)) {
	t.Helper()
	join := func(w *ecs.World, client uint32) {
		w.Spawn(components.Owner{Client: client}, components.Position{}, stride{})
	}
	g := newGame(t, avenue, ServerConfig{Seed: 1, Policies: preset.Policies(), Join: join})
	way, thrown := 1, 0
	link := netsys.Link{Latency: trip / 2}
	for range 2 {
		g.join(ClientConfig{
			Join: join,
			Gather: Gather(func(_ *ecs.World, in *stride) {
				thrown++
				*in = stride{DX: int8(way), Throw: thrown%31 == 0}
			}),
			Partial: Gather(func(_ *ecs.World, in *stride) { in.DX = int8(way) }),
		}, link)
	}
	const warm = 15 * time.Second
	due := [2]time.Time{birth.Add(3 * time.Millisecond), birth.Add(7 * time.Millisecond)}
	last, turned, stalled := birth, birth, birth.Add(warm)
	for end := birth.Add(warm + play); g.now.Before(end); {
		at, who := g.server.Next(), -1
		for n := range due {
			if due[n].Before(at) {
				at, who = due[n], n
			}
		}
		if g.now = at; who < 0 {
			g.server.Advance(g.now)
			continue
		}
		if g.now.Sub(turned) > 5*time.Second {
			way, turned = -way, g.now
		}
		k, rate := g.clients[who], []float64{frames, 77}[who]
		k.Advance(g.now)
		k.Frame(g.now)
		due[who] = due[who].Add(time.Duration(float64(time.Second) / rate))
		if who == 1 {
			continue
		}
		if g.now.Sub(birth) > warm {
			see(k, float64(way), g.now.Sub(last).Seconds(), g.now.Sub(turned).Seconds())
		}
		if last = g.now; stalls > 0 && g.now.Sub(stalled) > 6*time.Second {
			stalled, due[0] = g.now, due[0].Add(stalls)
		}
	}
}

// avenueView is where a view shows the two players, and its stones: how many it drew, and
// how many of those twice in a frame.
type avenueView struct {
	own, other  float64
	stones      map[[2]uint32]bool
	seen, twice int
}

func (a *avenueView) look(k *Client) {
	a.stones = make(map[[2]uint32]bool)
	own, _ := k.Own(k.View())
	for e, x := range ecs.All[struct {
		Own components.Owner
		Pos components.Position
	}](k.View()) {
		switch s := ecs.Get[stone](k.View(), e); {
		case s != nil:
			key := [2]uint32{x.Own.Client, uint32(s.Number)}
			if a.stones[key] {
				a.twice++
			}
			a.stones[key] = true
			a.seen++
		case e == own:
			a.own = float64(x.Pos.X)
		default:
			a.other = float64(x.Pos.X)
		}
	}
}

// Over links from none to short ones, at frame rates that agree with the ticks and that do
// not, a frame moves the own player and the other by as much as their speed explains, under
// each model. Where states are sent nothing has to be corrected or left out, all that is
// told is compared, and no stone flies twice.
func TestNetcodeB2_FramesGoEvenly(t *testing.T) {
	play, trips, rates := 20*time.Second, []time.Duration{0, 2 * time.Millisecond, 10 * time.Millisecond}, []float64{30, 59.94, 60, 75, 144}
	switch {
	case testing.Short() || race.Enabled:
		play, trips, rates = 5*time.Second, trips[:1], []float64{59.94, 144}
	case os.Getenv("TACTUS_LONG") != "":
		play = 5 * time.Minute
	}
	for _, preset := range policy.Presets() {
		for _, trip := range trips {
			for _, frames := range rates {
				t.Run(fmt.Sprintf("%v/%v/%v", preset, trip, frames), func(t *testing.T) {
					t.Parallel()
					var was, now avenueView
					odd := 0
					var before, after ClientStats
					onAvenue(t, preset, trip, frames, 0, play, func(k *Client, way, passed, turned float64) {
						was.own, was.other = now.own, now.other
						now.look(k)
						if after = k.Stats(); before.Ticks == 0 {
							before = after
							return
						}
						most := strideSpeed * passed
						const rounding = 0.002
						if step := (now.own - was.own) * way; turned > 0.3 && math.Abs(step-most) > 0.01*most+rounding {
							if odd++; preset != policy.Lockstep || odd > 2+int(play.Seconds()/5) {
								t.Fatalf("%v s after a turn a frame moves the own player by %v, and it walks %v", turned, step, most)
							}
							return // a tick more or none: what lockstep has in stock follows the server's clock
						}
						if preset == policy.Buffered {
							return // others are damped
						}
						guessed := everywhere(preset.Policies()) // what the other does
						if step := (now.other - was.other) * way; turned > 1 && math.Abs(step-most) > 0.1*most || math.Abs(step) > 1.1*most && !guessed {
							t.Fatalf("%v s after a turn a frame moves the other by %v, and it walks %v", turned, step, most)
						}
					})
					if everywhere(preset.Policies()) {
						if after.Stalls != before.Stalls || after.Ticks-before.Ticks < uint64(play.Seconds()*59) {
							t.Errorf("%d stalls, %d ticks", after.Stalls-before.Stalls, after.Ticks-before.Ticks)
						}
					} else if after.Jumps != before.Jumps || after.Corrections != before.Corrections || after.Confirmed-before.Confirmed < uint64(play.Seconds()*8) {
						t.Errorf("%d jumps, %d corrections, %d states that agree", after.Jumps-before.Jumps, after.Corrections-before.Corrections, after.Confirmed-before.Confirmed)
					}
					if now.twice > 0 || now.seen < 50 {
						t.Errorf("%d stones are there twice, of %d drawn", now.twice, now.seen)
					}
				})
			}
		}
	}
}

// What a server that waits for nobody tells of ticks that a client has not come to, whose
// frame was late, waits for them: inputs are not left out, and all goes on as it was.
func TestNetcodeB2_StatesWaitForTheirTick(t *testing.T) {
	t.Parallel()
	late, rates := []time.Duration{50 * time.Millisecond, 150 * time.Millisecond, 250 * time.Millisecond}, []float64{30, 60, 144}
	if testing.Short() || race.Enabled {
		late, rates = late[1:2], rates[2:]
	}
	for _, stalls := range late {
		for _, frames := range rates {
			t.Run(fmt.Sprintf("%v/%v", stalls, frames), func(t *testing.T) {
				var before, after ClientStats
				var now avenueView
				newest := uint32(0)
				onAvenue(t, policy.ServerRewind, 0, frames, stalls, 30*time.Second, func(k *Client, _, _, _ float64) {
					now.look(k)
					if after = k.Stats(); before.Ticks == 0 {
						before = after
					}
					if k.Input() < newest {
						t.Fatalf("input %d after %d", k.Input(), newest)
					}
					newest = k.Input()
				})
				if n := after.Jumps - before.Jumps; n > 0 || after.Corrections != before.Corrections || after.Confirmed-before.Confirmed < 300 {
					t.Errorf("%d jumps, %d corrections, %d states that agree", n, after.Corrections-before.Corrections, after.Confirmed-before.Confirmed)
				}
				if now.twice > 0 || now.seen < 50 {
					t.Errorf("%d stones are there twice, of %d drawn", now.twice, now.seen)
				}
			})
		}
	}
}

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
