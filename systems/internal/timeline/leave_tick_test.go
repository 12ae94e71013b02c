package timeline_test

import (
	"testing"

	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// What a player sent for the very tick in which it leaves is no input of one who comes
// in that tick; nor is there an input after the last tick.
func TestInputForTheTickOfLeaving(t *testing.T) {
	l := newTimeline(timeline.Config{})
	must(t, l.Join(1, 0, 0))
	steps(t, l, 10)
	for tick := range uint32(14) {
		l.Put(1, tick, words(steer{DX: 1}))
	}
	must(t, l.Leave(1, 12))
	put(t, l, 1, 12, steer{DX: 1}, timeline.Absent)
	must(t, l.Join(1, 12, 12))
	steps(t, l, 2)
	stood := at(t, l, 1)
	put(t, l, 1, 12, steer{DX: -1}, timeline.InTime)
	steps(t, l, 3)
	if moved := at(t, l, 1); moved.X >= stood.X {
		t.Errorf("who comes in tick 12 stands at %v, then goes west to %v", stood, moved)
	}
}
