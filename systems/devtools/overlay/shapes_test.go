package overlay_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/devtools/overlay"
	"github.com/tactusgo/tactus/systems/policy"
)

// box is the place of something drawn, whichever way a line goes.
func (d drawn) box() (x0, y0, x1, y1 float64) {
	return min(d.x, d.x+d.w), min(d.y, d.y+d.h), max(d.x, d.x+d.w), max(d.y, d.y+d.h)
}

// near reports whether two places are the same.
func near(a, b float64) bool { return math.Abs(a-b) < 0.01 }

// Under every model, from the first second on, all that is drawn lies within a panel, no text lies over another or
// over a bar of a graph, and what stands at the right end of a line has its name at the left end.
func TestPanelsHoldWhatIsDrawn(t *testing.T) {
	for _, preset := range policy.Presets() {
		t.Run(preset.String(), func(t *testing.T) {
			o, err := overlay.New(overlay.Config{Places: overlay.PlacesOf(
				func(p components.Position) overlay.Point { return overlay.Point{X: float64(p.X), Y: float64(p.Y)} },
				func(overlay.Point) (x, y float64, ok bool) { return 0, 0, false }, // all is behind the camera
			)})
			if err != nil {
				t.Fatal(err)
			}
			o.Show(true)
			m := newMatchUnder(t, o, pushed, preset)
			for seconds, link := range []float64{0, 0, 40, 250} {
				o.Set(overlay.RoundTrip, link)
				o.Set(overlay.Jitter, link/4)
				o.Set(overlay.Loss, link/20)
				m.run(time.Duration(1+2*seconds) * time.Second)
				eachPage(o, 1280, 720, func(p *paper) { inPanels(t, p) })
			}
		})
	}
}

func inPanels(t *testing.T, p *paper) {
	t.Helper()
	panels, words := p.panels(), p.words()
	legible(t, panels, words)
	var graphs []drawn
	for _, d := range p.all {
		if d.kind == rect && d.h == 44 && d.w != 308 {
			graphs = append(graphs, d)
		}
	}
	panelOf := func(d drawn) (b drawn, ok bool) {
		x0, y0, x1, y1 := d.box()
		for _, b := range panels {
			if x0 >= b.x+6 && x1 <= b.x+b.w-6 && y0 >= b.y && y1 <= b.y+b.h {
				return b, true
			}
		}
		return b, false
	}
	for _, d := range p.all {
		if d.kind == rect && d.w == 308 {
			continue
		}
		if _, ok := panelOf(d); !ok {
			t.Errorf("beyond all panels: %+v", d)
		}
	}
	for _, d := range words {
		b, ok := panelOf(d)
		if ok && d.x+d.w > b.x+b.w-16 && d.x > b.x+b.w/2 { // a value
			named := false
			for _, e := range words {
				named = named || e != d && near(e.y, d.y) && e.x < d.x && e.x >= b.x
			}
			if !named {
				t.Errorf("nothing stands left of %q: %q", d.text, p.texts())
			}
		}
	}
	for _, g := range graphs {
		bars := 0
		for _, d := range p.all {
			if d.kind != rect || d == g || d.x < g.x-0.01 || d.x+d.w > g.x+g.w+0.01 || !near(d.y+d.h, g.y+g.h) {
				continue
			}
			if bars++; d.y < g.y+16 {
				t.Errorf("a bar of %v stands behind the name of its graph, which is %v high", d.h, g.h)
			}
		}
	}
}

// Rings are closed polygons around what they mark, and the square around what a shot saw is closed.
func TestShapesAreClosed(t *testing.T) {
	o := newOverlay(t)
	m := newMatch(t, o, calm)
	o.Set(overlay.RoundTrip, 300)
	m.run(8 * time.Second)
	e, at := other(m)
	drawnAt, id := o0(m), m.clients[0].View().NetID(e)
	m.run(500 * time.Millisecond)
	seen := overlay.Point{X: float64(at.X), Y: float64(at.Y)}
	o.Hit(overlay.Hit{Target: id, Seen: seen, Now: overlay.Point{X: seen.X + 50, Y: seen.Y + 30}, Drawn: drawnAt, Tick: uint32(drawnAt) + 30, Hit: true})
	var lines []drawn
	for _, d := range draw(o, 1280, 720).all {
		if d.kind == line {
			lines = append(lines, d)
		}
	}
	// Lines that go on where the one before ended are one outline.
	rings, squares := 0, 0
	for i := 0; i < len(lines); {
		n := 1
		for i+n < len(lines) && near(lines[i+n].x, lines[i+n-1].x+lines[i+n-1].w) && near(lines[i+n].y, lines[i+n-1].y+lines[i+n-1].h) {
			n++
		}
		outline := lines[i : i+n]
		i += n
		last := outline[n-1]
		closed := near(last.x+last.w, outline[0].x) && near(last.y+last.h, outline[0].y)
		switch {
		case n == 12 && closed:
			rings++
			cx, cy := 0.0, 0.0
			for _, d := range outline {
				cx, cy = cx+d.x/12, cy+d.y/12
			}
			r := math.Hypot(outline[0].x-cx, outline[0].y-cy)
			for _, d := range outline {
				if side := math.Hypot(d.w, d.h); math.Abs(math.Hypot(d.x-cx, d.y-cy)-r) > r/50 || math.Abs(side-r*0.5176) > r/50 {
					t.Errorf("a corner of a ring of %v is %v away, a side is %v", r, math.Hypot(d.x-cx, d.y-cy), side)
				}
			}
		case n == 4 && closed:
			squares++
			for _, d := range outline {
				if !near(math.Abs(d.w)+math.Abs(d.h), 18) {
					t.Errorf("a side of %v, %v", d.w, d.h)
				}
			}
		}
	}
	if rings < 3 || squares != 1 {
		t.Errorf("%d rings, %d squares of %d lines", rings, squares, len(lines))
	}
}

