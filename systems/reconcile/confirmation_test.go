package reconcile_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/internal/fieldtest"
	"github.com/tactusgo/tactus/systems/reconcile"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Pushes of the server that no client foresees, each once corrected, in the match of the four tests
// that follow.
const pushesFrom, pushesEvery, pushRounds = 1080, 120, 8

// underPushes plays the match and shows each client's tick to see, with the steps that it took.
func underPushes(t *testing.T, see func(t *testing.T, k *systemstest.Client, steps []fieldtest.Step, ts *fieldtest.Truths), end func(t *testing.T, k *systemstest.Client, server []fieldtest.Step)) {
	systemstest.Seeds(t, fieldtest.SeedCount(2), func(t *testing.T, seed uint64) {
		config := fieldtest.Config(seed, 3, fieldtest.BadLink())
		config.Protocol = fieldtest.ProtocolWithAuthority(fieldtest.PushAt(func(tick, owner uint32) (components.Position, bool) {
			return components.Position{X: 0.0625, Y: -0.0625}, tick > pushesFrom && tick%pushesEvery == 10*owner
		}))
		c := systemstest.New(t, config)
		server, ts := fieldtest.KeepJournal(c.Server.World()), fieldtest.WatchServer(c)
		c.RunUntil(time.Minute, func() bool { return c.Server.Tick() == pushesFrom })
		c.Mark()
		for _, k := range c.Clients {
			fieldtest.KeepJournal(k.World())
		}
		c.OnClientTick(func(k *systemstest.Client) {
			j := fieldtest.KeepJournal(k.World())
			see(t, k, j.Steps, ts)
			j.Steps = nil
		})
		c.RunTicks(pushRounds * pushesEvery)
		c.NothingMissing()
		for _, k := range c.Clients {
			end(t, k, server.ForOwner(k.ID()))
		}
	})
}

// A client simulates only its own entities, in its ticks and in replays. Other entities are in its world as of the newest
// snapshot.
func TestNetcodeA4_OthersAreConfirmedNeverSimulated(t *testing.T) {
	t.Parallel()
	compared := 0
	underPushes(t, func(t *testing.T, k *systemstest.Client, steps []fieldtest.Step, ts *fieldtest.Truths) {
		for _, s := range steps {
			if s.Owner != k.ID() {
				t.Fatalf("%v simulated entity %d of client %d", k, s.ID, s.Owner)
			}
		}
		for id, p := range fieldtest.Positions(k.World()) {
			if want := ts.At[k.ServerTick()].Places[id]; id != k.World().NetID(fieldtest.OwnEntity(k)) && fieldtest.Distance(p, want) > fieldtest.Tolerance {
				t.Fatalf("%v at its tick %d: entity %d stands at %v, the server had it at %v after tick %d", k, k.Input(), id, p, want, k.ServerTick())
			}
			compared++
		}
	}, func(t *testing.T, _ *systemstest.Client, _ []fieldtest.Step) {
		if compared < 3*900*7 {
			t.Errorf("%d places compared", compared)
		}
	})
}

// A wrong prediction is replaced by the server's state after input s, and exactly
// the inputs s+1 to the newest are stepped again, each once, in order.
func TestNetcodeA5_MismatchReplaysExactlyTheRest(t *testing.T) {
	t.Parallel()
	corrected := map[*systemstest.Client]uint64{}
	underPushes(t, func(t *testing.T, k *systemstest.Client, steps []fieldtest.Step, ts *fieldtest.Truths) {
		told := ts.At[k.ConfirmedTick()].Inputs[k.N]
		switch n := k.Figures().Corrections; {
		case n == corrected[k]:
			if len(steps) > 1 {
				t.Fatalf("%v, input %d: %d steps in a tick without a correction", k, k.Input(), len(steps))
			}
		case len(steps) != int(k.Input()-told):
			t.Fatalf("%v, input %d: a state after input %d was corrected in %d steps", k, k.Input(), told, len(steps)-1)
		default:
			corrected[k] = n
			for i, s := range steps {
				if s.In.N != uint16(told)+1+uint16(i) {
					t.Fatalf("%v: step %d of a replay after input %d took input %d", k, i, told, s.In.N)
				}
			}
		}
	}, func(t *testing.T, k *systemstest.Client, _ []fieldtest.Step) {
		if corrected[k] != pushRounds {
			t.Errorf("%v: %d corrections of %d pushes", k, corrected[k], pushRounds)
		}
	})
}

