package systems_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/interpolate"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// leftOf is what the rule leaves of an error of so many units, at the defaults.
func leftOf(size, seconds float64) float64 {
	e := math.Exp(-20 * seconds)
	return size * e / (1 + size/3*(1-e))
}

// lagging is how far a client's own player is drawn from where it is simulated.
func lagging(k *systemstest.Client) float64 {
	world, _ := k.Own(k.World())
	view, ok := k.Own(k.View())
	if !ok {
		return 0
	}
	return apartBy(place(k.View(), view), place(k.World(), world))
}

// followError checks, in each frame, that what is left of the visual error of every
// client's player is what the rule says, and, where each tick is drawn, that a correction
// does not show. It counts errors that were followed for a quarter of a second.
func followError(t *testing.T, c *systemstest.Crowd, eachTick bool) (followed *int) {
	t.Helper()
	type following struct {
		size        float64 // in the first frame after the correction
		since, last time.Duration
		at          components.Position
		corrections uint64
		done        bool
	}
	all := make([]following, len(c.Clients))
	followed = new(int)
	c.OnFrame(func(k *systemstest.Client) {
		f, now := &all[k.N], c.Elapsed()
		e, ok := k.Own(k.View())
		if !ok {
			return
		}
		at, size, n := place(k.View(), e), lagging(k), k.Stats().Corrections
		if f.last != 0 {
			// It walks by pace in a tick, and an error goes away by what the rule says.
			ticks := math.Ceil((now-f.last).Seconds()*60 + 0.01)
			step, most := apartBy(at, f.at), inputLimit*math.Sqrt2*ticks
			most += leftOf(f.size, (f.last-f.since).Seconds()) - leftOf(f.size, (now-f.since).Seconds()) + 1e-3
			if n != f.corrections && !eachTick {
				most += 6 // by the first frame after the correction some of the error is gone
			}
			if step > most+0.01 {
				t.Fatalf("%v: drawn %v from the frame before, of which %v can be", k, step, most)
			}
		}
		if n != f.corrections {
			*f = following{size: size, since: now, corrections: n}
		}
		passed := (now - f.since).Seconds()
		if want := leftOf(f.size, passed); f.size > 0 && math.Abs(size-want) > 1e-3 {
			t.Fatalf("%v: %v s after a correction %v of %v is left, %v by the rule", k, passed, size, f.size, want)
		}
		if passed >= 0.25 && f.size > 0.1 && !f.done {
			*followed++
			f.done = true
			if size > f.size/100 {
				t.Fatalf("%v: %v s after a correction of %v there is %v left", k, passed, f.size, size)
			}
		}
		f.last, f.at = now, at
	})
	return followed
}

// A correction does not move what is drawn. The visual error that it leaves goes away,
// small ones fast and large ones faster, by time and not by frames; less than 1 % is left
// after a quarter of a second.
func TestNetcodeE3_ErrorDecaysByTime(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		p      policy.Preset
		frames int // a second; 0: one a tick
	}{
		{policy.LocalSync, 0},
		{policy.LocalSync, 20},
		{policy.LocalSync, 30},
		{policy.LocalSync, 60},
		{policy.LocalSync, 144},
		{policy.Buffered, 0},
		{policy.CorrectOnMismatch, 0},
		{policy.ServerRewind, 0},
	} {
		t.Run(fmt.Sprintf("%v/frames=%d", x.p, x.frames), func(t *testing.T) {
			systemstest.Seeds(t, 3, func(t *testing.T, seed uint64) {
				config := underPreset(x.p, seed, 2, systemstest.RoundTrip(200*time.Millisecond, 30*time.Millisecond, 0.05))
				config.FrameRate = x.frames
				sizes, quiet := []float32{0.3, 1, 5}, false
				config.Protocol = fieldWith(pushAt(func(tick, owner uint32) (components.Position, bool) {
					return components.Position{X: sizes[tick/90%3]}, tick%90 == 10*owner && !quiet
				}))
				c := systemstest.New(t, config)
				c.Connect()
				c.Run(time.Second)
				followed := followError(t, c, x.frames == 0)
				c.Run(length(8*time.Second, 20*time.Second, 5*time.Minute))
				if *followed < 5 {
					t.Errorf("%d corrections followed", *followed)
				}
				quiet = true
				c.Settle()
				c.Converged()
				c.Run(2 * time.Second)
				for _, k := range c.Clients {
					if left := lagging(k); left != 0 {
						t.Errorf("%v is drawn %v from where it is, when all is quiet", k, left)
					}
				}
			})
		})
	}
}

