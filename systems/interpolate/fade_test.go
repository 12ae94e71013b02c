package interpolate_test

import (
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// lagging returns the distance of a client's drawn own player from the simulated one.
func lagging(k *systemstest.Client) float64 {
	return fieldtest.Distance(fieldtest.Position(k.View(), fieldtest.DrawnOwn(k)), fieldtest.Position(k.World(), fieldtest.OwnEntity(k)))
}

// followError checks in each frame that the rest of the visual error of every client's player follows the rule. If each tick
// is drawn, it also checks that corrections do not show. It counts errors that were followed for a quarter of a second.
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
		at, size, n := fieldtest.Position(k.View(), fieldtest.DrawnOwn(k)), lagging(k), k.Stats().Corrections
		if f.last != 0 {
			// It walks by pace in a tick, and an error goes away by what the rule says.
			ticks := math.Ceil((now-f.last).Seconds()*60 + 0.01)
			step, most := fieldtest.Distance(at, f.at), fieldtest.StepLength*math.Sqrt2*ticks
			most += fieldtest.ErrorLeft(f.size, (f.last-f.since).Seconds()) - fieldtest.ErrorLeft(f.size, (now-f.since).Seconds()) + 1e-3
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
		if want := fieldtest.ErrorLeft(f.size, passed); f.size > 0 && math.Abs(size-want) > 1e-3 {
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

// A correction does not move the drawn position. Its visual error fades with time, not with frames, large errors faster than
// small ones. After a quarter of a second less than 1 % is left.
func TestNetcodeE3_ErrorDecaysByTime(t *testing.T) {
	t.Parallel()
	type drawing struct {
		Preset policy.Model
		Frames int // a second; 0: one a tick
	}
	fieldtest.EachSeed(t, fieldtest.Rows(4, []drawing{
		{policy.LocalSync{}, 0}, {policy.LocalSync{}, 20}, {policy.LocalSync{}, 144}, {policy.ServerRewind{}, 0},
		{policy.LocalSync{}, 30}, {policy.LocalSync{}, 60}, {policy.Buffered{}, 0}, {policy.CorrectOnMismatch{}, 0},
	}), 1, func(t *testing.T, x drawing, seed uint64) {
		config := fieldtest.PresetConfig(x.Preset, seed, 2, fieldtest.RoughLink())
		config.FrameRate = x.Frames
		sizes, quiet := []float32{0.3, 1, 5}, false
		config.Protocol = fieldtest.ProtocolWithAuthority(fieldtest.PushAt(func(tick, owner uint32) (components.Position, bool) {
			return components.Position{X: sizes[tick/90%3]}, tick%90 == 10*owner && !quiet
		}))
		c := fieldtest.Start(t, config, time.Second)
		followed := followError(t, c, x.Frames == 0)
		c.Run(fieldtest.Length(10*time.Second, 10*time.Second, 5*time.Minute))
		if *followed < 5 {
			t.Errorf("%d corrections followed", *followed)
		}
		quiet = true
		fieldtest.MustConverge(c)
		c.Run(2 * time.Second)
		for _, k := range c.Clients {
			if left := lagging(k); left != 0 {
				t.Errorf("%v is drawn %v from where it is, when all is quiet", k, left)
			}
		}
	})
}

// A visual error fades although the client's clock is set back.
func TestErrorFadesWhenTheClockIsSetBack(t *testing.T) {
	t.Parallel()
	config := fieldtest.PresetConfig(policy.LocalSync{}, 1, 1, fieldtest.RoughLink())
	config.Protocol = fieldtest.ProtocolWithAuthority(fieldtest.PushAt(func(tick, _ uint32) (components.Position, bool) {
		return components.Position{X: 5}, tick == 120
	}))
	c := fieldtest.Start(t, config, time.Second)
	k := c.Clients[0]
	if !c.RunUntil(time.Minute, func() bool { return lagging(k) > 0.1 }) {
		t.Fatal("no correction showed")
	}
	k.StepClock(-time.Hour)
	c.Settle()
	c.Run(time.Second)
	if left := lagging(k); left > 0.01 {
		t.Errorf("%v of a visual error is left a second after everything came to rest", left)
	}
}

// A visual error continues when a component is removed from or added to the player, and does not affect the simulation.
func TestNetcodeE3_ErrorSurvivesComponents(t *testing.T) {
	systemstest.Seeds(t, 1, func(t *testing.T, seed uint64) {
		config := fieldtest.Config(seed, 2, fieldtest.Lag(4))
		changes := 0
		config.Play, config.Protocol = fieldtest.Steady(fieldtest.Walk{}), fieldtest.ProtocolWithAuthority(func(w *ecs.World) {
			fieldtest.PushAt(func(tick, _ uint32) (components.Position, bool) { return components.Position{Y: 4}, tick%60 == 0 })(w)
			if w.Tick()%60 != 4 {
				return
			}
			for e, p := range ecs.All[struct{ Own components.Owner }](w) {
				if p.Own.Client == 0 {
					continue
				}
				if changes++; ecs.Has[fieldtest.Jumps](w, e) {
					ecs.Remove[fieldtest.Jumps](w, e)
				} else {
					ecs.Add(w, e, fieldtest.Jumps{})
				}
			}
		})
		c := fieldtest.Start(t, config, time.Second)
		followed := followError(t, c, true)
		changes = 0
		c.Run(10 * time.Second)
		if *followed < 10 || changes < 10 {
			t.Errorf("%d corrections followed, %d changes of components", *followed, changes)
		}
	})
}

// jumpDistance is how far everybody jumps, every 50 ticks, on the server alone.
const jumpDistance = 40

// jumping makes everybody jump, and tell of it.
func jumping(p *ecs.Protocol) {
	ecs.Replicate[components.Teleports](p, ecs.Predicted)
	p.Authority("jump", func(w *ecs.World) {
		for e, j := range ecs.Each[struct {
			Pos   *components.Position
			Jumps *components.Teleports
		}](w) {
			if (w.Tick()+7*uint32(w.NetID(e)))%50 == 0 {
				j.Jumps.Count++
				j.Pos.X = jumpDistance - j.Pos.X
			}
		}
	})
}

// A teleporting entity is drawn at its old or new position, never between: other players, damped or not, and the own player
// after a correction.
func TestNetcodeE3_TeleportsAreTold(t *testing.T) {
	fieldtest.EachSeed(t, []policy.Model{policy.LocalSync{}, policy.Buffered{Damping: policy.Damping{Snap: 2 * jumpDistance}}}, 1, func(t *testing.T, model policy.Model, seed uint64) {
		config := fieldtest.Config(seed, 2, fieldtest.RoughLink())
		config.Protocol, config.Play = fieldtest.ProtocolFrom(jumping, fieldtest.OnJoin(func(w *ecs.World, client uint32) {
			w.Spawn(components.Owner{Client: client}, components.Position{}, components.Teleports{}, fieldtest.Walk{})
		})), fieldtest.Steady(fieldtest.Walk{})
		config.Server.Model = model
		config.Populate = func(w *ecs.World) { w.Spawn(components.Position{}, components.Teleports{}) }
		config.Client = func(int) systems.ClientConfig {
			return systems.ClientConfig{Models: []policy.Model{model}}
		}
		c := fieldtest.Start(t, config, 2*time.Second)
		seen := map[float32]int{}
		c.OnFrame(func(k *systemstest.Client) {
			for id, p := range fieldtest.Positions(k.View()) {
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
}

// before returns the visual error of which left remains after some seconds, with the default rule.
func before(left, seconds float64) float64 {
	e := math.Exp(-20 * seconds)
	return left / (e - left/3*(1-e))
}

// neverJumps checks in each frame that, if all are simulated, no entity is drawn further from the previous frame than the
// ticks in between and the fading visual error explain. It counts entities that are drawn more than half a unit from their
// simulated positions.
func neverJumps(t *testing.T, c *systemstest.Crowd, frames int) (fading *int) {
	t.Helper()
	type drawn struct {
		at   components.Position
		left float64
	}
	type frame struct {
		at   time.Duration
		tick uint32
		of   map[components.NetID]drawn
	}
	last := make([]frame, len(c.Clients))
	fading = new(int)
	c.OnFrame(func(k *systemstest.Client) {
		was, now := last[k.N], frame{c.Elapsed(), k.Input(), map[components.NetID]drawn{}}
		for e, x := range ecs.All[struct{ Pos components.Position }](k.View()) {
			d, ok := k.Drawing(e)
			if !ok || !d.Simulated || d.From != 0 || d.To != 0 {
				t.Fatalf("%v: entity %d is drawn by %+v, %v", k, k.View().NetID(e), d, ok)
			}
			now.of[k.View().NetID(e)] = drawn{x.Pos, d.Error}
		}
		last[k.N] = now
		if was.at == 0 {
			return
		}
		passed, ticks := (now.at - was.at).Seconds(), float64(now.tick-was.tick)
		for id, d := range now.of {
			b := was.of[id]
			faded := b.left - fieldtest.ErrorLeft(b.left, passed)
			if frames != 0 { // a correction may have come since
				faded += before(d.left, passed) - d.left
			}
			if step, most := fieldtest.Distance(d.at, b.at), fieldtest.StepLength*math.Sqrt2*ticks+faded+1e-3; step > most {
				t.Fatalf("%v: entity %d moved by %v in a frame of %v ticks, of which %v can be; %v of its error was left, and is %v", k, id, step, ticks, most, b.left, d.left)
			}
			if d.left > 0.5 {
				*fading++
			}
		}
	})
	return fading
}

// If all players are simulated, a late input of another player changes its position without being visible: a frame moves a
// player by no more than its speed and the fading of its visual error.
func TestNetcodeE3_LateInputsDoNotShow(t *testing.T) {
	t.Parallel()
	coSimulated := policy.LocalSync{CoSimulate: true}
	type simulated struct {
		fieldtest.Name
		policies policy.Model
		frames   int
	}
	fieldtest.EachSeed(t, fieldtest.Rows(2, []simulated{
		{"rollback at 144", policy.Rollback{}, 144},
		{"co-simulated", coSimulated, 0},
		{"rollback", policy.Rollback{}, 0},
		{"co-simulated at 144", coSimulated, 144},
	}), 1, func(t *testing.T, x simulated, seed uint64) {
		config := fieldtest.Config(seed, 3, fieldtest.RoughLink())
		config.Server.Model, config.FrameRate = x.policies, x.frames
		c := fieldtest.Start(t, config, 3*time.Second)
		fading := neverJumps(t, c, x.frames)
		c.Run(fieldtest.Length(5*time.Second, 10*time.Second, 5*time.Minute))
		if *fading < 100 {
			t.Errorf("%d drawings with an error above 0.5", *fading)
		}
		fieldtest.MustConverge(c)
		c.Run(2 * time.Second)
		for _, k := range c.Clients {
			k.Frame(c.Now())
			view := fieldtest.Positions(k.View())
			for id, p := range fieldtest.Positions(k.World()) {
				// Clients that co-simulate do not know where drifters turn, and are corrected for good.
				if drifts := p.Y == -100; !drifts && fieldtest.Distance(view[id], p) > 1e-4 {
					t.Errorf("%v draws entity %d at %v, and it is at %v, when all is quiet", k, id, view[id], p)
				}
			}
		}
	})
}

// Pellet is a flying shot, in the lane of its shooter.
type Pellet struct {
	By   uint8 `net:"0..255"`
	Left uint8 `net:"0..31"`
}

type pellet struct {
	Pos  *components.Position
	Shot *Pellet
}

// pellets are fired by a press, and gone after half a second.
func pellets(p *ecs.Protocol) {
	ecs.Replicate[Pellet](p, ecs.Predicted)
	p.Simulate("fly", func(w *ecs.World) {
		for e, x := range ecs.EachInOrder[pellet](w) {
			if x.Pos.Y++; x.Shot.Left == 0 {
				w.Despawn(e)
			}
			x.Shot.Left--
		}
		for _, x := range ecs.EachInOrder[fieldtest.Walker](w) {
			if x.In.Jump {
				w.Spawn(components.Position{X: x.Pos.X}, Pellet{By: uint8(x.Own.Client), Left: 30})
			}
		}
	})
}

// An entity that was spawned in re-simulated ticks may get the number of another one. It is drawn at its own position, never
// on the way from the other's.
func TestNetcodeE3_AnotherOfThatNumber(t *testing.T) {
	systemstest.Seeds(t, 1, func(t *testing.T, seed uint64) {
		config := fieldtest.PresetConfig(policy.Rollback{}, seed, 3, fieldtest.RoughLink())
		config.Protocol, config.Populate = fieldtest.ProtocolWith(pellets), nil
		config.Play = systemstest.Play(func(k *systemstest.Client, in *fieldtest.Walk) {
			in.Jump = k.Rand().IntN(10) == 0
		})
		c := fieldtest.Start(t, config, 3*time.Second)
		lane := map[components.NetID]float32{}
		seen, changed := 0, 0
		c.OnFrame(func(k *systemstest.Client) {
			for e, x := range ecs.All[struct {
				Pos  components.Position
				Shot Pellet
			}](k.View()) {
				seen++
				if want := 10 * float32(x.Shot.By); x.Pos.X != want {
					t.Fatalf("%v draws pellet %d of client %d at %v, its lane is at %v", k, k.View().NetID(e), x.Shot.By, x.Pos, want)
				}
				id := k.View().NetID(e)
				if was, ok := lane[id]; ok && was != x.Pos.X {
					changed++
				}
				lane[id] = x.Pos.X
			}
		})
		c.Run(10 * time.Second)
		if seen < 5000 || changed < 10 {
			t.Errorf("%d pellets seen, %d of them another than before", seen, changed)
		}
	})
}

// Drawing does not change the simulation under any model, neither in the frame of a tick nor in frames between ticks. Writes
// of a renderer to the view do not either.
func TestNetcodeE3_TheViewIsApart(t *testing.T) {
	t.Parallel()
	fieldtest.EachSeed(t, fieldtest.Presets(policy.LocalSync{}, policy.Rollback{}, policy.Lockstep{}), 1, func(t *testing.T, p policy.Model, seed uint64) {
		config := fieldtest.PresetConfig(p, seed, 3, fieldtest.RoughLink())
		config.Protocol = fieldtest.ProtocolWithAuthority(fieldtest.PushAt(func(tick, owner uint32) (components.Position, bool) {
			return components.Position{X: 2}, tick%60 == 7*owner
		}))
		c := fieldtest.Start(t, config, 2*time.Second)
		hash := make([]uint64, len(c.Clients))
		c.OnClientTick(func(k *systemstest.Client) { hash[k.N] = k.World().Hash() })
		frames, errors, all := 0, 0, 0
		c.OnFrame(func(k *systemstest.Client) {
			for i := range 3 {
				k.Frame(c.Now().Add(time.Duration(i) * time.Millisecond))
				frames++
				for e := range ecs.All[struct{ Pos components.Position }](k.View()) {
					d, ok := k.Drawing(e)
					if !ok {
						t.Fatalf("%v cannot tell of entity %d", k, k.View().NetID(e))
					}
					if all++; d.Error > 0 {
						errors++
					}
					ecs.Get[components.Position](k.View(), e).Y += 500
				}
			}
			if now := k.World().Hash(); now != hash[k.N] {
				t.Fatalf("%v: the world is %x after drawing, and was %x", k, now, hash[k.N])
			}
		})
		c.Run(5 * time.Second)
		if errors == 0 && !policy.Is[policy.Lockstep](p) || errors > 0 && policy.Is[policy.Lockstep](p) || all < 5*frames {
			t.Errorf("%d frames, %d of %d drawings with an error", frames, errors, all)
		}
	})
}
