package timeline_test

import (
	"fmt"
	"testing"

	"github.com/tactusgo/tactus/systems/internal/testgame"
	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// Held returns the input that a tick would repeat, with its tick.
func TestHeld(t *testing.T) {
	east, north := testgame.Words(steer{DX: 1}), testgame.Words(steer{DY: 1})
	l := playing(t, timeline.Config{Window: 20, Fills: 5})
	for tick, in := range map[uint32][]int32{3: north, 9: east} {
		l.Put(1, tick, in)
	}
	steps(t, l, 28)
	for tick, want := range map[uint32]string{10: fmt.Sprint(east, 9, true), 6: fmt.Sprint(north, 3, true), 16: "[] 0 false"} {
		w, at, ok := l.Held(1, tick)
		testgame.Equal(t, fmt.Sprintf("held before tick %d", tick), fmt.Sprint(w, at, ok), want)
	}
	if _, _, ok := l.Held(2, 10); ok {
		t.Error("nobody holds an input")
	}
}
