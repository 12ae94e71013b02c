package overlay_test

import (
	"strings"
	"testing"
	"time"
)

// Looking at a client and drawing allocate nothing once the first seconds have passed,
// whatever is shown.
func TestFramesAllocateNothing(t *testing.T) {
	o := newOverlay(t)
	m := newMatch(t, o, func(tick uint32) float32 {
		if tick%50 == 0 {
			return 3
		}
		return 0
	})
	m.run(10 * time.Second)
	p := &paper{w: 433, h: 500}
	now := m.now
	n := testing.AllocsPerRun(300, func() {
		now = now.Add(tick)
		o.Sample(now)
		o.Draw(p)
		o.Press(0, 30, 20) // the next page
	})
	if n != 0 {
		t.Errorf("%v allocations a frame", n)
	}
}

// Nothing is drawn of what is hidden, and the client counts no bytes for it.
func TestHiddenShowsNothing(t *testing.T) {
	o := newOverlay(t)
	m := newMatch(t, o, calm)
	m.run(3 * time.Second)
	if len(draw(o, 1280, 720).all) == 0 {
		t.Fatal("nothing is drawn")
	}
	o.Toggle()
	if o.Shown() || len(draw(o, 1280, 720).all) > 0 || o.Takes(20, 20) || o.Press(0, 20, 20) {
		t.Error("it is still there")
	}
	_ = strings.TrimSpace
}
