package systems_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/internal/race"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/interpolate"
	"github.com/tactusgo/tactus/systems/lagcomp"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// The carousel is the world of these tests: horses go round and round.

// Horse is where a horse is, and Gallop how fast it goes.
type Horse struct {
	X, Y float32 `net:"-64..64 step 0.001"`
}

type Gallop struct {
	X, Y float32 `net:"-64..64 step 0.001"`
}

// Seat says which horse it is; on the server alone.
type Seat struct{ Number int }

// Spur is the input of those who watch.
type Spur struct {
	Number uint16 `net:"raw"`
	Seen   lagcomp.Claim
}

type horse struct {
	At    *Horse
	Speed *Gallop
	Jumps *components.Teleports
	Seat  *Seat
}

// round is a horse's radius, and turn its angular speed in radians a tick.
const (
	round = 8.0
	turn  = 0.08
)

// horseAt is where a horse is after so many ticks.
func horseAt(number int, ticks float64) (at, speed components.Position) {
	sin, cos := math.Sincos(ticks*turn + float64(number))
	return components.Position{X: float32(round * cos), Y: float32(round * sin)},
		components.Position{X: float32(-round * sin * turn * 60), Y: float32(round * cos * turn * 60)}
}

// carousel makes the protocol; draw says how horses are drawn.
func carousel(jumps bool, draw func(p *ecs.Protocol)) func() *ecs.Protocol {
	return func() *ecs.Protocol {
		p := ecs.NewProtocol("carousel/1")
		axes := map[string]string{"X": "-64..64 step 0.001 axis x", "Y": "-64..64 step 0.001 axis y"}
		rates := map[string]string{"X": "-64..64 step 0.001 rate x", "Y": "-64..64 step 0.001 rate y"}
		ecs.ReplicateFields[Horse](p, ecs.Interpolated, axes)
		ecs.ReplicateFields[Gallop](p, 0, rates)
		ecs.Replicate[components.Teleports](p, 0)
		ecs.Input[Spur](p)
		ecs.Local[Seat](p, 0)
		draw(p)
		p.Simulate("watch", func(w *ecs.World) {
			if judge := ecs.Resource[referee](w); judge != nil {
				(*judge)(w)
			}
		})
		p.Authority("ride", func(w *ecs.World) {
			for _, h := range ecs.Each[horse](w) {
				at, speed := horseAt(h.Seat.Number, float64(w.Tick()+1))
				*h.At, *h.Speed = Horse(at), Gallop(speed)
				if jumps && (w.Tick()+uint32(h.Seat.Number))%100 == 0 {
					h.Jumps.Count++
					h.Seat.Number += 3
				}
			}
		})
		return p
	}
}

func onCarousel(seed uint64, p func() *ecs.Protocol) systemstest.Config {
	return systemstest.Config{
		Protocol: p, Clients: 1, Seed: seed,
		Link: systemstest.RoundTrip(200*time.Millisecond, 30*time.Millisecond, 0.05),
		Server: systems.ServerConfig{Join: func(w *ecs.World, client uint32) {
			w.Spawn(components.Owner{Client: client}, Spur{})
		}, LagComp: &lagcomp.Config{}},
		Populate: func(w *ecs.World) {
			for i := range 6 {
				w.Spawn(Horse{}, Gallop{}, components.Teleports{}, Seat{i})
			}
		},
	}
}

func lines(*ecs.Protocol)    {}
func curves(p *ecs.Protocol) { ecs.Hermite[Horse, Gallop](p) }

