package systems_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/reconcile"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// Whatever a client simulates, in its ticks and in replays, is its own. Others
// stand in its world where the newest snapshot says, not a tick further.
func TestNetcodeA4_OthersAreConfirmedNeverSimulated(t *testing.T) {
	systemstest.Seeds(t, 4, func(t *testing.T, seed uint64) {
		config := onField(seed, 4, systemstest.RoundTrip(200*time.Millisecond, 50*time.Millisecond, 0.05))
		config.Protocol = fieldWith(pushAt(func(tick, owner uint32) (components.Position, bool) {
			return components.Position{X: 3}, tick%97 == owner // so that there are replays
		}))
		c := systemstest.New(t, config)
		ts := watchTruth(c)
		compared := 0
		c.OnClientTick(func(k *systemstest.Client) {
			j := journalOf(k.World())
			for _, s := range j.steps {
				if s.owner != k.ID() {
					t.Fatalf("%v simulated entity %d of client %d", k, s.id, s.owner)
				}
			}
			j.steps = j.steps[:0]
			mine, ok := k.Own(k.World())
			tr := ts.at[k.ServerTick()]
			if !ok || tr == nil {
				return
			}
			for id, p := range places(k.World()) {
				if id == k.World().NetID(mine) {
					continue
				}
				compared++
				want := tr.places[id]
				if off := math.Hypot(float64(p.X-want.X), float64(p.Y-want.Y)); off > tolerance {
					t.Fatalf("%v at its tick %d: entity %d stands at %v, the server had it at %v after tick %d", k, k.Input(), id, p, want, k.ServerTick())
				}
			}
		})
		c.Run(10 * time.Second)
		replays := uint64(0)
		for _, k := range c.Clients {
			replays += k.Figures().Corrections
		}
		if compared < 4*400*7 || replays == 0 {
			t.Errorf("%d places compared, %d corrections", compared, replays)
		}
	})
}

// nudgeOnce moves the player of client 1 by d at one tick, on the server alone.
func nudgeOnce(at uint32, d components.Position) func(tick, owner uint32) (components.Position, bool) {
	return func(tick, owner uint32) (components.Position, bool) { return d, tick == at && owner == 1 }
}

// A prediction that is right up to the tolerance stands: it is neither corrected
// nor replaced by the server's value.
func TestNetcodeA5_ApproximatelyEqualIsConfirmed(t *testing.T) {
	const nudge = 0.0078125 // below the tolerance, and exact
	config := onField(1, 2, lag(5))
	config.Protocol = fieldWith(pushAt(nudgeOnce(300, components.Position{X: nudge})))
	config.Play = straight()
	c := systemstest.New(t, config)
	c.Connect()
	c.Run(time.Second)
	c.Mark()
	c.Run(10 * time.Second)
	c.NoCorrections()
	k := client(c, 1)
	if f := k.Figures(); f.Confirmed < 195 || f.Resimulated != 0 {
		t.Errorf("%d own states confirmed, %d ticks simulated again", f.Confirmed, f.Resimulated)
	}
	c.Settle()
	mine, _ := k.Own(k.World())
	got, truth := place(k.World(), mine), place(c.Server.World(), own(c, k))
	if off := truth.X - got.X; off != nudge {
		t.Errorf("the client stands %v from the server; a prediction that was confirmed stays, so it should be %v", off, nudge)
	}
}

