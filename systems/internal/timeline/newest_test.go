package timeline_test

import (
	"testing"

	"github.com/tactusgo/tactus/systems/internal/timeline"
)

// The first input of all, that of tick 0, is the newest until another one comes.
func TestNewestInputOfTheFirstTick(t *testing.T) {
	l := playing(t, timeline.Config{})
	if tick, ok := l.Newest(1); ok {
		t.Errorf("before any input the newest is of tick %d", tick)
	}
	put(t, l, 1, 0, steer{DX: 1}, timeline.InTime)
	if tick, ok := l.Newest(1); !ok || tick != 0 {
		t.Errorf("the newest is of tick %d, %v; want 0", tick, ok)
	}
	put(t, l, 1, 2, steer{DX: 1}, timeline.InTime)
	if tick, ok := l.Newest(1); !ok || tick != 2 {
		t.Errorf("the newest is of tick %d, %v; want 2", tick, ok)
	}
}
