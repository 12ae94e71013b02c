package game

import (
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// yard is a world as a server has it, stepped by hand.
type yard struct {
	*ecs.World
}

func newYard(drift bool) *yard {
	return &yard{ecs.NewWorld(Protocol(drift), ecs.Config{})}
}

func (y *yard) player(client uint32, x, py float32) ecs.Entity {
	return y.Spawn(components.Owner{Client: client}, components.Position{X: x, Y: py}, components.Heading{}, Kid{}, Score{}, Input{})
}

func (y *yard) step(n int) { systemstest.Step(y.World, n) }

func (y *yard) press(e ecs.Entity, in Input) { *ecs.Get[Input](y.World, e) = in }

func (y *yard) balls() (all []snowball) {
	for _, b := range ecs.All[snowball](y.World) {
		all = append(all, b)
	}
	return all
}

// A snowball starts at its thrower and flies where the thrower looks, at most one per reload. By its key, the client's
// snowball is matched with the server's.
func TestThrow(t *testing.T) {
	y := newYard(false)
	p := y.player(1, 300, 300)
	y.press(p, Input{Aim: 16384, Throw: true, X: 1})
	y.step(1)
	all := y.balls()
	if len(all) != 1 || all[0].Pos != (components.Position{X: 300, Y: 300}) || all[0].Vel.Y != ballSpeed || all[0].Owner.Client != 1 {
		t.Fatalf("in the first tick there are %+v", all)
	}
	for _, k := range ecs.All[struct{ Key ecs.SpawnKey }](y.World) {
		if k.Key != (ecs.SpawnKey{Owner: 1, Input: 1}) {
			t.Errorf("the key is %+v", k.Key)
		}
	}
	y.step(29)
	if n := len(y.balls()); n != 1 {
		t.Errorf("before the arm is ready there are %d", n)
	}
	if y.step(1); len(y.balls()) != 2 || ecs.Get[Kid](y.World, p).Thrown != 2 {
		t.Errorf("then there are %d", len(y.balls()))
	}
	y.press(p, Input{})
	if y.step(120); len(y.balls()) != 0 {
		t.Errorf("after their time %d are left", len(y.balls()))
	}
}

// Trees and the fence stop snowballs. A kid behind a tree is not hit.
func TestStops(t *testing.T) {
	tree := Trees[1]
	for _, at := range []components.Position{{X: tree.X - 100, Y: tree.Y}, {X: Width - 100, Y: 60}} {
		y := newYard(false)
		y.press(y.player(1, at.X, at.Y), Input{Throw: true})
		behind := y.player(2, tree.X+60, tree.Y)
		y.step(29)
		if all := y.balls(); len(all) != 1 || all[0].Vel.X != 0 || all[0].Pos.X > at.X+110 {
			t.Errorf("thrown from %v: %+v", at, all)
		}
		if ecs.Get[Kid](y.World, behind).Hit != 0 {
			t.Error("through a tree somebody is hit")
		}
	}
}

// A kid that is hit lies down for a while, throws nothing, and cannot be hit again at once.
func TestHit(t *testing.T) {
	y := newYard(false)
	thrower, victim := y.player(1, 300, 60), y.player(2, 400, 60)
	y.press(thrower, Input{Throw: true})
	y.press(victim, Input{Throw: true, X: 1, Aim: 32768})
	y.step(25)
	kid := ecs.Get[Kid](y.World, victim)
	if kid.Hit == 0 || !kid.Down(y.World) || ecs.Get[Score](y.World, thrower).Hits != 1 {
		t.Fatalf("after the hit: %+v, %+v", *kid, *ecs.Get[Score](y.World, thrower))
	}
	at := *ecs.Get[components.Position](y.World, victim)
	thrown := kid.Thrown
	y.step(20)
	if kid = ecs.Get[Kid](y.World, victim); *ecs.Get[components.Position](y.World, victim) != at || kid.Thrown != thrown {
		t.Error("who is down walks or throws")
	}
	y.step(30)
	if kid = ecs.Get[Kid](y.World, victim); kid.Down(y.World) || kid.Hit == 0 || ecs.Get[Score](y.World, thrower).Hits != 1 {
		t.Errorf("up again: %+v, %+v", *kid, *ecs.Get[Score](y.World, thrower))
	}
}

// Repeated ticks have the same result, except with the drift rule, which shows what happens otherwise.
func TestForcedRollback(t *testing.T) {
	for _, drift := range []bool{false, true} {
		y := newYard(drift)
		for i := range uint32(3) {
			p := y.player(i+1, 100+float32(i)*80, 100)
			y.press(p, Input{X: 1, Throw: true, Aim: uint16(i) * 20000})
		}
		var found []ecs.Divergence
		y.ForceRollback(func(d ecs.Divergence) { found = append(found, d) })
		y.step(120)
		if !drift && len(found) > 0 {
			t.Error(found[0])
		}
		if drift && (len(found) == 0 || found[0].System != "drift" || found[0].Field != "X") {
			t.Errorf("with -drift %d ticks are found, %v", len(found), found[:min(len(found), 1)])
		}
	}
}