// A wrong prediction is replaced by the server's state after input s, and exactly
// the inputs s+1 to the newest are stepped again, each once, in order.
func TestNetcodeA5_MismatchReplaysExactlyTheRest(t *testing.T) {
	config := onField(1, 2, systemstest.RoundTrip(150*time.Millisecond, 30*time.Millisecond, 0.02))
	config.Protocol = fieldWith(pushAt(func(tick, owner uint32) (components.Position, bool) {
		return components.Position{X: 0.0625, Y: -0.0625}, tick%120 == 60 && owner == 1
	}))
	c := systemstest.New(t, config)
	c.Connect()
	c.Run(3 * time.Second)
	ts := watchTruth(c)
	c.Run(time.Second)
	c.Mark()
	var before systemstest.Figures
	corrected := 0
	c.OnClientTick(func(k *systemstest.Client) {
		if k.ID() != 1 {
			return
		}
		j, f := journalOf(k.World()), k.Figures()
		steps := j.steps
		j.steps = nil
		if f.Corrections == before.Corrections {
			if len(steps) > 1 {
				t.Fatalf("input %d: %d steps in a tick without a correction", k.Input(), len(steps))
			}
			before = f
			return
		}
		before = f
		corrected++
		s := ts.at[k.ConfirmedTick()].inputs[k.N]
		if want := int(k.Input() - s); len(steps) != want {
			t.Fatalf("input %d: a state after input %d was corrected in %d steps, not %d", k.Input(), s, len(steps)-1, want-1)
		}
		for i, st := range steps {
			if st.in.N != uint16(s)+1+uint16(i) {
				t.Fatalf("step %d of a replay after input %d took input %d", i, s, st.in.N)
			}
		}
	})
	c.Run(20 * time.Second)
	if corrected != 10 {
		t.Errorf("%d corrections of 10 nudges", corrected)
	}
}

// A state that was overtaken by a newer one is dropped: it is neither confirmed
// nor adopted.
func TestNetcodeA5_OlderTickIsDropped(t *testing.T) {
	c := systemstest.New(t, onField(1, 1, lag(2)))
	k := c.Clients[0]
	c.RunUntil(time.Minute, func() bool { return c.Server.Tick() == 301 })
	c.Mark()
	k.SetLinks(lag(2), lag(19))
	c.RunTicks(3) // the snapshot of tick 303 takes 19 ticks, and comes alone
	k.SetLinks(lag(2), lag(2))
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
	config := onField(1, 1, lag(15))
	config.Protocol = fieldWith(pushAt(nudgeOnce(600, components.Position{X: 40})))
	config.Play = straight()
	config.Client = func(int) systems.ClientConfig { return systems.ClientConfig{History: kept} }
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
		jumped := x != 0 && place(k.World(), e).X != x+inputLimit
		x = place(k.World(), e).X
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
	f := client(c, 1).Figures()
	if f.Corrections != 0 || f.Confirmed != 0 || f.StaleStates < 99 {
		t.Errorf("%d own states corrected, %d confirmed, %d stale; all 100 are older than the history", f.Corrections, f.Confirmed, f.StaleStates)
	}
	if adoptions < 4 || jumps != 1 {
		t.Errorf("%d adoptions in 5 s, of which %d moved the player; the push was one", adoptions, jumps)
	}
}

// A report of a misprediction names entity, component, field, tick and input, and
// has both values.
func TestNetcodeE1_MismatchNamesEverything(t *testing.T) {
	var reports []systems.Mismatch
	config := onField(1, 2, lag(6))
	config.Protocol = fieldWith(func(w *ecs.World) {
		type player struct {
			Pos   *components.Position
			Jumps *Jumps
			Own   *components.Owner
		}
		for _, p := range ecs.Each[player](w) {
			if p.Own.Client == 1 && w.Tick() == 600 {
				p.Pos.Y += 10
				p.Jumps.Count += 3
			}
		}
	})
	config.Client = func(int) systems.ClientConfig {
		return systems.ClientConfig{OnMismatch: func(m systems.Mismatch) { reports = append(reports, m) }}
	}
	c := systemstest.New(t, config)
	ts := watchTruth(c)
	c.RunUntil(time.Minute, func() bool { return c.Server.Tick() == 600 })
	reports = nil
	c.Run(2 * time.Second)

	k := client(c, 1)
	mine := c.Server.World().NetID(own(c, k))
	if len(reports) != 2 {
		t.Fatalf("reports: %+v; want one of Position.Y and one of Jumps.Count", reports)
	}
	for i, want := range []struct {
		component, field string
		off              float64
	}{{"Position", "Y", 10}, {"Jumps", "Count", 3}} {
		m := reports[i]
		predicted, err1 := strconv.ParseFloat(m.Predicted, 64)
		truth, err2 := strconv.ParseFloat(m.Truth, 64)
		if err1 != nil || err2 != nil || truth-predicted != want.off {
			t.Errorf("%+v: truth should be %v above the prediction", m, want.off)
		}
		if m.Component != want.component || m.Field != want.field || m.NetID != mine {
			t.Errorf("%+v: want %s.%s of entity %d", m, want.component, want.field, mine)
		}
		tr := ts.at[m.Tick]
		if tr == nil || m.Tick <= 600 || m.Tick > 604 || tr.inputs[k.N] != m.Input {
			t.Errorf("%+v: the first send after tick 600, and the input consumed last, are wanted", m)
		} else if i == 0 && float32(truth) != tr.places[mine].Y {
			t.Errorf("%+v: the server had Y at %v", m, tr.places[mine].Y)
		}
	}
}

