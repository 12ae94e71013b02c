package predict_test

import (
	"errors"
	"math"
	"net/netip"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/policy"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// The pitch is the field with a ball: whoever is close to it kicks it away, and it rolls
// until it stands still.

// A co-simulated ball moves in the tick in which the own player kicks it, and no prediction is wrong. Otherwise it moves a
// round trip later.
func TestNetcodeScope_BallAnswersTheOwnPlayerAtOnce(t *testing.T) {
	const oneWay = 6
	type row struct {
		fieldtest.Name
		model  policy.Model
		scope  systems.Scope
		atOnce bool
	}
	fieldtest.EachRow(t, []row{
		{"own", policy.LocalSync{}, systems.ScopeOwn, false},
		{"co-simulated", policy.LocalSync{}, systems.ScopeCoSimulated, true},
		{"by the model", policy.LocalSync{CoSimulate: true}, systems.ScopeOwn, true},
		{"not by the model", policy.LocalSync{CoSimulate: true}, systems.ScopeInterpolated, false},
		{"under rewind", policy.ServerRewind{}, systems.ScopeCoSimulated, true},
	}, func(t *testing.T, test row) {
		config := fieldtest.PitchConfig(1, 1, 1, fieldtest.Ticks(oneWay), test.scope)
		config.Server.Model = test.model
		config.Client = func(int) systems.ClientConfig {
			return systems.ClientConfig{Prediction: systems.Prediction{Scope: func(w *ecs.World, e ecs.Entity) systems.Scope {
				if ecs.Has[fieldtest.Roll](w, e) {
					return test.scope
				}
				return systems.ScopeOwn
			}}}
		}
		walking := false
		config.Play = systemstest.Play(func(_ *systemstest.Client, in *fieldtest.Walk) {
			if walking {
				in.DX = 1
			}
		})
		c := systemstest.New(t, config)
		c.Run(5 * time.Second)
		c.Mark()
		k := c.Clients[0]
		touched, world, drawn := uint32(0), uint32(0), uint32(0)
		still, _, _, _ := fieldtest.FirstBall(k.World())
		c.OnFrame(func(k *systemstest.Client) {
			me := fieldtest.Position(k.World(), fieldtest.OwnEntity(k))
			_, _, moves, _ := fieldtest.FirstBall(k.World())
			seen, _, _, _ := fieldtest.FirstBall(k.View())
			switch {
			case touched == 0 && fieldtest.Distance(me, still) < fieldtest.Reach:
				touched = k.Input()
			}
			if world == 0 && moves {
				world = k.Input()
			}
			if drawn == 0 && seen != still {
				drawn = k.Input()
			}
		})
		walking = true
		c.Run(4 * time.Second)
		switch late := drawn - touched; {
		case touched == 0 || world == 0 || drawn == 0:
			t.Fatalf("nothing happened: touched in input %d, moved in %d, drawn in %d", touched, world, drawn)
		case test.atOnce && (world != touched || late != 0):
			t.Errorf("touched in input %d, moved in %d, drawn in %d", touched, world, drawn)
		case !test.atOnce && (world-touched < 2*oneWay || world-touched > 2*oneWay+10 || late < 2*oneWay):
			t.Errorf("touched in input %d, moved in %d, drawn in %d: a round trip takes %d", touched, world, drawn, 2*oneWay)
		}
		st := k.Stats()
		if st.CoCorrections != 0 || st.Resimulated > 100 || test.atOnce != (st.CoConfirmed > 60) {
			t.Errorf("%+v", st)
		}
		c.NoCorrections()
		fieldtest.MustConverge(c)
	})
}

// If only own entities are in scope, worlds, counters and all bytes are as without scopes, with or without a Scope function.
func TestNetcodeScope_OwnAloneChangesNothing(t *testing.T) {
	play := func(asked bool) (is []any) {
		config := fieldtest.Config(3, 3, fieldtest.BadLink())
		config.Protocol = fieldtest.Pushes(200)
		if asked {
			config.Client = fieldtest.Scoped(systems.ScopeOwn)
		}
		c := systemstest.New(t, config)
		for range 12 {
			c.Run(time.Second)
			is = append(is, c.Hash())
			for _, k := range c.Clients {
				is = append(is, k.Stats(), k.Traffic())
				if asked && k.Connected() {
					for id := range fieldtest.Positions(k.World()) {
						e, _ := k.World().ByNetID(id)
						k.SetScope(e, systems.ScopeInterpolated)
						k.SetScope(e, systems.ScopeOwn)
					}
				}
				if st := k.Stats(); st.CoConfirmed+st.CoCorrections != 0 {
					t.Errorf("%v: %+v", k, st)
				}
			}
		}
		return is
	}
	without, with := play(false), play(true)
	for i, was := range without {
		if is := with[i]; !reflect.DeepEqual(is, was) {
			t.Fatalf("with scopes that leave all as it is: %+v\nwithout scopes: %+v", is, was)
		}
	}
}

// Co-simulated entities end up as on the server over terrible links, while entities take turns in snapshots, and under each
// model with prediction. Once inputs have stopped, nothing differs.
func TestNetcodeScope_Converges(t *testing.T) {
	t.Parallel()
	fieldtest.EachSeed(t, fieldtest.Ahead(policy.LocalSync{}, policy.CorrectOnMismatch{}, policy.ServerRewind{}), fieldtest.SeedCount(2), func(t *testing.T, preset policy.Model, seed uint64) {
		config := fieldtest.PitchConfig(seed, 3, 6, 0, systems.ScopeCoSimulated)
		config.Link, config.Server.Model = fieldtest.BadLink(), preset
		if seed%2 == 0 {
			config.Populate, config.Server.Snapshots.Budget = fieldtest.Balls(60), 200
		}
		c := systemstest.New(t, config)
		c.Run(10 * time.Second)
		c.Join()
		c.Clients[1].Leave()
		c.Run(5 * time.Second)
		c.Settle()
		var was []systems.ClientStats
		for _, k := range c.Clients {
			was = append(was, k.Stats())
		}
		c.Run(2 * time.Second)
		c.Converged()
		for i, k := range c.Clients {
			st := k.Stats()
			if i == 1 {
				continue
			}
			if st.CoCorrections != was[i].CoCorrections || st.CoConfirmed == was[i].CoConfirmed {
				t.Errorf("%v: in rest: %+v\nafter %+v", k, st, was[i])
			}
			if i < 3 && st.CoCorrections == 0 {
				t.Errorf("%v: what others did was never mispredicted: %+v", k, st)
			}
		}
	})
}

// Lap makes an entity run round a circle, by the tick.
type Lap struct {
	Radius uint8 `net:"0..100"`
}

const lapSpeed = 1.0 / 60 // radians a tick

func lapAt(l Lap, tick uint32) components.Position {
	s, c := math.Sincos(lapSpeed * float64(tick))
	return components.Position{X: float32(float64(l.Radius) * c), Y: float32(float64(l.Radius) * s)}
}

type runner struct {
	Pos *components.Position
	Lap *Lap
}

func laps(p *ecs.Protocol) {
	ecs.Replicate[Lap](p, ecs.Predicted)
	p.Simulate("laps", func(w *ecs.World) {
		for _, r := range ecs.Each[runner](w) {
			*r.Pos = lapAt(*r.Lap, w.Tick())
		}
	})
}

// onLaps returns a match of one client beside an entity that runs round the pitch.
func onLaps(seed uint64, link time.Duration, others systems.Scope) systemstest.Config {
	config := fieldtest.PitchConfig(seed, 1, 0, link, others)
	config.Protocol = fieldtest.Pitch(laps)
	config.Populate = func(w *ecs.World) { w.Spawn(components.Position{}, Lap{10}) }
	return config
}

// When the scope of an entity changes, its drawn position blends without a jump, however often and at any frame rate. The
// simulated state does not change.
func TestNetcodeScope_SwitchingDrawsNoJump(t *testing.T) {
	t.Parallel()
	const radius = 10
	type row struct {
		Preset policy.Model
		Frames int
	}
	fieldtest.EachSeed(t, []row{{policy.LocalSync{}, 60}, {policy.LocalSync{}, 144}, {policy.LocalSync{}, 30}, {policy.Buffered{}, 60}}, 1, func(t *testing.T, test row, seed uint64) {
		config := onLaps(seed, 0, systems.ScopeOwn)
		config.Link, config.FrameRate = fieldtest.BadLink(), test.Frames
		config.Server.Model = test.Preset
		c := systemstest.New(t, config)
		c.Run(20 * time.Second)
		k := c.Clients[0]
		drawn := func() (at components.Position) {
			for e := range ecs.All[struct{ Lap Lap }](k.View()) {
				at = fieldtest.Position(k.View(), e)
			}
			return at
		}
		// A diameter apart at most, in a fifth of a second, and as much as it runs,
		// twice, because what is left behind stands still.
		dt := 1 / float64(test.Frames)
		bound := 2*radius*5*dt + 2*radius*(dt+1.0/60) + 0.1
		was, most, ahead := drawn(), 0.0, 0.0
		tick, next, on, switching := 0, 0, false, true
		c.OnClientTick(func(k *systemstest.Client) {
			if tick++; tick < next || !switching {
				return
			}
			next = tick + 2 + k.Rand().IntN(40)
			for e := range ecs.All[struct{ Lap Lap }](k.World()) {
				if on = !on; on {
					k.SetScope(e, systems.ScopeCoSimulated)
				} else {
					k.SetScope(e, systems.ScopeOwn)
				}
			}
		})
		c.OnFrame(func(k *systemstest.Client) {
			at := drawn()
			d := fieldtest.Distance(at, was)
			most, was = max(most, d), at
			if d > bound && switching {
				t.Errorf("after tick %d: a jump of %.3f, want %.3f at most", tick, d, bound)
			}
			for e, r := range ecs.All[struct{ Lap Lap }](k.World()) {
				if !ecs.Has[components.Predicted](k.World(), e) {
					continue
				}
				if at, truth := fieldtest.Position(k.World(), e), lapAt(r.Lap, k.World().Tick()); !fieldtest.Near(at, truth) {
					t.Errorf("after tick %d: simulated at %v, want %v", tick, at, truth)
				}
				ahead = max(ahead, float64(k.World().Tick())-k.DrawnTick())
			}
		})
		c.Run(20 * time.Second)
		if ahead < 30 || most < radius*dt {
			t.Errorf("too little happened: %v ticks ahead, jumps of %.3f at most", ahead, most)
		}
		switching = false // at rest the link is at once a shorter one, and news are newer by that
		fieldtest.MustConverge(c)
	})
}

// A client without entities, which receives no owner state, simulates the entities in scope in the server's ticks.
func TestNetcodeScope_SpectatorFollowsTheTick(t *testing.T) {
	const oneWay = 6
	config := onLaps(1, fieldtest.Ticks(oneWay), systems.ScopeCoSimulated)
	config.Protocol = fieldtest.Pitch(laps, fieldtest.OnJoin(func(*ecs.World, uint32) {}))
	c := systemstest.New(t, config)
	c.Run(10 * time.Second)
	k := c.Clients[0]
	was := k.Stats()
	c.Run(10 * time.Second)
	if st := k.Stats(); st.CoCorrections != was.CoCorrections || st.CoConfirmed < was.CoConfirmed+190 {
		t.Errorf("%+v", st)
	}
	if ahead := int(k.World().Tick()) - int(c.Server.Tick()); ahead < oneWay || ahead > oneWay+6 {
		t.Errorf("%d ticks ahead of the server", ahead)
	}
	c.Converged()
}

// An own entity out of scope is shown as the server has it, a round trip late. Back in scope it responds immediately, from the
// right position.
func TestNetcodeScope_OwnEntityOutOfScope(t *testing.T) {
	const oneWay = 9
	config := fieldtest.PitchConfig(1, 2, 0, fieldtest.Ticks(oneWay), systems.ScopeOwn)
	autopilot := true
	config.Client = func(int) systems.ClientConfig {
		return systems.ClientConfig{Prediction: systems.Prediction{Scope: func(*ecs.World, ecs.Entity) systems.Scope {
			if autopilot {
				return systems.ScopeInterpolated
			}
			return systems.ScopeOwn
		}}}
	}
	c := systemstest.New(t, config)
	ts := fieldtest.WatchServer(c)
	c.Run(10 * time.Second)
	k := c.Clients[0]
	id := k.World().NetID(fieldtest.OwnEntity(k))
	first := map[uint32]components.Position{} // as first predicted, by input
	c.OnClientTick(func(k *systemstest.Client) {
		if k.N != 0 {
			return
		}
		e := fieldtest.OwnEntity(k)
		if ecs.Has[components.Predicted](k.World(), e) {
			first[k.Input()] = fieldtest.Position(k.World(), e)
		} else if told := ts.At[k.ServerTick()]; !fieldtest.Near(fieldtest.Position(k.World(), e), told.Places[id]) {
			t.Errorf("tick %d: shown at %v, the server had it at %v", k.ServerTick(), fieldtest.Position(k.World(), e), told.Places[id])
		}
	})
	c.Run(5 * time.Second)
	if len(first) != 0 {
		t.Fatalf("%d predictions of what is out of scope", len(first))
	}
	e := fieldtest.OwnEntity(k)
	from := k.Input() + 1
	if !k.SetScope(e, systems.ScopeOwn) {
		t.Fatal("the scope of the own entity cannot be chosen")
	}
	c.Run(5 * time.Second)
	if fieldtest.OwnEntity(k) != e {
		t.Error("it has another handle")
	}
	seen := 0
	for _, tr := range ts.At {
		if s := tr.Inputs[0]; s >= from && s < from+200 {
			seen++
			if at, ok := first[s]; !ok || !fieldtest.Near(at, tr.Places[id]) {
				t.Errorf("input %d: predicted at %v %v, the server had it at %v", s, at, ok, tr.Places[id])
			}
		}
	}
	if seen < 200 || len(first) < 250 {
		t.Errorf("%d predictions, %d of them compared", len(first), seen)
	}
	c.NoCorrections()
	k.SetScope(e, systems.ScopeInterpolated)
	c.Run(time.Second)
	fieldtest.MustConverge(c)
}

// OnMismatch reports a mismatch of a co-simulated entity with all fields, as for own entities. It has separate counters.
func TestNetcodeScope_MismatchIsCountedApart(t *testing.T) {
	var reports []systems.Mismatch
	config := fieldtest.PitchConfig(1, 2, 1, fieldtest.Ticks(6), systems.ScopeCoSimulated)
	client := config.Client
	config.Client = func(n int) systems.ClientConfig {
		k := client(n)
		if n == 0 {
			k.Prediction.OnMismatch = func(m systems.Mismatch) { reports = append(reports, m) }
		}
		return k
	}
	config.Play = fieldtest.Steady(fieldtest.Walk{})
	config.Protocol = fieldtest.Pitch(fieldtest.Authority(func(w *ecs.World) { // wind
		for _, b := range ecs.Each[fieldtest.Ball](w) {
			if w.Tick()%120 == 0 {
				b.Pos.Y += 3
			}
		}
	}))
	c := systemstest.New(t, config)
	ts := fieldtest.WatchServer(c)
	c.Run(5 * time.Second)
	k := c.Clients[0]
	was := k.Stats()
	reports = nil
	c.Run(20 * time.Second)
	st := k.Stats()
	if n := st.CoCorrections - was.CoCorrections; n != 10 || len(reports) != 10 {
		t.Errorf("%d corrections and %d reports of 10 gusts", n, len(reports))
	}
	if n := st.Resimulated - was.Resimulated; n > 10*(2*6+8) {
		t.Errorf("%d ticks simulated again", n)
	}
	_, e, _, _ := fieldtest.FirstBall(k.World())
	for _, m := range reports {
		tr := ts.At[m.Tick]
		if m.Component != "Position" || m.Field != "Y" || !m.CoSimulated || m.NetID != k.World().NetID(e) ||
			tr == nil || tr.Inputs[0] != m.Input {
			t.Errorf("%+v", m)
			continue
		}
		truth, err1 := strconv.ParseFloat(m.Truth, 64)
		predicted, err2 := strconv.ParseFloat(m.Predicted, 64)
		if err1 != nil || err2 != nil || math.Abs(truth-predicted-3) > 0.02 || !fieldtest.Near(tr.Places[m.NetID], components.Position{X: tr.Places[m.NetID].X, Y: float32(truth)}) {
			t.Errorf("%+v: the server had it at %v", m, tr.Places[m.NetID])
		}
	}
	c.NoCorrections()
}

// With Assume, predictions of other players are right until they change their input.
func TestNetcodeScope_AssumedInputs(t *testing.T) {
	t.Parallel()
	play := func(assume bool) (wrong uint64) {
		config := fieldtest.PitchConfig(1, 3, 0, 0, systems.ScopeCoSimulated)
		config.Link = fieldtest.BadLink()
		client := config.Client
		config.Client = func(n int) systems.ClientConfig {
			k := client(n)
			if assume {
				k.Prediction.Assume = systems.Assume(func(c *systems.Client, e ecs.Entity, in *fieldtest.Walk) {
					if s := ecs.Get[fieldtest.Stick](c.World(), e); s != nil {
						in.DX, in.DY = s.DX, s.DY
					}
				})
			}
			return k
		}
		config.Play = systemstest.Play(func(k *systemstest.Client, in *fieldtest.Walk) {
			in.DX, in.N = int8(k.Input()/200%3)-1, uint16(k.Input())
		})
		c := systemstest.New(t, config)
		c.Run(30 * time.Second)
		for _, k := range c.Clients {
			wrong += k.Stats().CoCorrections
			if k.Stats().Corrections > 3 {
				t.Errorf("%v: %+v", k, k.Stats())
			}
		}
		fieldtest.MustConverge(c)
		return wrong
	}
	if neutral, assumed := play(false), play(true); assumed == 0 || 5*assumed > neutral {
		t.Errorf("%d corrections where inputs are assumed, %d where they are neutral", assumed, neutral)
	}
}

// NewClient returns an error for an Assume function of another type.
func TestAssumeOfAnotherType(t *testing.T) {
	_, err := systems.NewClient(netsys.NewNetwork().Node(netip.AddrPort{}), netip.MustParseAddrPort("127.0.0.1:7777"), fieldtest.Protocol(),
		systems.ClientConfig{Prediction: systems.Prediction{Assume: systems.Assume(func(*systems.Client, ecs.Entity, *fieldtest.Stick) {})}})
	if !errors.Is(err, systems.ErrConfig) || !strings.Contains(err.Error(), "Assume") {
		t.Error(err)
	}
}

// holes ends balls that roll far to the right. It runs within Simulate, so that a client that co-simulates a ball predicts its
// end.
func holes(p *ecs.Protocol) {
	p.Simulate("holes", func(w *ecs.World) {
		for e, b := range ecs.Each[fieldtest.Ball](w) {
			if b.Pos.X > 20 {
				w.Despawn(e)
			}
		}
	})
}

// A co-simulated entity that the server ends is gone from world and view; one that the
// rules end is gone at once; and one that only the client's rules ended is back under the
// same handle.
func TestNetcodeScope_Despawns(t *testing.T) {
	for _, test := range []struct {
		name  string
		wrong bool // the server takes the ball back just before it is gone
	}{{"foretold", false}, {"wrongly foretold", true}} {
		t.Run(test.name, func(t *testing.T) {
			const oneWay = 8
			taken := false
			config := fieldtest.PitchConfig(1, 1, 1, fieldtest.Ticks(oneWay), systems.ScopeCoSimulated)
			config.Protocol = fieldtest.Pitch(holes, fieldtest.Authority(func(w *ecs.World) { // a thief
				for _, b := range ecs.Each[fieldtest.Ball](w) {
					if test.wrong && !taken && b.Pos.X > 19.5 {
						b.Pos.X, b.Roll.X, taken = 5, 0, true
					}
				}
			}))
			config.Play = fieldtest.Steady(fieldtest.Walk{})
			c := systemstest.New(t, config)
			c.Run(5 * time.Second)
			k := c.Clients[0]
			_, e, _, _ := fieldtest.FirstBall(k.World())
			_, mine, _, _ := fieldtest.FirstBall(c.Server.World())
			ecs.Get[fieldtest.Roll](c.Server.World(), mine).X = 0.5
			before := k.Stats().Resimulated
			gone, parked, revived := uint32(0), uint32(0), false
			c.OnServerTick(func() {
				if gone == 0 && !c.Server.World().Alive(mine) {
					gone = c.Server.Tick()
				}
			})
			c.OnFrame(func(k *systemstest.Client) {
				_, _, _, seen := fieldtest.FirstBall(k.View())
				is := k.World().Netcode().Suspended(e) || !k.World().Alive(e)
				if is && parked == 0 {
					parked = k.World().Tick()
				}
				if is == seen {
					t.Errorf("tick %d: gone %v, drawn %v", k.World().Tick(), is, seen)
				}
				revived = revived || parked != 0 && !is
			})
			c.Run(5 * time.Second)
			if parked == 0 || revived != test.wrong || taken != test.wrong || (gone == 0) != test.wrong {
				t.Errorf("foretold in tick %d, on the server gone after %d, revived %v, taken back %v", parked, gone, revived, taken)
			}
			if !test.wrong && parked+1 != gone {
				t.Errorf("foretold in tick %d, on the server gone after %d", parked, gone)
			}
			// One replay where it was set rolling, and one where it was wrong.
			if n := k.Stats().Resimulated - before; n > 2*(2*oneWay+8) || !test.wrong && n > 2*oneWay+8 {
				t.Errorf("%d ticks simulated again", n)
			}
			if _, now, _, found := fieldtest.FirstBall(k.World()); found != test.wrong || found && now != e {
				t.Errorf("in the end: %v %v, was %v", now, found, e)
			}
			fieldtest.MustConverge(c)
			c.Server.World().Despawn(mine)
			c.Run(time.Second)
			for _, w := range []*ecs.World{k.World(), k.View()} {
				if _, _, _, found := fieldtest.FirstBall(w); found {
					t.Error("it is there after the server has ended it")
				}
			}
			if k.World().Alive(e) {
				t.Error("its handle is alive")
			}
			c.Converged()
		})
	}
}

// A co-simulated entity that goes out of sight leaves the world, and is co-simulated again when it returns. A scope set by
// SetScope is reset.
func TestNetcodeScope_LeavesSight(t *testing.T) {
	t.Parallel()
	systemstest.Seeds(t, 1, func(t *testing.T, seed uint64) {
		hidden := false
		config := fieldtest.PitchConfig(seed, 2, 5, 0, systems.ScopeCoSimulated)
		config.Link = fieldtest.BadLink()
		config.Server.Snapshots.Interest = fieldtest.NotHidden()
		c := systemstest.New(t, config)
		for round := range 6 {
			hidden = round%2 == 1
			w := c.Server.World()
			var all []ecs.Entity
			for e := range ecs.All[struct{ Roll fieldtest.Roll }](w) {
				all = append(all, e)
			}
			for _, e := range all {
				fieldtest.HideFrom(w, e, map[bool]uint32{true: 1}[hidden])
			}
			c.Run(8 * time.Second)
			k := fieldtest.ClientByID(c, 1)
			for _, w := range []*ecs.World{k.World(), k.View()} {
				if _, e, _, found := fieldtest.FirstBall(w); found == hidden {
					t.Errorf("round %d: found %v", round, found)
				} else if found && !ecs.Has[components.Predicted](w, e) {
					t.Errorf("round %d: not simulated", round)
				}
			}
			if _, e, _, found := fieldtest.FirstBall(k.World()); found && round == 2 {
				k.SetScope(e, systems.ScopeInterpolated)
				c.RunTicks(3)
				if ecs.Has[components.Predicted](k.World(), e) {
					t.Error("simulated all the same")
				}
			}
		}
		fieldtest.MustConverge(c)
	})
}

// Nothing is allocated while others are co-simulated, corrected and switched.
func TestNetcodeScope_AllocatesNothing(t *testing.T) {
	fieldtest.SkipUnderRace(t)
	config := fieldtest.PitchConfig(1, 3, 20, 0, systems.ScopeOwn)
	config.Link, config.CountOnly = fieldtest.BadLink(), true
	config.Server.Model = policy.LocalSync{CoSimulate: true}
	config.Client = nil
	config.Protocol = fieldtest.Pitch(laps)
	c := systemstest.New(t, config)
	n := 0
	c.OnClientTick(func(k *systemstest.Client) {
		if n++; n%7 != 0 || !k.Connected() {
			return
		}
		for t := range k.World().Netcode().Tables {
			for i, e := range t.Entities {
				if i%5 == k.N {
					k.SetScope(e, []systems.Scope{systems.ScopeInterpolated, systems.ScopeOwn}[n/7%2])
				}
			}
		}
	})
	c.Connect()
	c.Run(15 * time.Second)
	was := c.Clients[0].Stats()
	fieldtest.AllocatesNothing(t, c, 300)
	if st := c.Clients[0].Stats(); st.CoCorrections-was.CoCorrections < 10 || st.Resimulated == was.Resimulated {
		t.Errorf("%+v: too little happened", st)
	}
}