// A replay rewrites the predictions that later states are compared with: one push,
// one correction, however many states of old predictions are under way.
func TestNetcodeC5_AReplayRewritesPredictions(t *testing.T) {
	t.Parallel()
	underPushes(t, func(*testing.T, *systemstest.Client, []fieldtest.Step, *fieldtest.Truths) {}, func(t *testing.T, k *systemstest.Client, _ []fieldtest.Step) {
		if f := k.Figures(); f.Corrections != pushRounds || f.Confirmed < 150 {
			t.Errorf("%v: %d corrections of %d pushes, %d own states confirmed", k, f.Corrections, pushRounds, f.Confirmed)
		}
	})
}

// Tick inside Simulate is the same on both sides: the tick in which the server
// consumes an input is the one for which the client predicted it, the first time
// and in every replay, while the buffer does not hold.
func TestNetcodeA8_TickIsTheServers(t *testing.T) {
	t.Parallel()
	taken := map[*systemstest.Client][]fieldtest.Step{}
	underPushes(t, func(_ *testing.T, k *systemstest.Client, steps []fieldtest.Step, _ *fieldtest.Truths) {
		taken[k] = append(taken[k], steps...)
	}, func(t *testing.T, k *systemstest.Client, server []fieldtest.Step) {
		consumed, same := map[uint16]uint32{}, 0
		for _, s := range server {
			consumed[s.In.N] = s.Tick
		}
		for _, s := range taken[k] {
			if tick, ok := consumed[s.In.N]; ok && tick != s.Tick {
				t.Fatalf("%v predicted input %d for tick %d, the server consumed it in tick %d", k, s.In.N, s.Tick, tick)
			} else if ok {
				same++
			}
		}
		if f := k.Figures(); f.Holds != 0 || f.Resimulated == 0 || same < pushesEvery*pushRounds {
			t.Errorf("%v: %d holds, %d steps compared, %d of them in replays", k, f.Holds, same, f.Resimulated)
		}
	})
}

// nudgeOnce moves the player of client 1 by d at one tick, on the server alone.
func nudgeOnce(at uint32, d components.Position) func(tick, owner uint32) (components.Position, bool) {
	return func(tick, owner uint32) (components.Position, bool) { return d, tick == at && owner == 1 }
}

// A state that a newer one has overtaken is dropped: it is neither confirmed nor adopted.
func TestNetcodeA5_OlderTickIsDropped(t *testing.T) {
	config := fieldtest.Config(1, 1, fieldtest.Lag(2))
	config.Server.Snapshots.SendRate = 20
	c := systemstest.New(t, config)
	k := c.Clients[0]
	c.RunUntil(time.Minute, func() bool { return c.Server.Tick() == 301 })
	c.Mark()
	k.SetLinks(fieldtest.Lag(2), fieldtest.Lag(19))
	c.RunTicks(3) // the snapshot of tick 303 takes 19 ticks, and comes alone
	k.SetLinks(fieldtest.Lag(2), fieldtest.Lag(2))
	newest := uint32(0)
	c.OnClientTick(func(k *systemstest.Client) {
		if k.ConfirmedTick() < newest {
			t.Fatalf("own state of tick %d after that of tick %d", k.ConfirmedTick(), newest)
		}
		newest = k.ConfirmedTick()
	})
	c.RunTicks(60)
	f := k.Figures()
	if f.Snapshots < 20 || f.Confirmed != f.Snapshots-1 || f.Corrections != 0 {
		t.Errorf("%d snapshots taken in, %d own states confirmed, %d corrected; exactly one came too late", f.Snapshots, f.Confirmed, f.Corrections)
	}
}

