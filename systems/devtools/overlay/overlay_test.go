package overlay_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/devtools/overlay"
	"github.com/tactusgo/tactus/systems/lagcomp"
)

// pushed moves players by three units now and then, which no client can foresee.
func pushed(tick uint32) float32 {
	if tick%50 == 0 {
		return 3
	}
	return 0
}

// says reports whether a text with all of these parts is on a paper.
func (p *paper) says(parts ...string) bool {
	for _, d := range p.all {
		has := d.kind == text
		for _, s := range parts {
			has = has && strings.Contains(d.text, s)
		}
		if has {
			return true
		}
	}
	return false
}

// texts is all that is written on a paper, for failures.
func (p *paper) texts() (all []string) {
	for _, d := range p.all {
		if d.kind == text {
			all = append(all, d.text)
		}
	}
	return all
}

// screens are those that the overlay has to fit on.
var screens = [][2]float64{{1280, 720}, {433, 938}, {938, 433}, {1920, 1080}, {360, 640}}

// eachPage draws every page on a screen.
func eachPage(o *overlay.Overlay, w, h float64, look func(p *paper)) (pages int) {
	first := draw(o, w, h)
	for p := first; pages == 0 || fmt.Sprint(p.texts()) != fmt.Sprint(first.texts()); pages++ {
		look(p)
		o.Press(0, 40, 20)
		o.Release(0)
		p = draw(o, w, h)
	}
	return pages
}

// Whatever there is to show, on all screens each text lies on a panel and no text over
// another; on a phone held upright the middle, where the player is, stays free.
func TestAllScreensAreLegible(t *testing.T) {
	o := newOverlay(t)
	m := newMatch(t, o, pushed)
	for s := range overlay.Duplicates + 1 {
		o.Set(s, 1000)
	}
	for i := range 6 {
		o.Figure(fmt.Sprintf("a figure of the game, with a long name: %d", i), 123456, "widgets")
	}
	m.run(15 * time.Second)
	o.Hit(overlay.Hit{Target: 3, Seen: overlay.Point{X: 30}, Drawn: o0(m), Tick: m.server.Tick(), Clamp: lagcomp.Backwards})
	for _, screen := range screens {
		seen := map[string]bool{}
		pages := eachPage(o, screen[0], screen[1], func(p *paper) {
			panels, words := p.panels(), p.words()
			for _, d := range words {
				seen[strings.Fields(d.text)[0]] = true
			}
			for _, b := range panels {
				if screen[1] > screen[0] && b.y+b.h > screen[1]/2 {
					t.Errorf("%v: a panel goes down to %v", screen, b.y+b.h)
				}
				if b.x+b.w > screen[0] || b.y+b.h > screen[1] {
					t.Errorf("%v: a panel goes to %v, %v", screen, b.x+b.w, b.y+b.h)
				}
			}
			legible(t, panels, words)
		})
		for _, s := range []string{"round", "corrections,", "Position.X", "snapshots", "Position", "last", "ticks", "predicted,"} {
			if !seen[s] {
				t.Errorf("%v: %q is on no page of %d", screen, s, pages)
			}
		}
	}
}

// panels and words are what lies on a paper of each.
func (p *paper) panels() (all []drawn) {
	for _, d := range p.all {
		if d.kind == rect && d.w == 308 {
			all = append(all, d)
		}
	}
	return all
}

func (p *paper) words() (all []drawn) {
	for _, d := range p.all {
		if d.kind == text {
			all = append(all, d)
		}
	}
	return all
}

// legible demands that each word lies on a panel, and none over another.
func legible(t *testing.T, panels, words []drawn) {
	t.Helper()
	for i, d := range words {
		on := false
		for _, b := range panels {
			on = on || d.x >= b.x+8 && d.x+d.w <= b.x+b.w-8 && d.y >= b.y && d.y+d.h <= b.y+b.h
		}
		if !on {
			t.Errorf("%q is beyond its panel: %+v, %+v", d.text, d, panels)
		}
		for _, e := range words[:i] {
			if d.x < e.x+e.w && e.x < d.x+d.w && d.y < e.y+e.h-1 && e.y < d.y+d.h-1 {
				t.Errorf("%q lies over %q", d.text, e.text)
			}
		}
	}
}

// o0 is the tick that the first client draws.
func o0(m *match) float64 { return m.clients[0].DrawnTick() }

// Looking at a client and drawing allocate nothing once the first seconds have passed,
// whatever is shown.
func TestFramesAllocateNothing(t *testing.T) {
	o, m := shown(t, pushed, 10*time.Second)
	p := &paper{w: 433, h: 500}
	now := m.now
	n := testing.AllocsPerRun(300, func() {
		now = now.Add(tick)
		o.Sample(now)
		o.Hit(overlay.Hit{Target: 2, Drawn: o0(m)})
		o.Figure("work", 1, "ms")
		o.Draw(p)
		o.Press(0, 40, 20) // the next page
	})
	if n != 0 {
		t.Errorf("%v allocations a frame", n)
	}
}

