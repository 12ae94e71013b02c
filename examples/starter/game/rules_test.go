package game

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/systemstest"
)

// A rule can be tried on a world alone, without a network: let players join, step, look.

// A star is for one player alone, even if two reach it in the same tick, and in the next one another appears.
func TestStarIsTakenOnce(t *testing.T) {
	w := ecs.NewWorld(Protocol(), ecs.Config{})
	join(w, 1, &Login{})
	join(w, 1+Capacity, &Login{}) // at the same place
	w.Spawn(Place{start(1) + reach - 1, Height / 2}, Star{Worth: 3})
	systemstest.Step(w, 2)
	points, n := 0, 0
	for _, c := range ecs.Each[collector](w) {
		points += int(c.Player.Score)
	}
	for range ecs.Each[star](w) {
		n++
	}
	if points != 3 || n != stars {
		t.Errorf("%d points for a star of 3, and then %d stars", points, n)
	}
}

// A step is as long as it is to be, and nobody leaves the arena.
func TestWalk(t *testing.T) {
	w := ecs.NewWorld(Protocol(), ecs.Config{})
	join(w, 1, &Login{})
	for _, me := range ecs.EachOf[walker](w, 1) {
		*me.Place, *me.In = Place{Width, 0}, Move{DX: 1, DY: 1}
		systemstest.Step(w, 1)
		if me.Place.X != Width || me.Place.Y < 2.9 || me.Place.Y > 3.1 {
			t.Errorf("a step right and down from the right edge leads to %v", *me.Place)
		}
		return
	}
	t.Error("there is no player")
}

// Every colour that a player can have, or ask for, is one.
func TestColours(t *testing.T) {
	for _, of := range []reflect.Type{reflect.TypeFor[Player](), reflect.TypeFor[Paint]()} {
		field, _ := of.FieldByName("Colour")
		if tag, want := field.Tag.Get("net"), fmt.Sprintf("enum %d", len(Colours)); tag != want {
			t.Errorf("the tag of %v.Colour is %q, and there are %s", of, tag, want)
		}
	}
}