// Own states older than the history of Q inputs are ignored and counted; after a
// second of nothing else the newest is adopted, and the inputs kept are replayed.
func TestNetcodeA5_OlderThanTheHistory(t *testing.T) {
	const kept = 8
	config := fieldtest.Config(1, 1, fieldtest.Lag(15))
	config.Server.Snapshots.SendRate = 20
	config.Protocol = fieldtest.ProtocolWithAuthority(fieldtest.PushAt(nudgeOnce(600, components.Position{X: 40})))
	config.Play = fieldtest.Straight()
	config.Client = func(int) systems.ClientConfig {
		return systems.ClientConfig{Prediction: systems.Prediction{History: kept}}
	}
	c := systemstest.New(t, config)
	c.RunUntil(time.Minute, func() bool { return c.Server.Tick() == 500 })
	c.Mark()
	var last systemstest.Figures
	var stale uint64 // states since the last adoption
	var x float32
	adoptions, jumps := 0, 0
	c.OnClientTick(func(k *systemstest.Client) {
		f := k.Figures()
		e, _ := k.Own(k.World())
		jumped := x != 0 && fieldtest.Position(k.World(), e).X != x+fieldtest.StepLength
		x = fieldtest.Position(k.World(), e).X
		stale += f.StaleStates - last.StaleStates
		replayed := f.Resimulated - last.Resimulated
		last = f
		if jumped {
			jumps++
			if replayed == 0 {
				t.Fatalf("input %d: the prediction changed without an adoption", k.Input())
			}
		}
		if replayed == 0 {
			return
		}
		if replayed != kept {
			t.Errorf("%d inputs replayed, %d are kept", replayed, kept)
		}
		if adoptions++; adoptions > 1 && stale != 21 {
			t.Errorf("adopted the %d. stale state; 20 gaps between sends are a second", stale)
		}
		stale = 0
	})
	c.Run(5 * time.Second)
	f := fieldtest.ClientByID(c, 1).Figures()
	if f.Corrections != 0 || f.Confirmed != 0 || f.StaleStates < 99 {
		t.Errorf("%d own states corrected, %d confirmed, %d stale; all 100 are older than the history", f.Corrections, f.Confirmed, f.StaleStates)
	}
	if adoptions < 4 || jumps != 1 {
		t.Errorf("%d adoptions in 5 s, of which %d moved the player; the push was one", adoptions, jumps)
	}
}

// Mispredictions of co-simulated entities have separate rows in Causes.
func TestNetcodeE1_BlameOfTheCoSimulated(t *testing.T) {
	config := fieldtest.PitchConfig(1, 2, 1, fieldtest.Ticks(6), systems.ScopeCoSimulated)
	config.Play = fieldtest.Steady(fieldtest.Walk{})
	config.Protocol = fieldtest.Pitch(func(p *ecs.Protocol) {
		p.Authority("wind", func(w *ecs.World) {
			for _, b := range ecs.Each[fieldtest.Ball](w) {
				if w.Tick()%120 == 0 {
					b.Pos.Y += 3
				}
			}
		})
	})
	c := systemstest.New(t, config)
	c.Run(20 * time.Second)
	k := c.Clients[0]
	table := k.Causes()
	if n := k.Stats().CoCorrections; n == 0 || table.CoCorrections != n || table.Corrections != k.Stats().Corrections || len(table.Rows) == 0 {
		t.Fatalf("%d corrections, the table says %+v", n, table)
	}
	var gusts uint64
	for _, r := range table.Rows {
		if !r.CoSimulated || r.Share > 1 {
			t.Errorf("%+v", r)
		}
		if r.Field == "Y" {
			gusts = r.Corrections
		}
	}
	if gusts < 5 || !strings.Contains(table.String(), "Position.Y (co-simulated)") {
		t.Errorf("%s", table)
	}
}

// Fuel and Heat are predicted with tolerances of their own.
type (
	Fuel struct {
		Left float32 `net:"0..1000 step 0.5"`
	}
	Heat struct{ Degrees float32 }
)

