package systems_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/reconcile"
	"github.com/tactusgo/tactus/systems/systemstest"
)

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