// Fuel is predicted with a tolerance of its own.
type Fuel struct {
	Left float32 `net:"0..1000 step 0.5"`
}

// Each component has its own tolerance: what is within it is confirmed, what is
// beyond it corrected. A component compared exactly forgives nothing.
func TestNetcodeE1_ToleranceIsPerComponent(t *testing.T) {
	for _, test := range []struct {
		name        string
		position    string // tolerance
		fuel        string
		dx, dleft   float32
		corrections uint64
	}{
		{"both within", "tol 1", "tol 20", 0.9, 19, 0},
		{"one beyond", "tol 1", "tol 20", 1.1, 0, 1},
		{"the other beyond", "tol 1", "tol 20", 0, 21, 1},
		{"exact", "tol 1", "tol 0", 0, 0.001, 1},
		{"one step by default", "", "", 0.0099, 0.49, 0},
		{"beyond a step", "", "", 0, 0.51, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			config := onField(1, 1, lag(4))
			config.Server.Join = func(w *ecs.World, client uint32) {
				w.Spawn(components.Owner{Client: client}, components.Position{}, Fuel{Left: 500}, Jumps{}, Walk{})
			}
			config.Play = steady(Walk{})
			config.Protocol = func() *ecs.Protocol {
				p := ecs.NewProtocol("fuel/1")
				xy := "-8192..8192 step 0.01 " + test.position
				ecs.ReplicateFields[components.Position](p, ecs.Predicted, schema.Fields{"X": xy, "Y": xy})
				ecs.ReplicateFields[Fuel](p, ecs.Predicted, schema.Fields{"Left": "0..1000 step 0.5 " + test.fuel})
				ecs.Replicate[Jumps](p, ecs.Predicted)
				ecs.Local[Drift](p, 0)
				ecs.Input[Walk](p)
				p.Simulate("walk", walk)
				p.Authority("nudge", func(w *ecs.World) {
					type tank struct {
						Pos  *components.Position
						Fuel *Fuel
					}
					for _, e := range ecs.Each[tank](w) {
						if w.Tick() == 300 {
							e.Pos.X += test.dx
							e.Fuel.Left += test.dleft
						}
					}
				})
				return p
			}
			c := systemstest.New(t, config)
			c.Connect()
			c.Run(time.Second)
			c.Mark()
			c.Run(10 * time.Second)
			if f := c.Clients[0].Figures(); f.Corrections != test.corrections || f.Confirmed < 190 {
				t.Errorf("%d corrections, want %d; %d own states confirmed", f.Corrections, test.corrections, f.Confirmed)
			}
			c.Settle()
			c.Converged()
		})
	}
}