// Each field has its own tolerance, by default one step. A difference within it is neither corrected nor replaced by the
// server's value. A larger one is corrected. A field that is compared exactly has no tolerance, and neither has a world that
// quantizes every step.
func TestNetcodeE1_ToleranceIsPerField(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name             string
		heat, fuel       string // tolerances
		quantized        bool
		dx, dheat, dleft float32
		corrections      uint64
	}{
		{"both within", "tol 1", "tol 20", false, 0, 0.9, 19, 0},
		{"one beyond", "tol 1", "tol 20", false, 0, 1.1, 0, 1},
		{"the other beyond", "tol 1", "tol 20", false, 0, 0, 21, 1},
		{"exact", "tol 1", "tol 0", false, 0, 0, 0.001, 1},
		{"one step by default", "", "", false, 0.0078125, 0.0099, 0.49, 0},
		{"beyond a step", "", "", false, 0, 0, 0.51, 1},
		{"a place beyond a step", "", "", false, 1.1 * fieldtest.Tolerance, 0, 0, 1},
		{"quantized, on the same step", "", "", true, 0.4 * fieldtest.Tolerance, 0, 0, 0},
		{"quantized, on the next", "", "", true, 0.9 * fieldtest.Tolerance, 0, 0, 1},
		{"quantized, a step", "", "", true, fieldtest.Tolerance, 0, 0, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			config := fieldtest.Config(1, 1, fieldtest.Lag(4))
			config.Play = fieldtest.Steady(fieldtest.Walk{})
			config.Protocol = fieldtest.ProtocolWith(fieldtest.OnJoin(fieldtest.JoinWith(Fuel{Left: 500}, Heat{})), func(p *ecs.Protocol) {
				ecs.ReplicateFields[Heat](p, ecs.Predicted, schema.Fields{"Degrees": "-64..64 step 0.01 " + test.heat})
				ecs.ReplicateFields[Fuel](p, ecs.Predicted, schema.Fields{"Left": "0..1000 step 0.5 " + test.fuel})
				if test.quantized {
					p.QuantizeSteps()
				}
			}, fieldtest.Authority(func(w *ecs.World) {
				for _, e := range ecs.Each[struct {
					Pos  *components.Position
					Heat *Heat
					Fuel *Fuel
				}](w) {
					if w.Tick() == 300 {
						e.Pos.X += test.dx
						e.Heat.Degrees += test.dheat
						e.Fuel.Left += test.dleft
					}
				}
			}))
			c := fieldtest.Start(t, config, time.Second)
			c.Run(6 * time.Second)
			k := c.Clients[0]
			if f := k.Figures(); f.Corrections != test.corrections || f.Confirmed < 100 {
				t.Errorf("%d corrections, want %d; %d own states confirmed", f.Corrections, test.corrections, f.Confirmed)
			}
			fieldtest.MustConverge(c)
			mine, theirs, want := fieldtest.Position(k.World(), fieldtest.OwnEntity(k)), fieldtest.Position(c.Server.World(), fieldtest.OwnOnServer(c, k)), test.dx
			if test.quantized || test.corrections > 0 {
				want = 0
			}
			if theirs.X-mine.X != want || test.quantized && mine != fieldtest.Snapped(k.World(), mine) {
				t.Errorf("the client stands at %v, the server's player at %v", mine, theirs)
			}
		})
	}
}

// nudged is a field on which the server moves client 1's player: at tick 600 in X by 2,
// in Y by 10, and its jumps by 3; at 900 in Y alone, by 4.
func nudged(w *ecs.World) {
	for _, p := range ecs.Each[fieldtest.Walker](w) {
		switch {
		case p.Own.Client != 1:
		case w.Tick() == 600:
			p.Pos.X += 2
			p.Pos.Y += 10
			p.Jumps.Count += 3
		case w.Tick() == 900:
			p.Pos.Y += 4
		}
	}
}

