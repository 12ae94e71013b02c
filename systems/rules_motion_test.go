package systems_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Over five minutes at 20 updates a second, 200 ms of round trip, 30 ms of jitter and 5 %
// loss others never stand still or step back while they go, and no frame moves one by
// more than its speed explains, plus a tenth. The same holds for other rates and worse links.
func TestNetcodeE4_OthersGoSmoothly(t *testing.T) {
	t.Parallel()
	reference := systemstest.RoundTrip(200*time.Millisecond, 30*time.Millisecond, 0.05)
	for _, x := range []struct {
		name                string
		ticks, sends, frame int // a second
		link                netsys.Link
	}{
		{"reference", 60, 20, 60, reference},
		{"reference at 144", 60, 20, 144, reference},
		{"10 sends", 60, 10, 60, reference},
		{"a send a tick", 60, 60, 60, reference},
		{"30 ticks", 30, 15, 60, reference},
		{"120 ticks", 120, 60, 30, reference},
		{"500/84/5", 60, 20, 60, bad()},
		{"loss of a quarter", 60, 20, 60, systemstest.RoundTrip(200*time.Millisecond, 30*time.Millisecond, 0.25)},
		{"perfect", 60, 20, 60, netsys.Link{}},
	} {
		t.Run(x.name, func(t *testing.T) {
			systemstest.Seeds(t, 2, func(t *testing.T, seed uint64) {
				config := onField(seed, 3, x.link)
				config.FrameRate, config.Server.TickRate, config.Server.SendRate = x.frame, x.ticks, x.sends
				c := systemstest.New(t, config)
				c.Connect()
				c.Run(12 * time.Second)
				c.Mark()
				watch := goSmoothly(t, c, x.ticks, 8*x.ticks/x.sends)
				longest := 5 * time.Minute
				if x.sends > 20 { // of so many a stall in a million would show
					longest = 30 * time.Second
				}
				c.Run(length(10*time.Second, 30*time.Second, longest))
				c.NoStalls()
				if watch.steps < 500 || watch.walks < 3*watch.steps/2 {
					t.Errorf("%d steps of drifters and %d of all", watch.steps, watch.walks)
				}
			})
		})
	}
}

// motion counts what was seen of others: steps of drifters on their way, and of all.
type motion struct{ steps, walks int }

// goSmoothly checks, in each frame, how others move from the one before. No more than gap
// ticks lie between two states that somebody is drawn between.
func goSmoothly(t *testing.T, c *systemstest.Crowd, tickRate, gap int) *motion {
	t.Helper()
	number := map[components.NetID]uint32{}
	for e, d := range ecs.All[struct{ Do Drift }](c.Server.World()) {
		number[c.Server.World().NetID(e)] = uint32(d.Do.Number)
	}
	type frame struct {
		at    time.Duration
		tick  float64
		drawn map[components.NetID]components.Position
	}
	last, seen := make([]frame, len(c.Clients)), &motion{}
	c.OnFrame(func(k *systemstest.Client) {
		was, now := last[k.N], frame{c.Elapsed(), k.DrawnTick(), places(k.View())}
		last[k.N] = now
		if was.at == 0 {
			return
		}
		mine, _ := k.Own(k.View())
		passed := (now.at - was.at).Seconds() * float64(tickRate)
		for id, p := range now.drawn {
			if id == k.View().NetID(mine) {
				continue
			}
			// Places are rounded, to half a step at either end.
			const rounding = tolerance
			n, drifts := number[id]
			speed := inputLimit * math.Sqrt2
			if drifts {
				speed = inputLimit
			}
			if step := apartBy(p, was.drawn[id]); step > speed*passed*1.1+1e-4 {
				t.Fatalf("%v: %d moves by %v in a frame of %v ticks; it goes %v a tick", k, id, step, passed, speed)
			}
			seen.walks++
			// Drifters say where they should be: between two turns they go one way.
			leg := func(tick float64) int { return int((tick + 17*float64(n)) / (driftPeriod / 2)) }
			if from := leg(was.tick - float64(gap)); drifts && from == leg(now.tick+float64(gap)) {
				way := float64(p.X - was.drawn[id].X)
				if from%2 != 0 {
					way = -way
				}
				if seen.steps++; way < 0.9*inputLimit*passed-rounding || way < 0 {
					t.Fatalf("%v: %d goes by %v in a frame of %v ticks, from tick %v to %v", k, id, way, passed, was.tick, now.tick)
				}
			}
		}
	})
	return seen
}

// A state that comes when its time is being drawn already, from the one before it to the one
// behind, does not make anybody jump; nor does a gap that is longer than what is kept by
// itself. What the clock passes, and a leap of it, is all that anybody moves by.
func TestNetcodeE4_LateStatesDoNotShow(t *testing.T) {
	t.Parallel()
	for _, link := range []netsys.Link{systemstest.RoundTrip(200*time.Millisecond, 30*time.Millisecond, 0.05), bad()} {
		t.Run(fmt.Sprint(2*link.Latency), func(t *testing.T) {
			systemstest.Seeds(t, 3, func(t *testing.T, seed uint64) {
				link.Loss, link.Burst = 0.25, 300*time.Millisecond
				config := onField(seed, 3, link)
				config.FrameRate = 60
				c := systemstest.New(t, config)
				c.Connect()
				c.Run(12 * time.Second)
				drifts := map[components.NetID]bool{}
				for e := range ecs.All[struct{ Do Drift }](c.Server.World()) {
					drifts[c.Server.World().NetID(e)] = true
				}
				type frame struct {
					at    time.Duration
					tick  float64
					drawn map[components.NetID]components.Position
				}
				last := make([]frame, len(c.Clients))
				late := 0
				c.OnFrame(func(k *systemstest.Client) {
					was, now := last[k.N], frame{c.Elapsed(), k.DrawnTick(), places(k.View())}
					last[k.N] = now
					for id, p := range now.drawn {
						if was.at == 0 || !drifts[id] {
							continue
						}
						passed := now.tick - was.tick
						if step := apartBy(p, was.drawn[id]); step > 1.1*inputLimit*passed+1e-3 {
							t.Fatalf("%v: %d moves by %v in a frame that shows %v ticks more, and goes %v a tick", k, id, step, passed, inputLimit)
						}
						e, _ := k.View().ByNetID(id)
						if d, _ := k.Drawing(e); d.To > d.From+30 {
							late++
						}
					}
				})
				c.Run(length(time.Minute, 2*time.Minute, 20*time.Minute))
				if late < 100 {
					t.Errorf("%d frames over a gap", late)
				}
			})
		})
	}
}
