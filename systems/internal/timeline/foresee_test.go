package timeline_test

import (
	"testing"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// Foresee shows the next tick with the inputs that have arrived for it, with repeated inputs without presses for players
// without one, with neutral inputs for departed players, and with the given input for the own player. Afterwards the world is
// unchanged.
func TestForesee(t *testing.T) {
	l := newTimeline(timeline.Config{Players: 4})
	for player := range uint32(4) {
		testgame.Must(t, l.Join(player, 0, 0, ""))
	}
	for player := range uint32(4) {
		put(t, l, player, 0, steer{DX: 1, Fire: true}, timeline.InTime)
	}
	steps(t, l, 1)
	put(t, l, 1, 1, steer{DY: -1}, timeline.InTime)
	put(t, l, 3, 1, steer{DY: 1}, timeline.InTime)
	testgame.Must(t, l.Leave(0, 1))
	w, before := l.World(), l.World().Hash()
	for _, look := range []struct {
		own   uint32
		words []int32
		want  [4]steer
	}{
		{2, testgame.Words(steer{DX: -1, Fire: true}), [4]steer{{}, {DY: -1}, {DX: -1, Fire: true}, {DY: 1}}},
		{2, nil, [4]steer{{}, {DY: -1}, {DX: 1}, {DY: 1}}},
		{3, testgame.Words(steer{DX: -1}), [4]steer{{}, {DY: -1}, {DX: 1}, {DY: 1}}}, // its own has come
	} {
		w.Netcode().BeginPartial(l.Next(), look.own, l.Next(), 0.5)
		l.PredictInputs(look.own, look.words)
		seen := 0
		for _, r := range ecs.Each[struct {
			Owner *components.Owner
			In    *steer
		}](w) {
			seen++
			if *r.In != look.want[r.Owner.Client] {
				t.Errorf("own %d: player %d has %+v, want %+v", look.own, r.Owner.Client, *r.In, look.want[r.Owner.Client])
			}
		}
		if w.Netcode().EndPartial(); seen != 4 || w.Hash() != before {
			t.Fatalf("own %d: %d players seen, world changed: %v", look.own, seen, w.Hash() != before)
		}
	}
	again := newTimeline(timeline.Config{Players: 4})
	for player := range uint32(4) {
		testgame.Must(t, again.Join(player, 0, 0, ""))
		put(t, again, player, 0, steer{DX: 1, Fire: true}, timeline.InTime)
	}
	put(t, again, 1, 1, steer{DY: -1}, timeline.InTime)
	put(t, again, 3, 1, steer{DY: 1}, timeline.InTime)
	testgame.Must(t, again.Leave(0, 1))
	steps(t, again, 3)
	steps(t, l, 2)
	if l.World().Hash() != again.World().Hash() {
		t.Error("the ticks after a look are not as without")
	}
}