// A report of a misprediction names entity, component, its first field that differs, tick and
// input, and has both values. The table of blame has every field that was beyond its
// tolerance: in how many corrections, by how much, when last. Where both sides quantize every
// step no difference is forgiven, and none is missed.
func TestNetcodeE1_BlameNamesEveryField(t *testing.T) {
	t.Parallel()
	for _, quantized := range []bool{false, true} {
		var reports []systems.Mismatch
		config := fieldtest.Config(1, 2, fieldtest.Lag(6))
		config.Protocol = fieldtest.ProtocolWith(fieldtest.Authority(nudged), func(p *ecs.Protocol) {
			if quantized {
				p.QuantizeSteps()
			}
		})
		config.Play = fieldtest.Straight()
		config.Client = func(int) systems.ClientConfig {
			return systems.ClientConfig{Prediction: systems.Prediction{OnMismatch: func(m systems.Mismatch) { reports = append(reports, m) }}}
		}
		c := systemstest.New(t, config)
		ts := fieldtest.WatchServer(c)
		c.Run(20 * time.Second)
		k := fieldtest.ClientByID(c, 1)
		table := k.Causes()
		if n := k.Stats().Corrections; table.Corrections != n || n != 2 {
			t.Fatalf("%d corrections in the table, %d in all", table.Corrections, n)
		}
		for i, want := range []reconcile.Cause{
			{Component: "Position", Field: "Y", Corrections: 2, Share: 1, Largest: 10, Mean: 7, Times: 2, Tick: 901},
			{Component: "Jumps", Field: "Count", Corrections: 1, Share: 0.5, Largest: 3, Mean: 3, Times: 1, Tick: 601},
			{Component: "Position", Field: "X", Corrections: 1, Share: 0.5, Largest: 2, Mean: 2, Times: 1, Tick: 601},
		} {
			if len(table.Rows) != 3 {
				t.Fatalf("%+v", table.Rows)
			}
			r := table.Rows[i]
			if r.Tick < want.Tick || r.Tick > want.Tick+3 {
				t.Errorf("%+v: last at %d, want %d", r, r.Tick, want.Tick)
			}
			if r.Tick = want.Tick; quantized { // what differs by steps differs by floats a little otherwise
				r.Largest, r.Mean = want.Largest, want.Mean
			}
			if r != want {
				t.Errorf("%+v, want %+v", r, want)
			}
		}
		if quantized {
			continue
		}
		if other := fieldtest.ClientByID(c, 2).Causes(); len(other.Rows) > 0 || other.String() != "" {
			t.Errorf("the other client: %+v", other)
		}
		sum := table.Add(table)
		if r := sum.Rows[0]; sum.Corrections != 4 || r.Corrections != 4 || r.Mean != 7 || r.Largest != 10 || r.Share != 1 || table.Rows[0].Corrections != 2 {
			t.Errorf("%+v, of %+v", sum, table)
		}
		if text := table.String(); strings.Count(text, "\n") != 4 || !strings.Contains(text, "Position.Y") || !strings.Contains(text, "100 %") {
			t.Errorf("%s", text)
		}

		mine := c.Server.World().NetID(fieldtest.OwnOnServer(c, k))
		for i, want := range []struct {
			component, field string
			off              float64
			after            uint32
		}{{"Position", "X", 2, 600}, {"Jumps", "Count", 3, 600}, {"Position", "Y", 4, 900}} {
			if len(reports) != 3 {
				t.Fatalf("reports: %+v", reports)
			}
			m := reports[i]
			predicted, err1 := strconv.ParseFloat(m.Predicted, 64)
			truth, err2 := strconv.ParseFloat(m.Truth, 64)
			if err1 != nil || err2 != nil || truth-predicted != want.off || m.Component != want.component || m.Field != want.field || m.NetID != mine {
				t.Errorf("%+v: want %s.%s of entity %d, %v above the prediction", m, want.component, want.field, mine, want.off)
			}
			tr := ts.At[m.Tick]
			if tr == nil || m.Tick <= want.after || m.Tick > want.after+4 || tr.Inputs[k.N] != m.Input {
				t.Errorf("%+v: the first send after tick %d, and the input consumed last, are wanted", m, want.after)
			} else if i == 0 && float32(truth) != tr.Places[mine].X {
				t.Errorf("%+v: the server had X at %v", m, tr.Places[mine].X)
			}
		}
	}
}

// The number of rows of Causes is limited. Further causes are counted together.
func TestNetcodeE1_BlameIsBounded(t *testing.T) {
	type wide struct {
		V [reconcile.MaxCauses + 20]uint16 `net:"0..1000"`
	}
	config := fieldtest.Config(1, 1, fieldtest.Lag(2))
	config.Protocol = fieldtest.ProtocolWith(fieldtest.OnJoin(fieldtest.JoinWith(wide{})), fieldtest.Predicted[wide], fieldtest.Authority(func(w *ecs.World) {
		for _, r := range ecs.Each[struct{ V *wide }](w) {
			for i := range r.V.V {
				if w.Tick()%120 == 0 {
					r.V.V[i]++
				}
			}
		}
	}))
	c := fieldtest.Start(t, config, 10*time.Second)
	table := fieldtest.ClientByID(c, 1).Causes()
	if len(table.Rows) != reconcile.MaxCauses || table.Unlisted == 0 || table.Unlisted%20 != 0 || !strings.Contains(table.String(), "others") {
		t.Errorf("%d rows, %d values in none", len(table.Rows), table.Unlisted)
	}
}

// noteSystems makes a schedule note when systems run.
func noteSystems(ran *[]string, names ...string) func(s *ecs.Schedule) error {
	return func(s *ecs.Schedule) (err error) {
		for _, name := range names {
			err = errors.Join(err, s.Wrap(name, func(run func(*ecs.World)) func(*ecs.World) {
				return func(w *ecs.World) {
					*ran = append(*ran, name)
					run(w)
				}
			}))
		}
		return err
	}
}