// strayed is how far horses are drawn from where they were at the tick drawn, on average.
func strayed(t *testing.T, seed uint64, draw func(*ecs.Protocol)) float64 {
	c := systemstest.New(t, onCarousel(seed, carousel(false, draw)))
	c.Connect()
	c.Run(12 * time.Second)
	seats := map[components.NetID]int{}
	for e, h := range ecs.All[struct{ Seat Seat }](c.Server.World()) {
		seats[c.Server.World().NetID(e)] = h.Seat.Number
	}
	sum, n := 0.0, 0
	c.OnFrame(func(k *systemstest.Client) {
		for e, h := range ecs.All[struct{ At Horse }](k.View()) {
			at, _ := horseAt(seats[k.View().NetID(e)], math.Floor(k.DrawnTick()*lagcomp.Parts)/lagcomp.Parts)
			sum, n = sum+apartBy(components.Position(h.At), at), n+1
		}
	})
	c.Run(5 * time.Second)
	if n < 1000 {
		t.Errorf("%d horses seen", n)
	}
	return sum / float64(n)
}

// Curves go where lines cut corners, also over lost snapshots.
func TestNetcodeC6_CurvesFollowTheWay(t *testing.T) {
	systemstest.Seeds(t, 2, func(t *testing.T, seed uint64) {
		line, curve := strayed(t, seed, lines), strayed(t, seed, curves)
		t.Logf("drawn %.4f units off the way on lines, %.4f on curves", line, curve)
		if line < 0.02 || curve > line/5 {
			t.Errorf("drawn %.4f units off the way on lines, %.4f on curves", line, curve)
		}
	})
}

// What the server looks at is what the screen showed, bit by bit, on curves and over
// jumps too.
func TestNetcodeE5_CurvesAreReproduced(t *testing.T) {
	systemstest.Seeds(t, fewer(3), func(t *testing.T, seed uint64) {
		config := onCarousel(seed, carousel(true, curves))
		screens := map[uint16]map[components.NetID]Horse{}
		config.Play = systemstest.Play(func(k *systemstest.Client, in *Spur) {
			in.Number, in.Seen = uint16(k.Input()), k.Claim(true)
			screen := map[components.NetID]Horse{}
			for e, h := range ecs.All[struct{ At Horse }](k.View()) {
				screen[k.View().NetID(e)] = h.At
			}
			screens[in.Number] = screen
		})
		c := systemstest.New(t, config)
		compared := 0
		judge := referee(func(w *ecs.World) {
			for _, p := range ecs.Each[struct {
				In  *Spur
				Own *components.Owner
			}](w) {
				if screen := screens[p.In.Number]; p.In.Seen.Made() && c.Elapsed() > 5*time.Second {
					v := lagcomp.As(w, p.Own.Client, p.In.Seen)
					for e, h := range lagcomp.All[struct{ At Horse }](v) {
						if compared++; screen[v.NetID(e)] != h.At {
							t.Errorf("input %d: the server sees %d at %v, the screen had it at %v", p.In.Number, v.NetID(e), h.At, screen[v.NetID(e)])
						}
					}
				}
			}
		})
		ecs.SetResource(c.Server.World(), &judge)
		c.Connect()
		c.Run(12 * time.Second)
		if compared < 2000 {
			t.Errorf("%d horses compared", compared)
		}
	})
}

