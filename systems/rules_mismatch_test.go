package systems_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/tactusgo/tactus/codec/schema"
	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/systemstest"
)

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
