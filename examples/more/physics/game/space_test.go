package game

import (
	"math"
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// yard is a world stepped by hand.
type yard struct{ *ecs.World }

func newYard(kept bool, crates int) *yard {
	y := &yard{ecs.NewWorld(Protocol(kept), ecs.Config{})}
	populate(y.World, crates)
	return y
}

func (y *yard) step(n int) { systemstest.Step(y.World, n) }

// player drops a ball that rolls.
func (y *yard) player(client uint32, x float64, roll int8) ecs.Entity {
	return y.Spawn(components.Owner{Client: client}, Body{X: x, Y: 400}, Input{Roll: roll})
}

// Stacks do not fall, and standing bodies do not move.
func TestStacksStand(t *testing.T) {
	y := newYard(false, 12)
	y.step(120)
	at := map[ecs.Entity]Body{}
	for e, r := range ecs.All[struct{ Body Body }](y.World) {
		at[e] = r.Body
	}
	y.step(600)
	for e, r := range ecs.All[struct{ Body Body }](y.World) {
		b := at[e]
		if moved := math.Hypot(r.Body.X-b.X, r.Body.Y-b.Y); moved > 0.01 || !b.Stands || math.Abs(b.Angle) > 0.01 {
			t.Errorf("%v was %+v and is %+v", e, b, r.Body)
		}
	}
}

// Keys roll a ball. It can jump when it stands on something.
func TestDrive(t *testing.T) {
	y := newYard(false, 0)
	p := y.player(1, 200, 1)
	y.step(120)
	b := *ecs.Get[Body](y.World, p)
	if b.X < 300 || b.Spin <= 0 || !b.Stands {
		t.Fatalf("it rolls to %+v", b)
	}
	*ecs.Get[Input](y.World, p) = Input{Jump: true}
	y.step(10)
	up := *ecs.Get[Body](y.World, p)
	if up.Y > b.Y-30 || up.Stands {
		t.Errorf("it jumps to %+v", up)
	}
	if y.step(3); ecs.Get[Body](y.World, p).VY < up.VY {
		t.Error("it jumps in the air")
	}
}

// The result of a tick depends only on components: a world whose space has another past has the same result, bit for bit.
func TestPastDoesNotMatter(t *testing.T) {
	y := newYard(false, 12)
	y.player(1, 100, 1)
	y.player(2, 850, -1)
	y.step(200)
	h := ecs.NewWorldHistory(y.World, 1)
	h.Capture(y.Tick())
	state, err := h.AppendState(nil, y.Tick())
	if err != nil {
		t.Fatal(err)
	}
	other := newYard(false, 30)
	other.player(1, 300, -1)
	other.step(77)
	if err := other.Netcode().ReadState(state); err != nil {
		t.Fatal(err)
	}
	other.Netcode().SetTick(y.Tick())
	for range 300 {
		y.step(1)
		other.step(1)
		if d, differs := ecs.Differs(y.World, other.World); differs {
			t.Fatalf("tick %d: %v", y.Tick(), d)
		}
	}
}

// A repeated tick has the same result, except with a space that keeps its contents.
func TestForcedRollback(t *testing.T) {
	for _, kept := range []bool{false, true} {
		y := newYard(kept, 12)
		y.player(1, 100, 1)
		y.player(2, 850, -1)
		var found []ecs.Divergence
		y.ForceRollback(func(d ecs.Divergence) { found = append(found, d) })
		y.step(300)
		if !kept && len(found) > 0 {
			t.Error(found[0])
		}
		if kept && (len(found) < 100 || found[0].System != "physics" || found[0].Component != "Body") {
			t.Errorf("with -keep %d ticks are found, %v", len(found), found[:min(len(found), 1)])
		}
	}
}

// Each second, the highest ball that stands on something above the ground has a point. A ball in the air has none.
func TestScore(t *testing.T) {
	y := newYard(false, 3)
	balls := map[string]ecs.Entity{}
	for name, b := range map[string]Body{
		"ground": {X: 100, Y: Height - 10 - Radius}, "crate": {X: Width / 2, Y: Height - 10 - Side - Radius}, "air": {X: 800, Y: -1000},
	} {
		balls[name] = y.Spawn(components.Owner{Client: uint32(len(balls) + 1)}, b, Score{}, Input{})
	}
	y.step(y.TickRate())
	for name, want := range map[string]uint16{"ground": 0, "crate": 1, "air": 0} {
		if got := ecs.Get[Score](y.World, balls[name]).Points; got != want {
			t.Errorf("%s: %d points after a second, want %d", name, got, want)
		}
	}
}