// nudged is a field on which the server moves client 1's player: at tick 600 in X by 2,
// in Y by 10, and its jumps by 3; at 900 in Y alone, by 4.
func nudged(w *ecs.World) {
	type player struct {
		Pos   *components.Position
		Jumps *Jumps
		Own   *components.Owner
	}
	for _, p := range ecs.Each[player](w) {
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

// The table of blame has every field that was beyond its tolerance, not the first of each
// component alone: in how many corrections, by how much, when last.
func TestNetcodeE1_BlameNamesEveryField(t *testing.T) {
	config := onField(1, 2, lag(6))
	config.Protocol = fieldWith(nudged)
	config.Play = steady(Walk{})
	c := systemstest.New(t, config)
	c.Connect()
	c.Run(20 * time.Second)
	table := client(c, 1).Causes()
	if n := client(c, 1).Stats().Corrections; table.Corrections != n || n != 2 {
		t.Fatalf("%d corrections in the table, %d in all", table.Corrections, n)
	}
	want := []reconcile.Cause{
		{Component: "Position", Field: "Y", Corrections: 2, Share: 1, Largest: 10, Mean: 7, Times: 2},
		{Component: "Jumps", Field: "Count", Corrections: 1, Share: 0.5, Largest: 3, Mean: 3, Times: 1},
		{Component: "Position", Field: "X", Corrections: 1, Share: 0.5, Largest: 2, Mean: 2, Times: 1},
	}
	if len(table.Rows) != len(want) {
		t.Fatalf("%+v", table.Rows)
	}
	for i, r := range table.Rows {
		from := uint32(601)
		if r.Field == "Y" {
			from = 901
		}
		if r.Tick < from || r.Tick > from+3 {
			t.Errorf("%+v: last at %d, want %d", r, r.Tick, from)
		}
		r.Tick = 0
		if r != want[i] {
			t.Errorf("%+v, want %+v", r, want[i])
		}
	}
	if other := client(c, 2).Causes(); len(other.Rows) > 0 || other.String() != "" {
		t.Errorf("the other client: %+v", other)
	}
	sum := table.Add(table)
	if r := sum.Rows[0]; sum.Corrections != 4 || r.Corrections != 4 || r.Mean != 7 || r.Largest != 10 || r.Share != 1 || table.Rows[0].Corrections != 2 {
		t.Errorf("%+v, of %+v", sum, table)
	}
	if text := table.String(); strings.Count(text, "\n") != 4 || !strings.Contains(text, "Position.Y") || !strings.Contains(text, "100 %") {
		t.Errorf("%s", text)
	}
}

// Where both sides quantize every step no difference is forgiven, and none is missed.
func TestNetcodeE1_BlameOfQuantizedSteps(t *testing.T) {
	config := onField(1, 1, lag(6))
	config.Protocol = func() *ecs.Protocol {
		p := fieldWith(nudged)()
		p.QuantizeSteps()
		return p
	}
	config.Play = steady(Walk{})
	c := systemstest.New(t, config)
	c.Connect()
	c.Run(20 * time.Second)
	var got []string
	for _, r := range client(c, 1).Causes().Rows {
		got = append(got, fmt.Sprint(r.Component, ".", r.Field, " ", r.Corrections))
	}
	if s := strings.Join(got, ", "); s != "Position.Y 2, Jumps.Count 1, Position.X 1" {
		t.Error(s)
	}
}

// What is wrong about co-simulated entities has rows of its own.
func TestNetcodeE1_BlameOfTheCoSimulated(t *testing.T) {
	config := onPitch(1, 2, 1, ticks(6), systems.ScopeCoSimulated)
	config.Play = steady(Walk{})
	config.Protocol = pitch(func(p *ecs.Protocol) {
		p.Authority("wind", func(w *ecs.World) {
			for _, b := range ecs.Each[ball](w) {
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

// The account of a client is bounded: what has no row is counted together.
func TestNetcodeE1_BlameIsBounded(t *testing.T) {
	type wide struct {
		V [reconcile.MaxCauses + 20]uint16 `net:"0..1000"`
	}
	config := onField(1, 1, lag(2))
	config.Server.Join = func(w *ecs.World, client uint32) { w.Spawn(components.Owner{Client: client}, wide{}, Walk{}) }
	config.Protocol = func() *ecs.Protocol {
		p := field()
		ecs.Replicate[wide](p, ecs.Predicted)
		p.Authority("test", func(w *ecs.World) {
			for _, r := range ecs.Each[struct{ V *wide }](w) {
				if w.Tick()%120 == 0 {
					for i := range r.V.V {
						r.V.V[i]++
					}
				}
			}
		})
		return p
	}
	c := systemstest.New(t, config)
	c.Connect()
	c.Run(10 * time.Second)
	table := client(c, 1).Causes()
	if len(table.Rows) != reconcile.MaxCauses || table.Unlisted == 0 || table.Unlisted%20 != 0 || !strings.Contains(table.String(), "others") {
		t.Errorf("%d rows, %d values in none", len(table.Rows), table.Unlisted)
	}
}

// A client that catches up receives once, gathers and applies once for every
// tick, and sends once; no two of its ticks share an input.
func TestNetcodeA7_ClientCatchesUpTickByTick(t *testing.T) {
	var ran []string
	config := onField(1, 1, lag(3))
	config.Play = straight() // a filler is as good as the input: no replays
	config.Client = func(int) systems.ClientConfig {
		return systems.ClientConfig{Schedule: noteSystems(&ran, "Receive", "Reconcile", "InputGather", "Predict", "Send")}
	}
	c := systemstest.New(t, config)
	c.Connect()
	c.Run(time.Second)
	k := c.Clients[0]
	j := journalOf(k.World())
	caught := 0
	c.OnClientTick(func(k *systemstest.Client) {
		n := len(j.steps)
		want := []string{"Receive", "Reconcile"}
		for range n {
			want = append(want, "InputGather", "Predict")
		}
		want = append(want, "Send")
		if !slices.Equal(ran, want) {
			t.Fatalf("%d steps ran %v, not %v", n, ran, want)
		}
		for i, s := range j.steps {
			if s.in.N != uint16(k.Input())-uint16(n)+1+uint16(i) {
				t.Fatalf("step %d of %d took input %d, the newest is %d", i+1, n, s.in.N, k.Input())
			}
		}
		if n > 1 {
			caught++
		}
		ran, j.steps = nil, nil
	})
	ran = nil
	server := journalOf(c.Server.World())
	for range 10 {
		k.Stall(ticks(4))
		c.Run(time.Second)
	}
	if caught != 10 {
		t.Errorf("caught up %d times of 10", caught)
	}
	seen := map[uint16]bool{}
	for _, s := range server.of(k.ID()) {
		seen[s.in.N] = true
	}
	if f := k.Figures(); len(seen) < int(f.Consumed)-120 || f.Corrections != 0 {
		t.Errorf("the server stepped %d different inputs of %d, %d corrections", len(seen), f.Consumed, f.Corrections)
	}
}

// A server that catches up receives once, consumes one input of each client in
// every tick, and sends one state: the newest, not one for each tick.
func TestNetcodeA7_ServerCatchesUpTickByTick(t *testing.T) {
	var ran []string
	config := onField(1, 2, lag(3))
	config.Server.Schedule = noteSystems(&ran, "Receive", "ServerApply", "Snapshot", "Send")
	c := systemstest.New(t, config)
	j := journalOf(c.Server.World())
	c.Connect()
	c.Run(3 * time.Second)
	last := c.Server.Tick()
	updates := c.Server.Stats().Updates
	caught := 0
	c.OnServerTick(func() {
		n := int(c.Server.Tick() - last)
		last = c.Server.Tick()
		want := []string{"Receive"}
		for range n {
			want = append(want, "ServerApply")
		}
		want = append(want, "Snapshot", "Send")
		if !slices.Equal(ran, want) {
			t.Fatalf("%d ticks ran %v, not %v", n, ran, want)
		}
		if n > 1 {
			caught++
			if got := c.Server.Stats().Updates - updates; got != 2 {
				t.Fatalf("%d updates to 2 clients after %d ticks at once", got, n)
			}
		}
		updates = c.Server.Stats().Updates
		ran = nil
	})
	ran = nil
	for range 10 {
		c.StallServer(ticks(5))
		c.Run(time.Second)
	}
	if caught != 10 {
		t.Errorf("caught up %d times of 10", caught)
	}
	for _, k := range c.Clients {
		steps := j.of(k.ID())
		for i := 1; i < len(steps); i++ {
			if steps[i].tick <= steps[i-1].tick || steps[i].in.N != steps[i-1].in.N+1 {
				t.Fatalf("%v: tick %d consumed input %d after tick %d with input %d", k,
					steps[i].tick, steps[i].in.N, steps[i-1].tick, steps[i-1].in.N)
			}
		}
	}
	c.NoCorrections()
}

// Tick inside Simulate is the same on both sides: the tick in which the server
// consumes an input is the one for which the client predicted it, the first time
// and in every replay, while the buffer does not hold.
func TestNetcodeA8_TickIsTheServers(t *testing.T) {
	systemstest.Seeds(t, 4, func(t *testing.T, seed uint64) {
		config := onField(seed, 3, bad())
		config.Protocol = fieldWith(pushAt(func(tick, owner uint32) (components.Position, bool) {
			return components.Position{Y: 2}, tick%90 == owner // so that there are replays
		}))
		c := systemstest.New(t, config)
		c.Connect()
		c.Run(15 * time.Second)
		c.Mark()
		server := journalOf(c.Server.World())
		for _, k := range c.Clients {
			journalOf(k.World())
		}
		c.Run(10 * time.Second)
		for _, k := range c.Clients {
			consumed := map[uint16]uint32{}
			for _, s := range server.of(k.ID()) {
				consumed[s.in.N] = s.tick
			}
			compared := 0
			for _, s := range journalOf(k.World()).steps {
				if tick, ok := consumed[s.in.N]; ok {
					compared++
					if tick != s.tick {
						t.Fatalf("%v predicted input %d for tick %d, the server consumed it in tick %d", k, s.in.N, s.tick, tick)
					}
				}
			}
			if f := k.Figures(); f.Holds != 0 || f.Missing != 0 || compared < 600 || f.Resimulated == 0 {
				t.Errorf("%v: %d holds, %d missing, %d steps compared, %d of them in replays", k, f.Holds, f.Missing, compared, f.Resimulated)
			}
		}
	})
}

// Doors and platforms that follow the tick line up with what clients predict.
func TestNetcodeA8_DoorsAndPlatformsLineUp(t *testing.T) {
	protocol := func() *ecs.Protocol {
		p := fieldBase()
		p.Simulate("walk", walk)
		p.Simulate("platform", func(w *ecs.World) {
			for _, d := range ecs.Each[walker](w) {
				d.Pos.Y = 20 * float32(math.Sin(float64(w.Tick())/30))
			}
		})
		p.Simulate("door", func(w *ecs.World) {
			const every = 45
			for _, d := range ecs.Each[walker](w) {
				if w.Tick()/every%2 == 0 && d.Pos.X > 20 {
					d.Pos.X = 20
				}
			}
		})
		return p
	}
	systemstest.Seeds(t, 4, func(t *testing.T, seed uint64) {
		config := onField(seed, 3, bad())
		config.Protocol = protocol
		config.Play = systemstest.Play(func(k *systemstest.Client, in *Walk) {
			in.DX = 1
			if k.Input()%400 > 250 {
				in.DX = -1
			}
		})
		c := systemstest.New(t, config)
		c.Connect()
		c.Run(15 * time.Second)
		c.Mark()
		c.Run(20 * time.Second)
		for _, k := range c.Clients {
			if f := k.Figures(); f.Holds != 0 || f.Confirmed < 200 {
				t.Errorf("%v: %d holds, %d own states confirmed", k, f.Holds, f.Confirmed)
			}
		}
		c.NoCorrections()
		c.Settle()
		c.Converged()
	})
}
