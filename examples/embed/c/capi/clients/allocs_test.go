package clients

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/examples/arena/game"
)

// A frame in which nothing comes, goes or is told allocates nothing, ticks included.
func TestAllocs(t *testing.T) {
	m := newMatch(t)
	n := m.open(1)
	in := game.Action{Buttons: game.Right}
	m.play(3*time.Second, nil, n)
	var view *View
	news := 0
	frame := func() {
		m.now = m.now.Add(time.Second / 60)
		in.Buttons ^= game.Left
		if m.SetInput(n, bytesOf(&in)) != OK || m.Advance(n, m.at()) < 0 {
			t.Fatal("it has ended")
		}
		if view = m.Frame(n, m.at()); view == nil {
			t.Fatal("no frame")
		}
		news += int(view.NewsCount)
		m.End(n)
	}
	m.held = true
	frame()
	generation := view.Generation
	if allocs := testing.AllocsPerRun(20, frame); allocs != 0 {
		t.Errorf("%v allocations a frame", allocs)
	}
	if news != 0 || view.Generation != generation || view.Stats.Rows < 21 {
		t.Fatalf("%d news, generation %d after %d, %v rows: that is no frame in which nothing happens", news, view.Generation, generation, view.Stats.Rows)
	}
}
