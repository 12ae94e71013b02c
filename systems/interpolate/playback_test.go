package interpolate_test

import (
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Playback runs between 0.95 and 1.05 of real time and never backwards, at any frame rate, while the delay follows the link.
// When snapshots stop, it stops two sends after the newest state, and continues from there.
func TestNetcodeE4_RateIsBounded(t *testing.T) {
	t.Parallel()
	fieldtest.EachSeed(t, fieldtest.Rows(2, []int{0, 144, 30}), 1, func(t *testing.T, rate int, seed uint64) {
		config := fieldtest.Config(seed, 2, fieldtest.RoughLink())
		config.FrameRate = rate
		c := fieldtest.Start(t, config, 12*time.Second)
		faster, slower, steady := 0, 0, true
		fieldtest.WatchFrames(c, func(k *systemstest.Client, was, now fieldtest.Picture) {
			if now.Tick < was.Tick || now.Tick > float64(k.ServerTick()+2*3) {
				t.Fatalf("%v drew tick %.2f after %.2f, the newest state is of %d", k, now.Tick, was.Tick, k.ServerTick())
			}
			if !steady {
				return
			}
			const rounding = 1e-6
			rate := (now.Tick - was.Tick) / ((now.At - was.At).Seconds() * 60)
			if rate < 0.95-rounding || rate > 1.05+rounding {
				t.Fatalf("%v: playback at %.3f from tick %.2f to %.2f", k, rate, was.Tick, now.Tick)
			}
			if rate > 1+rounding {
				faster++
			} else if rate < 1-rounding {
				slower++
			}
		})
		c.Run(10 * time.Second)
		// The delay follows the link, by the rate alone.
		c.SetLinks(systemstest.RoundTrip(200*time.Millisecond, 60*time.Millisecond, 0.05), systemstest.RoundTrip(220*time.Millisecond, 60*time.Millisecond, 0.05))
		c.Run(10 * time.Second)
		// The delays of more than ten seconds ago stop counting, all at the same time.
		c.SetLinks(netsys.Link{}, netsys.Link{})
		c.Run(15 * time.Second)
		if faster == 0 || slower == 0 {
			t.Errorf("%d frames played faster and %d slower: the delay did not follow the link", faster, slower)
		}
		steady = false
		c.SetLinks(systemstest.RoundTrip(100*time.Millisecond, 20*time.Millisecond, 0.02), systemstest.RoundTrip(100*time.Millisecond, 20*time.Millisecond, 0.02))
		c.Run(11 * time.Second)
		c.Mark()
		for range 5 {
			fieldtest.LoseSnapshots(c, 2*time.Second)
			c.Run(5 * time.Second)
		}
		for _, k := range c.Clients {
			if f := k.Figures(); f.Stalls < 100 {
				t.Errorf("%v counts %d stalls in 10 s without snapshots", k, f.Stalls)
			}
			if age := float64(c.Server.Tick()) - k.DrawnTick(); age > 60 {
				t.Errorf("%v draws a state of %.0f ticks ago, 5 s after the link is back", k, age)
			}
		}
	})
}

// Other players are drawn on the straight line between two confirmed states, those of the two sends around the drawn tick, at
// the share that the tick gives. Simulated entities have no such states, and an entity without a component has none of it.
func TestNetcodeE4_DrawnBetweenConfirmedStates(t *testing.T) {
	systemstest.Seeds(t, 1, func(t *testing.T, seed uint64) {
		const every, most = 3, 9 // ticks from send to send; up to 8 in a row may be lost
		config := fieldtest.Config(seed, 3, fieldtest.RoughLink())
		config.Server.Snapshots.SendRate = 60 / every
		c := systemstest.New(t, config)
		ts := fieldtest.WatchServer(c)
		windows, own, moved := 0, 0, 0
		c.OnFrame(func(k *systemstest.Client) {
			for id, p := range fieldtest.Positions(k.View()) {
				e, _ := k.View().ByNetID(id)
				from, to, ok := systems.Between[components.Position](k.Client, e)
				d, _ := k.Drawing(e)
				if d.Simulated || d.From == 0 {
					if ok {
						t.Fatalf("%v: entity %d has a window of %v and %v, drawn as %+v", k, id, from, to, d)
					}
					own++
					continue
				}
				was := ts.At[d.From].Places[id]
				is := was
				if d.To != 0 {
					is = ts.At[d.To].Places[id]
				}
				if !ok || fieldtest.Distance(from, was) > fieldtest.Tolerance || fieldtest.Distance(to, is) > fieldtest.Tolerance {
					t.Fatalf("%v: entity %d between %v and %v, the server had it at %v and %v: %+v", k, id, from, to, was, is, d)
				}
				if windows++; d.To == 0 {
					continue
				}
				share := (k.DrawnTick() - float64(d.From)) / float64(d.To-d.From)
				want := components.Position{X: from.X + (to.X-from.X)*float32(share), Y: from.Y + (to.Y-from.Y)*float32(share)}
				if float64(fieldtest.Distance(p, want)) > 1e-3+1.5*d.Error { // an error of each axis
					t.Fatalf("%v: entity %d is drawn at %v, %v of the way from %v to %v is %v", k, id, p, share, from, to, want)
				}
				if c.Elapsed() > 12*time.Second && (share < 0 || share > 1 || d.From%every != 0 || d.To%every != 0 || d.To-d.From > most*every) {
					t.Fatalf("%v: tick %.2f of entity %d is drawn between those of %+v", k, k.DrawnTick(), id, d)
				}
				if from != to {
					moved++
				}
			}
		})
		c.Connect()
		c.Run(20 * time.Second)
		if windows < 10_000 || own < 1000 || moved < windows/4 {
			t.Errorf("%d windows, %d of them between two that differ, %d own", windows, moved, own)
		}
		lacking, k := 0, c.Clients[0]
		for id := range fieldtest.Positions(k.View()) {
			e, _ := k.View().ByNetID(id)
			if _, _, ok := systems.Between[fieldtest.Jumps](k.Client, e); !ok {
				if _, _, there := systems.Between[components.Position](k.Client, e); there {
					lacking++
				}
			}
		}
		if lacking == 0 {
			t.Error("drifters have a window of a component that they lack")
		}
	})
}

// gait is how others are looked at in a match.
type gait struct {
	fieldtest.Name
	ticks, sends, frame int // a second
	link                netsys.Link
	oldest              float64 // mean age of what is drawn, in ms; 0: any
}

// Over five minutes at 20 snapshots per second, 200 ms of round trip, 30 ms of jitter and 5 % loss, moving players never stop
// or step back, and no frame moves one by more than its speed plus a tenth. The same holds for other rates and worse links.
// Once warm, no frame lacks a later state, and the drawn state is not older than necessary.
func TestNetcodeE4_OthersGoSmoothly(t *testing.T) {
	t.Parallel()
	fieldtest.EachSeed(t, fieldtest.Rows(5, []gait{
		{"reference", 60, 20, 60, fieldtest.RoughLink(), 410},
		{"10 sends", 60, 10, 60, fieldtest.RoughLink(), 0},
		{"30 ticks", 30, 15, 60, fieldtest.RoughLink(), 0},
		{"500/84/5", 60, 20, 60, fieldtest.BadLink(), 625},
		{"loss of a quarter", 60, 20, 60, systemstest.RoundTrip(200*time.Millisecond, 30*time.Millisecond, 0.25), 0},
		{"reference at 144", 60, 20, 144, fieldtest.RoughLink(), 0},
		{"a send a tick", 60, 60, 60, fieldtest.RoughLink(), 0},
		{"120 ticks", 120, 60, 30, fieldtest.RoughLink(), 0},
		{"perfect", 60, 20, 60, netsys.Link{}, 0},
	}), 1, func(t *testing.T, x gait, seed uint64) {
		config := fieldtest.Config(seed, 3, x.link)
		config.FrameRate, config.Server.TickRate, config.Server.Snapshots.SendRate = x.frame, x.ticks, x.sends
		c := fieldtest.Start(t, config, 12*time.Second)
		numbers := drifterNumbers(c)
		// No more than so many ticks lie between two states that somebody is drawn between.
		gap := float64(8 * x.ticks / x.sends)
		age, frames, steps, walks, faded := 0.0, 0.0, 0, 0, 0
		fades := fadesOf(c)
		fieldtest.WatchFrames(c, func(k *systemstest.Client, was, now fieldtest.Picture) {
			// After tick n the server has completed n+1 ticks.
			age += now.At.Seconds()*1000 - (now.Tick-1)*1000/float64(x.ticks)
			frames++
			passed := (now.At - was.At).Seconds() * float64(x.ticks)
			for id, p := range now.Others {
				n, drifts := numbers[id]
				speed := fieldtest.StepLength * math.Sqrt2
				if drifts {
					speed = fieldtest.StepLength
				}
				fade := fades(k, id) // after an entity has continued where it turned
				if step := fieldtest.Distance(p, was.Others[id]); step > speed*passed*1.1+1.5*fade+1e-4 {
					t.Fatalf("%v: %d moves by %v in a frame of %v ticks; it goes %v a tick", k, id, step, passed, speed)
				}
				if walks++; fade > fieldtest.Tolerance {
					faded++
				}
				// Drifters say where they should be: between two turns they go one way.
				leg := func(tick float64) int { return int((tick + 17*n) / (fieldtest.DriftPeriod / 2)) }
				if from := leg(was.Tick - gap); drifts && from == leg(now.Tick+gap) {
					way := float64(p.X - was.Others[id].X)
					if from%2 != 0 {
						way = -way
					}
					// Places are rounded, to half a step at either end.
					if steps++; way < 0.9*fieldtest.StepLength*passed-fieldtest.Tolerance || way < 0 {
						t.Fatalf("%v: %d goes by %v in a frame of %v ticks, from tick %v to %v", k, id, way, passed, was.Tick, now.Tick)
					}
				}
			}
		})
		longest := 5 * time.Minute
		if x.sends > 20 { // of so many a stall in a million would show
			longest = 30 * time.Second
		}
		usual := 10 * time.Second
		if x.oldest != 0 { // a mean needs more
			usual *= 2
		}
		c.Run(fieldtest.Length(10*time.Second, usual, longest))
		c.NoStalls()
		if steps < 500 || walks < 3*steps/2 || faded > walks/200 {
			t.Errorf("%d steps of drifters and %d of all; in %d an error fades", steps, walks, faded)
		}
		// The delay swings with the loss of the last ten seconds.
		if mean := age / frames; x.oldest != 0 && mean > x.oldest && !testing.Short() {
			t.Errorf("what is drawn is %.0f ms old on average, %.0f is enough", mean, x.oldest)
		}
	})
}

// fadesOf returns a function that is called for each frame and entity. It returns by how much the visual error has become smaller.
func fadesOf(c *systemstest.Crowd) func(*systemstest.Client, components.NetID) float64 {
	errors := map[*systemstest.Client]map[components.NetID]float64{}
	for _, k := range c.Clients {
		errors[k] = map[components.NetID]float64{}
	}
	return func(k *systemstest.Client, id components.NetID) float64 {
		e, _ := k.View().ByNetID(id)
		d, _ := k.Drawing(e)
		fades := max(errors[k][id]-d.Error, 0)
		errors[k][id] = d.Error
		return fades
	}
}

// drifterNumbers returns the numbers of all drifters.
func drifterNumbers(c *systemstest.Crowd) map[components.NetID]float64 {
	numbers := map[components.NetID]float64{}
	for e, d := range ecs.All[struct{ Do fieldtest.Drift }](c.Server.World()) {
		numbers[c.Server.World().NetID(e)] = float64(d.Do.Number)
	}
	return numbers
}

// A state that arrives while its time is already drawn makes no entity jump. Neither does a gap longer than the stored states.
// Entities move only as the clock does.
func TestNetcodeE4_LateStatesDoNotShow(t *testing.T) {
	t.Parallel()
	fieldtest.EachSeed(t, []gait{{Name: "200/30", link: fieldtest.RoughLink()}, {Name: "500/84", link: fieldtest.BadLink()}}, 1, func(t *testing.T, x gait, seed uint64) {
		x.link.Loss, x.link.Burst = 0.25, 300*time.Millisecond
		config := fieldtest.Config(seed, 3, x.link)
		config.FrameRate = 60
		c := fieldtest.Start(t, config, 12*time.Second)
		numbers, late, fades := drifterNumbers(c), 0, fadesOf(c)
		fieldtest.WatchFrames(c, func(k *systemstest.Client, was, now fieldtest.Picture) {
			passed := now.Tick - was.Tick
			for id := range numbers {
				e, _ := k.View().ByNetID(id)
				d, _ := k.Drawing(e)
				fade := fades(k, id) // after an entity has continued where it turned
				if step := fieldtest.Distance(now.Others[id], was.Others[id]); step > 1.1*fieldtest.StepLength*passed+1.5*fade+1e-3 {
					t.Fatalf("%v: %d moves by %v in a frame that shows %v ticks more, and goes %v a tick", k, id, step, passed, fieldtest.StepLength)
				}
				if d.To > d.From+30 {
					late++
				}
			}
		})
		c.Run(fieldtest.Length(time.Minute, time.Minute, 20*time.Minute))
		if late < 100 {
			t.Errorf("%d frames over a gap", late)
		}
	})
}

// The delay on a link without loss is the largest transit time of the last ten seconds, and one send interval.
func TestNetcodeE4_DelayIsTransitAndCover(t *testing.T) {
	t.Parallel()
	const gap, near, far = 3, 4, 22 // ticks
	config := fieldtest.Config(1, 3, fieldtest.Lag(near))
	config.Server.Snapshots.SendRate = 60 / gap
	c := systemstest.New(t, config)
	c.Connect()
	c.Run(15 * time.Second)
	frames := 0
	within := func(transit float64) {
		for _, k := range c.Clients {
			want := transit + gap
			// After tick n the server has completed n+1 ticks.
			age := c.Elapsed().Seconds()*60 - (k.DrawnTick() - 1)
			// A state that arrives is received up to a tick later, and what was drawn last is up to a tick old.
			if age < want-0.02 || age > want+2+0.02 {
				t.Fatalf("%v after %v: draws a state of %.2f ticks ago; a transit of %v ticks and a gap of %d ask for %.0f",
					k, c.Elapsed(), age, transit, gap, want)
			}
			frames++
		}
	}
	for range 100 {
		c.RunTicks(1)
		within(near)
	}
	c.SetLinks(fieldtest.Lag(far), fieldtest.Lag(far))
	c.Run(9 * time.Second) // the delay grows by 5 % of the time that passes, at most
	c.RunTicks(1)
	within(far)
	c.SetLinks(fieldtest.Lag(near), fieldtest.Lag(near))
	at := c.Elapsed()
	for c.Elapsed() < at+8*time.Second {
		c.RunTicks(10)
		within(far)
	}
	c.Run(12 * time.Second)
	c.RunTicks(1)
	within(near)
	if frames < 300+100 {
		t.Errorf("%d frames compared", frames)
	}
}