// A slider is filled from where it begins to its knob, and its value stands beside its name.
func TestSlidersAreFilledUpToTheirKnobs(t *testing.T) {
	o, _ := shown(t, calm, 2*time.Second)
	for _, value := range []float64{100, 250} {
		o.Set(overlay.RoundTrip, value)
		p := draw(o, 1280, 720)
		from, mid, ok := o.SliderAt(overlay.RoundTrip, 0)
		to, _, _ := o.SliderAt(overlay.RoundTrip, value)
		if !ok {
			t.Fatal("the slider is on no page")
		}
		filled, knob, level := false, false, false
		for _, d := range p.all {
			switch d.kind {
			case rect:
				filled = filled || near(d.x, from) && near(d.x+d.w, to) && near(d.y+d.h/2, mid) && d.h == 4
				knob = knob || near(d.x+d.w/2, to) && near(d.y+d.h/2, mid) && d.w == d.h
			case text:
				level = level || d.text == fmt.Sprintf("%v ms", value) && d.y < mid && d.y+d.h > mid
			}
		}
		if !filled || !knob || !level {
			t.Errorf("at %v: filled %v, knob %v, value beside it %v", value, filled, knob, level)
		}
	}
}

// Presses on a page without sliders move none.
func TestNoSliderOnOtherPages(t *testing.T) {
	o, _ := shown(t, calm, 2*time.Second)
	o.Set(overlay.RoundTrip, 100)
	without := 0
	eachPage(o, 360, 640, func(*paper) {
		if _, _, ok := o.SliderAt(overlay.RoundTrip, 0); ok {
			return
		}
		without++
		for y := 60.0; y < 640; y += 7 {
			for x := 0.0; x < 320; x += 40 {
				o.Press(3, x, y)
				o.Release(3)
			}
		}
	})
	if without == 0 || o.Value(overlay.RoundTrip) != 100 {
		t.Errorf("on %d pages without sliders presses set the round trip to %v", without, o.Value(overlay.RoundTrip))
	}
	for s := range overlay.Duplicates + 1 {
		if v := o.Value(s); s != overlay.RoundTrip && v != 0 {
			t.Errorf("slider %d was set to %v", s, v)
		}
	}
}

// Panels begin where the configuration says, and a little off the corner where it says nothing.
func TestPanelsBeginWhereTheyAreTold(t *testing.T) {
	for _, c := range []overlay.Config{{}, {Left: 100, Top: 50}} {
		o, err := overlay.New(c)
		if err != nil {
			t.Fatal(err)
		}
		o.Show(true)
		newMatch(t, o, calm).run(2 * time.Second)
		left, top := math.Inf(1), math.Inf(1)
		for _, d := range draw(o, 1280, 720).all {
			if d.kind == rect && d.w == 308 {
				left, top = min(left, d.x), min(top, d.y)
			}
		}
		wantLeft, wantTop := c.Left, c.Top
		if c.Left == 0 {
			wantLeft, wantTop = 12, 12
		}
		if left != wantLeft || top != wantTop {
			t.Errorf("%+v: the first panel is at %v, %v", c, left, top)
		}
	}
}

// Losses are shown in percent, and one tick is no ticks.
func TestUnitsOfGraphs(t *testing.T) {
	o := newOverlay(t)
	m := newMatch(t, o, calm)
	lossy := netsys.Link{Loss: 0.2} // not by the slider, which would say so too
	if err := m.link.SetLinks(lossy, lossy); err != nil {
		t.Fatal(err)
	}
	m.run(10 * time.Second)
	loss, found := m.clients[0].Stats().Session.LossIn, false
	p := draw(o, 1280, 720)
	for _, s := range p.texts() {
		var v float64
		if n, _ := fmt.Sscanf(s, "%f %%", &v); n == 1 && strings.HasSuffix(s, " %") {
			found = found || math.Abs(v-100*loss) < 3
		}
	}
	if !found || loss < 0.1 {
		t.Errorf("loss %v is not among %q", loss, p.texts())
	}
	for range 300 {
		m.run(tick)
		for _, s := range draw(o, 1280, 720).texts() {
			if s == "1 ticks" || strings.HasSuffix(s, " tick") && s != "1 tick" {
				t.Fatalf("it says %q", s)
			}
		}
	}
}

// How far a shot was off is a distance in all directions.
func TestDistanceOfAShot(t *testing.T) {
	o := newOverlay(t)
	m := newMatch(t, o, calm)
	o.Set(overlay.RoundTrip, 300)
	m.run(8 * time.Second)
	e, at := other(m)
	shot := overlay.Hit{Target: m.clients[0].View().NetID(e), Drawn: o0(m), Tick: uint32(o0(m)) + 30}
	m.run(500 * time.Millisecond)
	shot.Seen = overlay.Point{X: float64(at.X) + 2, Y: float64(at.Y) + 3, Z: 6}
	o.Hit(shot)
	if p := draw(o, 1280, 720); !p.says("missed, ", "7 off") {
		t.Errorf("2, 3 and 6 off: %q", p.texts())
	}
}