// An error goes on where a component is taken from the player, or given to it, and is no
// part of what is simulated.
func TestNetcodeE3_ErrorSurvivesComponents(t *testing.T) {
	systemstest.Seeds(t, 3, func(t *testing.T, seed uint64) {
		config := onField(seed, 2, lag(4))
		push := pushAt(func(tick, _ uint32) (components.Position, bool) {
			return components.Position{Y: 4}, tick%60 == 0
		})
		changes := 0
		config.Protocol = fieldWith(func(w *ecs.World) {
			push(w)
			if w.Tick()%60 != 4 {
				return
			}
			for e, p := range ecs.All[struct{ Own components.Owner }](w) {
				if p.Own.Client == 0 {
					continue
				}
				if changes++; ecs.Has[Jumps](w, e) {
					ecs.Remove[Jumps](w, e)
				} else {
					ecs.Add(w, e, Jumps{})
				}
			}
		})
		config.Play = steady(Walk{})
		c := systemstest.New(t, config)
		c.Connect()
		c.Run(time.Second)
		followed := followError(t, c, true)
		changes = 0
		c.Run(10 * time.Second)
		if *followed < 10 || changes < 10 {
			t.Errorf("%d corrections followed, %d changes of components", *followed, changes)
		}
	})
}

// A world that tells of jumps.

type jumper struct {
	Pos   *components.Position
	Jumps *components.Teleports
	Own   *components.Owner `ecs:"optional"`
}

// jumpDistance is how far everybody jumps, every 50 ticks, on the server alone.
const jumpDistance = 40

func jumping() *ecs.Protocol {
	p := ecs.NewProtocol("jumping/1")
	ecs.Replicate[components.Position](p, ecs.Predicted|ecs.Interpolated)
	ecs.Replicate[components.Teleports](p, ecs.Predicted)
	ecs.Input[Walk](p)
	p.Authority("jump", func(w *ecs.World) {
		for e, j := range ecs.Each[jumper](w) {
			if (w.Tick()+7*uint32(w.NetID(e)))%50 == 0 {
				j.Jumps.Count++
				j.Pos.X = jumpDistance - j.Pos.X
			}
		}
	})
	return p
}

// What jumped, and says so, is drawn where it was or where it is, never between: others,
// damped or not, and the own player after a correction.
func TestNetcodeE3_TeleportsAreTold(t *testing.T) {
	damped := policy.LocalSync.Policies()
	damped.Remotes = policy.RemotesDamped
	for _, policies := range []policy.Policies{policy.LocalSync.Policies(), damped} {
		t.Run(policies.Remotes.String(), func(t *testing.T) {
			systemstest.Seeds(t, 2, func(t *testing.T, seed uint64) {
				c := systemstest.New(t, systemstest.Config{
					Protocol: jumping, Clients: 2, Seed: seed,
					Link: systemstest.RoundTrip(200*time.Millisecond, 30*time.Millisecond, 0.05),
					Server: systems.ServerConfig{Policies: policies, Join: func(w *ecs.World, client uint32) {
						w.Spawn(components.Owner{Client: client}, components.Position{}, components.Teleports{}, Walk{})
					}},
					Populate: func(w *ecs.World) { w.Spawn(components.Position{}, components.Teleports{}) },
					Client: func(int) systems.ClientConfig {
						return systems.ClientConfig{Damping: interpolate.Damping{Snap: 2 * jumpDistance}}
					},
				})
				c.Connect()
				c.Run(2 * time.Second)
				seen := map[float32]int{}
				c.OnFrame(func(k *systemstest.Client) {
					for id, p := range places(k.View()) {
						if seen[p.X]++; p.X != 0 && p.X != jumpDistance {
							t.Fatalf("%v draws entity %d at %v, where it never was", k, id, p)
						}
					}
				})
				c.Run(10 * time.Second)
				if seen[0] < 500 || seen[jumpDistance] < 500 {
					t.Errorf("drawn: %v", seen)
				}
			})
		})
	}
}
