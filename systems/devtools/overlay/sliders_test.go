package overlay_test

import (
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/overlay"
)

// received is how many bytes the first client has counted.
func received(m *match) uint64 {
	var r systems.Received
	m.clients[0].Received(&r)
	return r.Bytes
}

// Sliders ask for what links take, whatever they are set to.
func TestSlidersMakeLinks(t *testing.T) {
	o := newOverlay(t)
	if (o.Link() != netsys.Link{}) {
		t.Error("sliders at rest change the link")
	}
	for s := range overlay.Duplicates + 1 {
		for _, v := range []float64{-5, 7.3, 1e9} {
			o.Set(s, v)
			if err := o.Link().Validate(); err != nil {
				t.Errorf("slider %d at %v: %v", s, v, err)
			}
		}
	}
	o.Set(overlay.RoundTrip, 14)
	want := netsys.Link{Latency: 5 * time.Millisecond, Jitter: 5 * time.Millisecond, Loss: 0.3, Burst: 500 * time.Millisecond, Duplicate: 0.2}
	if o.Link() != want || o.Value(overlay.RoundTrip) != 10 {
		t.Errorf("%+v", o.Link())
	}
	o.Set(99, 1)
	if o.Value(99) != 0 {
		t.Error("there is no such slider")
	}
}

// Links get what the sliders say at once, and so does the link of the next session.
func TestSlidersSetLinks(t *testing.T) {
	o := newOverlay(t)
	m := newMatch(t, o, calm)
	o.Set(overlay.RoundTrip, 200)
	if in, out := m.link.Links(); in != o.Link() || out != o.Link() || in.Latency != 100*time.Millisecond {
		t.Errorf("%+v, %+v", in, out)
	}
	next := newMatch(t, o, calm)
	if in, out := next.link.Links(); in != o.Link() || out != o.Link() {
		t.Errorf("the next link: %+v, %+v", in, out)
	}
	o.Set(overlay.RoundTrip, 0)
	if in, _ := m.link.Links(); in.Latency == 0 {
		t.Error("the link of a session that is over was changed")
	}
}

// Sliders follow the mouse and fingers on every screen, one at a time.
func TestSlidersFollowPointers(t *testing.T) {
	for _, screen := range screens {
		o, _ := shown(t, calm, 2*time.Second)
		at := func(s overlay.Slider, v float64) (x, y float64) {
			for range 9 {
				draw(o, screen[0], screen[1])
				if x, y, ok := o.SliderAt(s, v); ok {
					return x, y
				}
				o.Press(0, 40, 20)
				o.Release(0)
			}
			t.Fatalf("%v: slider %d is on no page", screen, s)
			return 0, 0
		}
		x, y := at(overlay.Loss, 10)
		if !o.Takes(x, y) || !o.Press(7, x, y) || o.Value(overlay.Loss) != 10 {
			t.Fatalf("%v: a press at %v, %v sets loss to %v", screen, x, y, o.Value(overlay.Loss))
		}
		x, y = at(overlay.RoundTrip, 250)
		if o.Move(8, x, y) || !o.Press(8, x, y) || o.Value(overlay.RoundTrip) != 0 {
			t.Errorf("%v: another finger moved something", screen)
		}
		x, _ = at(overlay.Loss, 20)
		if !o.Move(7, x, -50) || o.Value(overlay.Loss) != 20 {
			t.Errorf("%v: a finger moved loss to %v", screen, o.Value(overlay.Loss))
		}
		if !o.Move(7, 1e6, 0) || o.Value(overlay.Loss) != 30 {
			t.Errorf("%v: a finger at the edge moved loss to %v", screen, o.Value(overlay.Loss))
		}
		if o.Release(8); !o.Move(7, x, y) {
			t.Errorf("%v: another finger was lifted", screen)
		}
		if o.Release(7); o.Move(7, 0, y) || o.Value(overlay.Loss) != 20 {
			t.Errorf("%v: a finger that was lifted moves", screen)
		}
		if o.Takes(screen[0]/2+200, screen[1]-3) || o.Press(1, screen[0]/2+200, screen[1]-3) {
			t.Errorf("%v: it takes what lies beside it", screen)
		}
		if !o.Press(0, 12+308-16, 26) || o.Shown() {
			t.Errorf("%v: it does not close", screen)
		}
	}
}

// A slider changes the round trip that is measured, and both values stand beside it.
func TestSlidersChangeWhatIsMeasured(t *testing.T) {
	o := newOverlay(t)
	m := newMatch(t, o, calm)
	o.Set(overlay.RoundTrip, 50)
	m.run(5 * time.Second)
	draw(o, 1280, 720)
	x, y, _ := o.SliderAt(overlay.RoundTrip, 300)
	before := m.clients[0].Stats().Session.RTT
	o.Press(0, x, y)
	o.Release(0)
	o.Set(overlay.Loss, 10)
	o.Set(overlay.Duplicates, 20)
	m.run(12 * time.Second)
	s := m.clients[0].Stats().Session
	if s.RTT < before+200*time.Millisecond || s.RTT > before+300*time.Millisecond || s.LossIn < 0.03 {
		t.Errorf("from %v to %v, loss %v", before, s.RTT, s.LossIn)
	}
	if p := draw(o, 1280, 720); !p.says("measured 5", " → 3", " ms") || p.says("0 copies in") || p.says("0 lost in") && !p.says("10 lost in") {
		t.Errorf("%v to %v: %q", before, s.RTT, p.texts())
	}
}
