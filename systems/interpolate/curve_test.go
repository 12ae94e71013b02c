package interpolate_test

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/interpolate"
	"github.com/tactusgo/tactus/systems/lagcomp"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// The carousel is the field with horses that go round and round.

// Horse is where a horse is, and Gallop how fast it goes.
type Horse struct {
	X float32 `net:"-64..64 step 0.001 axis x"`
	Y float32 `net:"-64..64 step 0.001 axis y"`
}

type Gallop struct {
	X float32 `net:"-64..64 step 0.001 rate x"`
	Y float32 `net:"-64..64 step 0.001 rate y"`
}

// Seat is the number of a horse. It is not replicated.
type Seat struct{ Number int }

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

// horseAt returns the position and velocity of a horse after a number of ticks.
func horseAt(number int, ticks float64) (at, speed components.Position) {
	sin, cos := math.Sincos(ticks*turn + float64(number))
	return components.Position{X: float32(round * cos), Y: float32(round * sin)},
		components.Position{X: float32(-round * sin * turn * 60), Y: float32(round * cos * turn * 60)}
}

// horses ride, and jump to another place now and then, or not.
func horses(jumps bool) fieldtest.Part {
	return func(p *ecs.Protocol) {
		ecs.Replicate[Horse](p, ecs.Interpolated)
		ecs.Replicate[Gallop](p, 0)
		ecs.Replicate[components.Teleports](p, 0)
		ecs.Local[Seat](p, 0)
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
	}
}

// mounted fills a world with n horses.
func mounted(n int) func(w *ecs.World) {
	return func(w *ecs.World) {
		for i := range n {
			w.Spawn(Horse{}, Gallop{}, components.Teleports{}, Seat{i})
		}
	}
}

// onCarousel returns a match of one client that watches six horses.
func onCarousel(seed uint64, parts ...fieldtest.Part) systemstest.Config {
	config := fieldtest.Config(seed, 1, fieldtest.RoughLink())
	config.Server.Snapshots.SendRate = 20
	config.Protocol, config.Populate = fieldtest.ProtocolFrom(parts...), mounted(6)
	return config
}

// How horses are drawn.
func lines(*ecs.Protocol)    {}
func curves(p *ecs.Protocol) { ecs.Hermite[Horse, Gallop](p) }