// A client receives once, gathers and applies once for every tick, and sends once, in this
// order, also when it catches up; no two of its ticks share an input. It draws after.
func TestNetcodeA7_ClientCatchesUpTickByTick(t *testing.T) {
	var ran []string
	config := fieldtest.Config(1, 1, fieldtest.Lag(3))
	config.Play = fieldtest.Straight() // a filler is as good as the input: no replays
	config.Client = func(int) systems.ClientConfig {
		return systems.ClientConfig{Schedule: noteSystems(&ran, "Receive", "Reconcile", "InputGather", "Predict", "Send", "Interpolate")}
	}
	c := fieldtest.Start(t, config, time.Second)
	k := c.Clients[0]
	j, server := fieldtest.KeepJournal(k.World()), fieldtest.KeepJournal(c.Server.World())
	caught, single := 0, 0
	c.OnClientTick(func(k *systemstest.Client) {
		n := len(j.Steps)
		want := []string{"Receive", "Reconcile"}
		for i, s := range j.Steps {
			want = append(want, "InputGather", "Predict")
			if s.In.N != uint16(k.Input())-uint16(n)+1+uint16(i) {
				t.Fatalf("step %d of %d took input %d, the newest is %d", i+1, n, s.In.N, k.Input())
			}
		}
		if want = append(want, "Send"); !slices.Equal(ran, want) {
			t.Fatalf("%d steps ran %v, not %v", n, ran, want)
		}
		if n > 1 {
			caught++
		} else {
			single += n
		}
		ran, j.Steps = nil, nil
	})
	c.OnFrame(func(*systemstest.Client) {
		if len(ran) != 1 || ran[0] != "Interpolate" {
			t.Fatalf("a frame ran %v, not Interpolate", ran)
		}
		ran = nil
	})
	ran = nil
	for range 10 {
		k.Stall(fieldtest.Ticks(4))
		c.Run(time.Second)
	}
	if caught != 10 || single < 500 {
		t.Errorf("caught up %d times of 10, beside %d steps", caught, single)
	}
	seen := map[uint16]bool{}
	for _, s := range server.ForOwner(k.ID()) {
		seen[s.In.N] = true
	}
	if f := k.Figures(); len(seen) < int(f.Consumed)-120 || f.Corrections != 0 {
		t.Errorf("the server stepped %d different inputs of %d, %d corrections", len(seen), f.Consumed, f.Corrections)
	}
}

// A server that catches up receives once, consumes one input of each client in every tick, and sends the state of each tick in which
// a send is due.
func TestNetcodeA7_ServerCatchesUpTickByTick(t *testing.T) {
	var ran []string
	config := fieldtest.Config(1, 2, fieldtest.Lag(3))
	config.Server.Snapshots.SendRate = 20
	config.Server.Schedule = noteSystems(&ran, "Receive", "ServerApply", "Snapshot", "Send")
	c := systemstest.New(t, config)
	j := fieldtest.KeepJournal(c.Server.World())
	c.Run(3 * time.Second)
	last, updates, caught := c.Server.Tick(), c.Server.Stats().Updates, 0
	const every = ecs.DefaultTickRate / 20 // ticks between sends
	c.OnServerTick(func() {
		n, want, sends := int(c.Server.Tick()-last), []string{"Receive"}, uint64(0)
		for tick := last + 1; tick <= c.Server.Tick(); tick++ {
			want = append(want, "ServerApply")
			if send := tick%every == 0; send || tick == c.Server.Tick() {
				if want = append(want, "Snapshot", "Send"); send {
					sends++
				}
			}
		}
		if !slices.Equal(ran, want) {
			t.Fatalf("%d ticks ran %v, not %v", n, ran, want)
		}
		if got := c.Server.Stats().Updates - updates; got != 2*sends {
			t.Fatalf("%d updates to 2 clients in %d sends", got, sends)
		}
		if n > 1 {
			caught++
		}
		last, updates, ran = c.Server.Tick(), c.Server.Stats().Updates, nil
	})
	ran = nil
	for range 10 {
		c.StallServer(fieldtest.Ticks(5))
		c.Run(time.Second)
	}
	if caught != 10 {
		t.Errorf("caught up %d times of 10", caught)
	}
	for _, k := range c.Clients {
		fieldtest.MustBeInOrder(t, j.ForOwner(k.ID()))
	}
	c.NoCorrections()
}
