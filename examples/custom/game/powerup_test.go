package game

import (
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
)

// A boost makes exactly its time's number of steps longer, and the power-up is
// back exactly its time after.
func TestBoostLastsItsTime(t *testing.T) {
	y := newYard()
	item := y.powerUp(100, 400)
	p := y.player(7, 100, 400)
	y.step(1)
	b := ecs.Get[Boost](y.World, p)
	if b.Left != BoostTime*60 || b.Rest != RestTime*60 || b.Of != y.NetID(item) {
		t.Fatalf("touching gave %+v", *b)
	}
	u := ecs.Get[PowerUp](y.World, item)
	if u.Round != 1 || u.By != 7 || u.ReadyAt != BackTime*60 || ecs.Get[Score](y.World, p).Points != 1 {
		t.Fatalf("the server wrote down %+v and %+v", *u, *ecs.Get[Score](y.World, p))
	}

	y.press(p, 1, 0)
	fast := 0
	for range 2 * BoostTime * 60 {
		before := y.at(p).X
		y.step(1)
		switch d := y.at(p).X - before; {
		case near(d, BoostSpeed*y.Step(), 1e-3):
			fast++
		case !near(d, WalkSpeed*y.Step(), 1e-3):
			t.Fatalf("a step of %v", d)
		}
		if y.at(p).X > 400 {
			y.press(p, -1, 0)
			break
		}
	}
	for b.Left > 0 {
		y.step(1)
		fast++
	}
	if fast != BoostTime*60 {
		t.Errorf("%d boosted steps, want %d", fast, BoostTime*60)
	}
}

// Nobody can take a power-up that was taken until it is back. Then everybody can.
func TestPowerUpComesBack(t *testing.T) {
	y := newYard()
	item := y.powerUp(100, 400)
	first := y.player(1, 100, 400)
	y.step(1)
	y.Despawn(first)
	second := y.player(2, 100, 400)
	for ; y.Tick() < BackTime*60; y.step(1) {
		if ecs.Get[Boost](y.World, second).Left > 0 {
			t.Fatalf("taken again before tick %d, back at %d", y.Tick(), BackTime*60)
		}
	}
	y.step(1)
	if ecs.Get[Boost](y.World, second).Left == 0 || ecs.Get[PowerUp](y.World, item).By != 2 {
		t.Errorf("at tick %d it is not taken: %+v", y.Tick(), *ecs.Get[PowerUp](y.World, item))
	}
}

// If two players touch a power-up in the same tick, only the one with the lower NetID gets it and the point, in any storage
// order.
func TestOneOfTwoGetsThePowerUp(t *testing.T) {
	for seed := range uint64(8) {
		y := newYard()
		first, second := y.player(1, 95, 400), y.player(2, 105, 400)
		y.powerUp(100, 400)
		y.Shuffle(seed)
		y.step(2)
		got := [2]uint16{ecs.Get[Score](y.World, first).Points, ecs.Get[Score](y.World, second).Points}
		if got != [2]uint16{1, 0} || ecs.Get[Boost](y.World, second).Left > 0 {
			t.Errorf("seed %d: points %v, the second's boost is %+v", seed, got, *ecs.Get[Boost](y.World, second))
		}
	}
}

// A player takes no power-up during the rest after the previous one.
func TestRestKeepsFromTaking(t *testing.T) {
	y := newYard()
	y.powerUp(100, 400)
	y.powerUp(105, 400)
	p := y.player(1, 100, 400)
	y.step(RestTime * 60)
	if got := ecs.Get[Score](y.World, p).Points; got != 1 {
		t.Errorf("%d points while the first rest lasts, want 1", got)
	}
	y.step(2)
	if got := ecs.Get[Score](y.World, p).Points; got != 2 {
		t.Errorf("%d points after it, want 2", got)
	}
}

// A client that does not know yet that a power-up is taken neither takes it again nor adds a point: it predicts only its own
// state.
func TestClientPredictsItsOwnStateOnly(t *testing.T) {
	w := ecs.NewWorld(Protocol(), ecs.Config{Client: true})
	id := func(places ...int) (m uint64) {
		for _, c := range places {
			m |= 1 << c
		}
		return m
	}
	place := func(name string) int {
		for _, c := range w.Protocol().Replicated() {
			if c.Name == name {
				return c.Replicated()
			}
		}
		t.Fatalf("no component %s", name)
		return 0
	}
	pos := place("Position")
	me := w.Netcode().Replica(11, id(0, pos, place("Velocity"), place("Ride"), place("Boost"), place("Score"), place("Input")), true)
	item := w.Netcode().Replica(12, id(pos, place("PowerUp")), false)
	*ecs.Get[components.Position](w, me), *ecs.Get[components.Position](w, item) = at(100, 400), at(100, 400)
	for range 30 {
		w.Netcode().SimulateStage().Run(w)
		w.Netcode().SetTick(w.Tick() + 1)
	}
	b := ecs.Get[Boost](w, me)
	if want := (Boost{Left: BoostTime*60 - 29, Rest: RestTime*60 - 29, Of: 12}); *b != want {
		t.Errorf("predicted %+v, want %+v", *b, want)
	}
	if u, s := *ecs.Get[PowerUp](w, item), *ecs.Get[Score](w, me); u != (PowerUp{}) || s != (Score{}) {
		t.Errorf("the client changed what is the server's: %+v, %+v", u, s)
	}
}