// strayed returns how far horses are drawn from where they were at the tick drawn, on average.
func strayed(t *testing.T, seed uint64, draw fieldtest.Part) float64 {
	c := fieldtest.Start(t, onCarousel(seed, horses(false), draw), 12*time.Second)
	seats := map[components.NetID]int{}
	for e, h := range ecs.All[struct{ Seat Seat }](c.Server.World()) {
		seats[c.Server.World().NetID(e)] = h.Seat.Number
	}
	sum, n := 0.0, 0
	c.OnFrame(func(k *systemstest.Client) {
		for e, h := range ecs.All[struct{ At Horse }](k.View()) {
			at, _ := horseAt(seats[k.View().NetID(e)], math.Floor(k.DrawnTick()*lagcomp.Parts)/lagcomp.Parts)
			sum, n = sum+fieldtest.Distance(components.Position(h.At), at), n+1
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
	systemstest.Seeds(t, fieldtest.SeedCount(2), func(t *testing.T, seed uint64) {
		line, curve := strayed(t, seed, lines), strayed(t, seed, curves)
		t.Logf("drawn %.4f units off the way on lines, %.4f on curves", line, curve)
		if line < 0.02 || curve > line/5 {
			t.Errorf("drawn %.4f units off the way on lines, %.4f on curves", line, curve)
		}
	})
}

// spur is the input of clients that watch and claim their view.
type spur struct {
	Number uint16 `net:"raw"`
	Seen   lagcomp.Claim
}

// Lag compensation evaluates bit for bit what the screen showed, also on curves and across jumps.
func TestNetcodeE5_CurvesAreReproduced(t *testing.T) {
	systemstest.Seeds(t, fieldtest.SeedCount(2), func(t *testing.T, seed uint64) {
		screens, compared := map[uint16]map[components.NetID]Horse{}, 0
		config := onCarousel(seed)
		config.Server = systems.ServerConfig{LagComp: &lagcomp.Config{}}
		config.Play = systemstest.Play(func(k *systemstest.Client, in *spur) {
			in.Number, in.Seen = uint16(k.Input()), k.Claim(true)
			screen := map[components.NetID]Horse{}
			for e, h := range ecs.All[struct{ At Horse }](k.View()) {
				screen[k.View().NetID(e)] = h.At
			}
			screens[in.Number] = screen
		})
		config.Protocol = fieldtest.ProtocolOn[spur](horses(true), curves, fieldtest.OnJoin(func(w *ecs.World, client uint32) {
			w.Spawn(components.Owner{Client: client}, spur{})
		}), fieldtest.Authority(func(w *ecs.World) {
			for _, p := range ecs.Each[struct {
				In  *spur
				Own *components.Owner
			}](w) {
				if screen := screens[p.In.Number]; p.In.Seen.Made() && w.Tick() > 300 {
					v := lagcomp.As(w, p.Own.Client, p.In.Seen)
					for e, h := range lagcomp.All[struct{ At Horse }](v) {
						if compared++; screen[v.NetID(e)] != h.At {
							t.Errorf("input %d: the server sees %d at %v, the screen had it at %v", p.In.Number, v.NetID(e), h.At, screen[v.NetID(e)])
						}
					}
				}
			}
		}))
		c := systemstest.New(t, config)
		c.Run(12 * time.Second)
		if compared < 2000 {
			t.Errorf("%d horses compared", compared)
		}
	})
}

// When snapshots stop, components with extrapolation continue, at their speed if it is known and otherwise as before, for
// their maximum time, and then stop. When snapshots continue, they return without a jump.
func TestNetcodeC6_GapsAreBridged(t *testing.T) {
	const most = 250 * time.Millisecond
	type way struct {
		fieldtest.Name
		how fieldtest.Part
	}
	fieldtest.EachRow(t, []way{
		{"at its speed", func(p *ecs.Protocol) { curves(p); ecs.Extrapolate[Horse](p, most) }},
		{"as it went", func(p *ecs.Protocol) { ecs.Extrapolate[Horse](p, most) }},
	}, func(t *testing.T, x way) {
		config := onCarousel(1, horses(false), x.how)
		config.Link = fieldtest.Lag(4)
		c := fieldtest.Start(t, config, 12*time.Second)
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
				step := fieldtest.Distance(components.Position(h.At), components.Position(was[id]))
				d, _ := k.Drawing(e)
				switch beyond := k.DrawnTick() - float64(k.ServerTick()); {
				case left[id] > 1e-3: // it comes back
					if faded := left[id] - fieldtest.ErrorLeft(left[id], 1.0/60); step > 1.1*speed+faded+0.01 {
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
			fieldtest.LoseSnapshots(c, 1500*time.Millisecond)
			c.Run(5 * time.Second)
		}
		if moved < 100 || stood < 100 || came < 15 {
			t.Errorf("%d frames bridged, %d stood, %d came back", moved, stood, came)
		}
	})
}

// Frames on curves allocate no more than those on lines, which allocate nothing.
func TestCurvesAllocateNothing(t *testing.T) {
	fieldtest.SkipUnderRace(t)
	// The carousel allocates the same in both cases.
	count := func(draw fieldtest.Part) float64 {
		c := fieldtest.Start(t, onCarousel(1, horses(true), draw), 60*time.Second)
		fieldtest.LoseSnapshots(c, time.Second)
		c.Run(4 * time.Second)
		least := math.Inf(1)
		for range 3 { // the runtime allocates in the background now and then
			least = min(least, testing.AllocsPerRun(1, func() { c.RunTicks(300) }))
		}
		return least
	}
	n, without := count(func(p *ecs.Protocol) { curves(p); ecs.Extrapolate[Horse](p, time.Second/5) }), count(lines)
	if n != without {
		t.Errorf("%.0f allocations in 300 ticks, on lines %.0f", n, without)
	}
}

// Invalid smoothing options are refused immediately.
func TestWrongSmoothing(t *testing.T) {
	for _, s := range []interpolate.Smoothing{{Rate: -1}, {Rate: math.NaN()}, {Rate: 1e4}, {Double: -1}, {Double: math.Inf(1)}} {
		if err := (systems.ClientConfig{Prediction: systems.Prediction{Smoothing: s}}).Validate(); !errors.Is(err, systems.ErrConfig) {
			t.Errorf("%+v: %v", s, err)
		}
	}
	for name, draw := range map[string]fieldtest.Part{
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
			fieldtest.ProtocolFrom(horses(false), draw)()
		}()
	}
	if a, b := fieldtest.ProtocolFrom(horses(false), lines)(), fieldtest.ProtocolFrom(horses(false), curves)(); a.Hash() != b.Hash() {
		t.Error("how something is drawn changes the schema hash")
	}
}

// Looks says where a top looks, in every way in which a component can.
type Looks struct {
	Signed  float32    `net:"-180..179.95 step 0.05 angle"`
	Degrees float32    `net:"degrees 0.1"`
	Turn    uint16     `net:"0..65535 step 1 angle"`
	Flat    [2]float32 `net:"unit 16"`
	Aim     [3]float32 `net:"unit 16"`
	Pose    [4]float32 `net:"quat 16"`
}

// spinning is how far a top turns in a tick, in radians.
const spinning = 0.05

// looksAt returns the components for an angle in radians. With negative, the quaternion is the other one of the same rotation.
func looksAt(angle float64, negative bool) (l Looks) {
	_, share := math.Modf(angle/(2*math.Pi) + 1e3)
	sin, cos := math.Sincos(angle)
	s, c := math.Sincos(angle / 2)
	if negative {
		s, c = -s, -c
	}
	l.Signed = float32(math.Atan2(sin, cos) * 180 / math.Pi)
	l.Degrees = float32(math.Mod(360*share, 360))
	l.Turn = uint16(int(share * 65536))
	l.Flat = [2]float32{float32(cos), float32(sin)}
	l.Aim = [3]float32{0, float32(cos), float32(sin)}
	l.Pose = [4]float32{0, 0, float32(s), float32(c)}
	return l
}

// angles returns where a component looks, in radians, field by field.
func (l *Looks) angles() [6]float64 {
	return [6]float64{
		float64(l.Signed) * math.Pi / 180, float64(l.Degrees) * math.Pi / 180, float64(l.Turn) * 2 * math.Pi / 65536,
		math.Atan2(float64(l.Flat[1]), float64(l.Flat[0])), math.Atan2(float64(l.Aim[2]), float64(l.Aim[1])),
		2 * math.Atan2(float64(l.Pose[2]), float64(l.Pose[3])),
	}
}

// shortWay returns the way from an angle to another, in radians.
func shortWay(from, to float64) float64 { return math.Remainder(to-from, 2*math.Pi) }

// Spin is the phase of a top, from which its direction follows.
type Spin struct {
	Angle float64 `net:"raw"`
}

type top struct {
	Looks *Looks
	Spin  *Spin
	Own   *components.Owner `ecs:"optional"`
}

// tops turn at one speed. Players' are moved by more than a right angle, every second and on
// the server alone.
func tops(p *ecs.Protocol) {
	ecs.Replicate[Looks](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[Spin](p, ecs.Predicted)
	p.Simulate("spin", func(w *ecs.World) {
		for _, x := range ecs.Each[top](w) {
			x.Spin.Angle += spinning
			*x.Looks = looksAt(x.Spin.Angle, (w.Tick()+uint32(x.Spin.Angle/2))%2 == 0)
		}
	})
	p.Authority("push", func(w *ecs.World) {
		for _, x := range ecs.Each[top](w) {
			if x.Own != nil && x.Own.Client != 0 && w.Tick()%60 == 0 {
				x.Spin.Angle += 2
			}
		}
	})
}

// onTops returns a match of two with tops, beside five others.
func onTops(seed uint64, model policy.Model, draw fieldtest.Part) systemstest.Config {
	config := fieldtest.Config(seed, 2, fieldtest.RoughLink())
	config.Protocol, config.Play = fieldtest.ProtocolFrom(tops, draw, fieldtest.OnJoin(fieldtest.JoinWith(Looks{}, Spin{}))), fieldtest.Steady(fieldtest.Walk{})
	config.Server.Model = model
	config.Populate = func(w *ecs.World) {
		for i := range 5 {
			w.Spawn(Looks{}, Spin{Angle: float64(i)})
		}
	}
	return config
}

// Rotations are drawn the short way between two states, through the end of an angle's range and between the two quaternions of
// a rotation, and never turn back: interpolated, damped, and extrapolated over a gap.
func TestNetcodeC6_TurnsTheShortWay(t *testing.T) {
	t.Parallel()
	type whirl struct {
		fieldtest.Name
		model policy.Model
		gaps  bool
		most  float64 // of a turn, in a frame of a tick, in radians
	}
	fieldtest.EachSeed(t, []whirl{
		{"interpolated", policy.LocalSync{}, false, 1.1 * spinning},
		{"carried on", policy.LocalSync{}, true, 1.4 * spinning}, // directions go along a chord, of up to 0.9 to each side
		{"damped", policy.Buffered{}, false, 0.3},
	}, 1, func(t *testing.T, way whirl, seed uint64) {
		c := fieldtest.Start(t, onTops(seed, way.model, func(p *ecs.Protocol) {
			if way.gaps {
				ecs.Extrapolate[Looks](p, 200*time.Millisecond)
			}
		}), 12*time.Second)
		type seen struct {
			angles [6]float64
			left   float64 // of its error
		}
		last, turned := map[[2]uint32]seen{}, 0
		c.OnFrame(func(k *systemstest.Client) {
			for e, x := range ecs.All[struct{ Looks Looks }](k.View()) {
				if ecs.Has[components.Owner](k.View(), e) {
					continue
				}
				top := [2]uint32{uint32(k.N), uint32(k.View().NetID(e))}
				d, _ := k.Drawing(e)
				was, known := last[top]
				now := seen{x.Looks.angles(), d.Error}
				last[top] = now
				// An entity that was extrapolated too far moves back while its error fades.
				calm := was.left < 0.01 && now.left < 0.01
				for i := range now.angles {
					const rounding = 0.004
					step := shortWay(was.angles[i], now.angles[i])
					if known && calm && (step < -rounding || step > way.most+rounding) {
						t.Fatalf("%v: top %v turned by %v in field %d of %+v, from %v", k, top, step, i, x.Looks, was)
					}
					if step > 0.5*spinning {
						turned++
					}
				}
			}
		})
		for range 3 {
			if way.gaps {
				fieldtest.LoseSnapshots(c, 400*time.Millisecond)
			}
			c.Run(4 * time.Second)
		}
		if turned < 20_000 {
			t.Errorf("%d turns seen", turned)
		}
	})
}

// The visual error of a rotation after a correction is the short way to the drawn rotation, equal for all kinds of fields, and
// fades like that of a position.
func TestNetcodeE3_ErrorsTurnTheShortWay(t *testing.T) {
	t.Parallel()
	fieldtest.EachSeed(t, fieldtest.Rows(2, []int{30, 144, 60}), 1, func(t *testing.T, frames int, seed uint64) {
		config := onTops(seed, policy.LocalSync{}, lines)
		config.FrameRate = frames
		c := fieldtest.Start(t, config, 2*time.Second)
		type view struct {
			at          time.Duration
			left        [6]float64
			corrections uint64
		}
		last := make([]view, len(c.Clients))
		corrected, followed := 0, 0
		c.OnFrame(func(k *systemstest.Client) {
			is, drawn := ecs.Get[Looks](k.World(), fieldtest.OwnEntity(k)).angles(), ecs.Get[Looks](k.View(), fieldtest.DrawnOwn(k)).angles()
			was, now := last[k.N], view{at: c.Elapsed(), corrections: k.Stats().Corrections}
			for i := range is {
				now.left[i] = shortWay(is[i], drawn[i])
				if math.Abs(now.left[i]-now.left[0]) > 0.004 {
					t.Fatalf("%v: field %d is drawn %v from where it is, and field 0 %v", k, i, now.left[i], now.left[0])
				}
			}
			switch {
			case was.at == 0:
			case was.corrections != now.corrections:
				if corrected++; now.left[0] < -2.5 || now.left[0] > 0 {
					t.Fatalf("%v: an error of %v of a push by 2", k, now.left[0])
				}
			case was.left[0] < -0.05:
				// All fields together have that error, six times.
				all := math.Sqrt(6)
				followed++
				if want := -fieldtest.ErrorLeft(-was.left[0]*all, (now.at-was.at).Seconds()) / all; math.Abs(now.left[0]-want) > 0.01 {
					t.Fatalf("%v: %v left of an error of %v, %v by the rule", k, now.left[0], was.left[0], want)
				}
			}
			last[k.N] = now
		})
		c.Run(10 * time.Second)
		if corrected < 15 || followed < 50 {
			t.Errorf("%d corrections, %d frames followed", corrected, followed)
		}
	})
}