// Nothing is drawn of what is hidden, and the client counts no bytes for it.
func TestHiddenShowsNothing(t *testing.T) {
	o, m := shown(t, calm, 3*time.Second)
	if len(draw(o, 1280, 720).all) == 0 {
		t.Fatal("nothing is drawn")
	}
	o.Toggle()
	if o.Shown() || len(draw(o, 1280, 720).all) > 0 || o.Takes(20, 20) || o.Press(0, 20, 20) {
		t.Error("it is still there")
	}
	before := received(m)
	m.run(3 * time.Second)
	if n := received(m); n != before || n == 0 {
		t.Errorf("%d bytes counted, %d when it was hidden", n, before)
	}
	o.Toggle()
	m.run(time.Second)
	if received(m) == before || !draw(o, 1280, 720).says("round trip") {
		t.Error("it does not come back")
	}
}

// It says what corrections are due to, and what the newest was.
func TestCausesAreNamed(t *testing.T) {
	for name, push := range map[string]func(uint32) float32{"calm": calm, "pushed": pushed} {
		o, _ := shown(t, push, 12*time.Second)
		p := draw(o, 1280, 720)
		if name == "calm" {
			if !p.says("all predictions were right") || !p.says("0 apart") {
				t.Errorf("nothing was corrected: %q", p.texts())
			}
			continue
		}
		if !p.says("Position.X") || !p.says("100 %") || !p.says("last: Position.X") || !p.says(" was ") || !p.says("3.0 apart") && !p.says("3 apart") {
			t.Errorf("players were pushed: %q", p.texts())
		}
	}
}

// The bytes that it shows of a second are those of its components and the rest.
func TestBytesAddUp(t *testing.T) {
	o, _ := shown(t, calm, 6*time.Second)
	p := draw(o, 1280, 720)
	total, sum, rows := 0.0, 0.0, 0
	for i, d := range p.all {
		if d.kind != text {
			continue
		}
		var v float64
		if n, _ := fmt.Sscanf(d.text, "%f kB", &v); n == 1 && strings.HasPrefix(p.all[i-2].text, "snapshots a second") {
			total = v * 1000
		}
		if n, _ := fmt.Sscanf(d.text, "%f", &v); n == 1 && strings.HasSuffix(d.text, " B") {
			sum += v
			rows++
		}
	}
	if rows != 6 || total == 0 || math.Abs(total-sum) > 0.02*total+5 {
		t.Errorf("%v bytes a second, %v in %d rows: %q", total, sum, rows, p.texts())
	}
}

// A graph shows the last 24 seconds, and merges what is alike.
func TestGraphsGoOverTime(t *testing.T) {
	o, m := shown(t, calm, 10*time.Second)
	o.Set(overlay.RoundTrip, 400)
	m.run(10 * time.Second)
	tallest := func() (left, right float64) {
		for _, d := range draw(o, 1280, 720).all {
			if d.kind == rect && d.x < 160 && d.y > 42 && d.y+d.h == 42+44 && d.h < 44 { // bars of the first graph
				if d.x < 100 {
					left = max(left, d.h)
				} else {
					right = max(right, d.h)
				}
			}
		}
		return left, right
	}
	if left, right := tallest(); left > right/4 || right < 15 {
		t.Errorf("bars of %v and %v, the round trip has grown by 400 ms", left, right)
	}
	n := len(draw(o, 1280, 720).all)
	if n > 600 {
		t.Errorf("a frame takes %d primitives", n)
	}
	m.run(30 * time.Second)
	if left, right := tallest(); left < right*0.8 {
		t.Errorf("bars of %v and %v, the round trip was the same for 30 s", left, right)
	}
}

// The game's own figures stand among the others, the newest value of each.
func TestFiguresOfTheGame(t *testing.T) {
	o := newOverlay(t)
	m := newMatch(t, o, calm)
	o.Figure("frame", 1, "ms")
	o.Figure("cards", 52, "")
	o.Figure("frame", 2.5, "ms")
	m.run(2 * time.Second)
	if p := draw(o, 1280, 720); !p.says("frame") || !p.says("2.5 ms") || !p.says("52") {
		t.Errorf("%q", p.texts())
	}
}

func TestConfigIsChecked(t *testing.T) {
	for _, c := range []overlay.Config{{Left: -1}, {Top: math.NaN()}, {Top: math.Inf(1)}} {
		if _, err := overlay.New(c); !errors.Is(err, overlay.ErrConfig) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}
