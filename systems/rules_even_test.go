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