// When snapshots stop what may be carried on is, at its speed where that is known and
// else as it went, for as long as it may be; then it stands. When they come again it
// comes back without a jump.
func TestNetcodeC6_GapsAreBridged(t *testing.T) {
	const most = 250 * time.Millisecond
	for _, draw := range []struct {
		name string
		how  func(*ecs.Protocol)
	}{
		{"at its speed", func(p *ecs.Protocol) { curves(p); ecs.Extrapolate[Horse](p, most) }},
		{"as it went", func(p *ecs.Protocol) { ecs.Extrapolate[Horse](p, most) }},
	} {
		t.Run(draw.name, func(t *testing.T) {
			config := onCarousel(1, carousel(false, draw.how))
			config.Link = lag(4)
			c := systemstest.New(t, config)
			c.Connect()
			c.Run(12 * time.Second)
			speed := round * turn // a tick
			var was map[components.NetID]Horse
			left := map[components.NetID]float64{} // of its error
			moved, stood, came := 0, 0, 0
			c.OnFrame(func(k *systemstest.Client) {
				now := map[components.NetID]Horse{}
				for e, h := range ecs.All[struct{ At Horse }](k.View()) {
					id := k.View().NetID(e)
					now[id] = h.At
					if was == nil {
						continue
					}
					step := apartBy(components.Position(h.At), components.Position(was[id]))
					d, _ := k.Drawing(e)
					switch beyond := k.DrawnTick() - float64(k.ServerTick()); {
					case left[id] > 1e-3: // it comes back
						if faded := left[id] - leftOf(left[id], 1.0/60); step > 1.1*speed+faded+0.01 {
							t.Fatalf("%v: moved by %v in a frame, with %v of an error", k, step, left[id])
						}
					case step > 1.1*speed+0.01:
						t.Fatalf("%v: moved by %v in a frame", k, step)
					case beyond > 1 && beyond < 14 && step > 0.9*speed:
						moved++
					case beyond >= 15 && step == 0:
						stood++
					case beyond > 1 && beyond < 14:
						t.Fatalf("%v: moved by %v only, %v ticks behind the newest state", k, step, beyond)
					}
					if left[id] = d.Error; d.Error > 1 {
						came++
					}
				}
				was = now
			})
			for range 3 {
				c.Lose(func(p systemstest.Packet) bool { return !p.Up })
				c.Run(1500 * time.Millisecond)
				c.Lose(nil)
				c.Run(5 * time.Second)
			}
			if moved < 100 || stood < 100 || came < 15 {
				t.Errorf("%d frames bridged, %d stood, %d came back", moved, stood, came)
			}
		})
	}
}

// Frames on curves allocate no more than those on lines, which allocate nothing.
func TestCurvesAllocateNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	// What the carousel itself allocates is the same for both.
	count := func(draw func(p *ecs.Protocol)) float64 {
		c := systemstest.New(t, onCarousel(1, carousel(true, draw)))
		c.Connect()
		c.Run(60 * time.Second)
		c.Lose(func(p systemstest.Packet) bool { return !p.Up })
		c.Run(time.Second)
		c.Lose(nil)
		c.Run(4 * time.Second)
		return testing.AllocsPerRun(1, func() { c.RunTicks(300) })
	}
	n, without := count(func(p *ecs.Protocol) { curves(p); ecs.Extrapolate[Horse](p, time.Second/5) }), count(lines)
	if n != without {
		t.Errorf("%.0f allocations in 300 ticks, on lines %.0f", n, without)
	}
}

// What is wrong with how something is drawn is said at once.
func TestWrongSmoothing(t *testing.T) {
	for _, s := range []interpolate.Smoothing{{Rate: -1}, {Rate: math.NaN()}, {Rate: 1e4}, {Double: -1}, {Double: math.Inf(1)}} {
		if err := (systems.ClientConfig{Smoothing: s}).Validate(); !errors.Is(err, systems.ErrConfig) {
			t.Errorf("%+v: %v", s, err)
		}
	}
	for name, draw := range map[string]func(p *ecs.Protocol){
		"no axes":          func(p *ecs.Protocol) { ecs.Hermite[components.Position, Gallop](p) },
		"no rates":         func(p *ecs.Protocol) { ecs.Hermite[Horse, components.Position](p) },
		"not interpolated": func(p *ecs.Protocol) { ecs.Extrapolate[Gallop](p, time.Second) },
		"not registered":   func(p *ecs.Protocol) { ecs.Hermite[Horse, components.Velocity](p) },
		"too far":          func(p *ecs.Protocol) { ecs.Extrapolate[Horse](p, 2*time.Second) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: nothing is said", name)
				}
			}()
			carousel(false, draw)()
		}()
	}
	if a, b := carousel(false, lines)(), carousel(false, curves)(); a.Hash() != b.Hash() {
		t.Error("how something is drawn changes the schema hash")
	}
}
