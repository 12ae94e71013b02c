package systems_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Looks says where a top looks, in every way in which a component can.
type Looks struct {
	Radians float32    `net:"radians 0.001"`
	Degrees float32    `net:"degrees 0.1"`
	Turn    uint16     `net:"0..65535 step 1 angle"`
	Flat    [2]float32 `net:"unit 16"`
	Aim     [3]float32 `net:"unit 16"`
	Pose    [4]float32 `net:"quat 16"`
}

// spinning is how far a top turns in a tick, in radians.
const spinning = 0.05

// looksAt is what looks at an angle, in radians. The same rotation is the one quaternion or
// the other, as negative says.
func looksAt(angle float64, negative bool) (l Looks) {
	_, share := math.Modf(angle/(2*math.Pi) + 1e3)
	sin, cos := math.Sincos(angle)
	s, c := math.Sincos(angle / 2)
	if negative {
		s, c = -s, -c
	}
	l.Radians = float32(math.Atan2(sin, cos))
	l.Degrees = float32(math.Mod(360*share, 360))
	l.Turn = uint16(int(share * 65536))
	l.Flat = [2]float32{float32(cos), float32(sin)}
	l.Aim = [3]float32{0, float32(cos), float32(sin)}
	l.Pose = [4]float32{0, 0, float32(s), float32(c)}
	return l
}

// angles are where a component looks, in radians, field by field.
func (l *Looks) angles() [6]float64 {
	return [6]float64{
		float64(l.Radians), float64(l.Degrees) * math.Pi / 180, float64(l.Turn) * 2 * math.Pi / 65536,
		math.Atan2(float64(l.Flat[1]), float64(l.Flat[0])), math.Atan2(float64(l.Aim[2]), float64(l.Aim[1])),
		2 * math.Atan2(float64(l.Pose[2]), float64(l.Pose[3])),
	}
}

// shortWay is the way from an angle to another, in radians.
func shortWay(from, to float64) float64 { return math.Remainder(to-from, 2*math.Pi) }

// Spin is where a top is in its turn: what it looks at follows from it.
type Spin struct {
	Angle float64 `net:"raw"`
}

type top struct {
	Looks *Looks
	Spin  *Spin
	Own   *components.Owner `ecs:"optional"`
}

// tops is a world of tops, which turn at one speed. Players' are moved by more than a right
// angle, every second and on the server alone.
func tops(draw func(p *ecs.Protocol)) func() *ecs.Protocol {
	return func() *ecs.Protocol {
		p := ecs.NewProtocol("tops/1")
		ecs.Replicate[Looks](p, ecs.Predicted|ecs.Interpolated)
		ecs.Replicate[Spin](p, ecs.Predicted)
		ecs.Input[Walk](p)
		draw(p)
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
		return p
	}
}

// onTops is a match on it.
func onTops(seed uint64, remotes policy.Remotes, draw func(p *ecs.Protocol)) systemstest.Config {
	policies := policy.LocalSync.Policies()
	policies.Remotes = remotes
	return systemstest.Config{
		Protocol: tops(draw), Clients: 2, Seed: seed,
		Link: systemstest.RoundTrip(200*time.Millisecond, 30*time.Millisecond, 0.05),
		Server: systems.ServerConfig{Policies: policies, Join: func(w *ecs.World, client uint32) {
			w.Spawn(components.Owner{Client: client}, Looks{}, Spin{}, Walk{})
		}},
		Populate: func(w *ecs.World) {
			for i := range 5 {
				w.Spawn(Looks{}, Spin{Angle: float64(i)})
			}
		},
	}
}

// What turns is drawn the short way between two states, through the end of the range of an
// angle and between the two quaternions of a rotation, and never turns back: on lines,
// damped, and where it is carried on over a gap.
func TestNetcodeC6_TurnsTheShortWay(t *testing.T) {
	for _, way := range []struct {
		name    string
		remotes policy.Remotes
		gaps    bool
		most    float64 // of a turn, in a frame of a tick, in radians
	}{
		{"interpolated", policy.RemotesInterpolated, false, 1.1 * spinning},
		{"carried on", policy.RemotesInterpolated, true, 1.4 * spinning}, // directions go along a chord
		{"damped", policy.RemotesDamped, false, 0.3},
	} {
		t.Run(way.name, func(t *testing.T) {
			systemstest.Seeds(t, 2, func(t *testing.T, seed uint64) {
				c := systemstest.New(t, onTops(seed, way.remotes, func(p *ecs.Protocol) {
					if way.gaps {
						ecs.Extrapolate[Looks](p, 200*time.Millisecond)
					}
				}))
				c.Connect()
				c.Run(12 * time.Second)
				last, left := map[string][6]float64{}, map[string]float64{}
				turned := 0
				c.OnFrame(func(k *systemstest.Client) {
					for e, x := range ecs.All[struct{ Looks Looks }](k.View()) {
						if ecs.Has[components.Owner](k.View(), e) {
							continue
						}
						name := fmt.Sprint(k.N, k.View().NetID(e))
						was, known := last[name]
						now := x.Looks.angles()
						last[name] = now
						d, _ := k.Drawing(e)
						// What was carried on too far comes back, as the error of it fades.
						calm := left[name] < 0.01 && d.Error < 0.01
						left[name] = d.Error
						for i := range now {
							const rounding = 0.004
							step := shortWay(was[i], now[i])
							if known && calm && (step < -rounding || step > way.most+rounding) {
								t.Fatalf("%v: top %s turned by %v in field %d of %+v, from %v", k, name, step, i, x.Looks, was[i])
							}
							if step > 0.5*spinning {
								turned++
							}
						}
					}
				})
				for range 3 {
					if way.gaps {
						c.Lose(func(p systemstest.Packet) bool { return !p.Up })
						c.Run(500 * time.Millisecond)
						c.Lose(nil)
					}
					c.Run(4 * time.Second)
				}
				if turned < 20_000 {
					t.Errorf("%d turns seen", turned)
				}
			})
		})
	}
}

// The error that a correction leaves where a player looks is the short way to where it was
// drawn, the same in every kind of field, and fades like that of a place.
func TestNetcodeE3_ErrorsTurnTheShortWay(t *testing.T) {
	for _, frames := range []int{30, 60, 144} {
		t.Run(fmt.Sprintf("frames=%d", frames), func(t *testing.T) {
			systemstest.Seeds(t, 2, func(t *testing.T, seed uint64) {
				config := onTops(seed, policy.RemotesInterpolated, func(*ecs.Protocol) {})
				config.FrameRate = frames
				c := systemstest.New(t, config)
				c.Connect()
				c.Run(2 * time.Second)
				type view struct {
					at          time.Duration
					left        [6]float64
					corrections uint64
				}
				last := make([]view, len(c.Clients))
				corrected, followed := 0, 0
				c.OnFrame(func(k *systemstest.Client) {
					e, _ := k.Own(k.World())
					d, ok := k.Own(k.View())
					if !ok {
						return
					}
					is, drawn := ecs.Get[Looks](k.World(), e).angles(), ecs.Get[Looks](k.View(), d).angles()
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
						if want := -leftOf(-was.left[0]*all, (now.at-was.at).Seconds()) / all; math.Abs(now.left[0]-want) > 0.01 {
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
		})
	}
}
