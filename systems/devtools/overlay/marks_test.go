package overlay_test

import (
	"image/color"
	"math"
	"testing"
	"time"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/ecs"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/devtools/overlay"
	"github.com/tactusgo/tactus/systems/lagcomp"
	"github.com/tactusgo/tactus/systems/policy"
)

var (
	amber = color.NRGBA{255, 200, 90, 255}
	pink  = color.NRGBA{255, 138, 209, 255}
)

// same reports whether two colours are, but for alpha.
func same(a, b color.NRGBA) bool { a.A, b.A = 0, 0; return a == b }

// other is the entity of the other player in the first client's view, and where it is
// drawn.
func other(m *match) (ecs.Entity, components.Position) {
	view := m.clients[0].View()
	for e, r := range ecs.All[struct {
		Owner components.Owner
		Pos   components.Position
	}](view) {
		if r.Owner.Client != m.clients[0].ID() {
			return e, r.Pos
		}
	}
	m.Fatal("nobody else is there")
	return ecs.Entity{}, components.Position{}
}

// onScreen is where the camera of these tests has a place.
func onScreen(p components.Position) (x, y float64) { return float64(p.X) + 640, float64(p.Y) + 360 }

// The ghost stands where the server last had the own player, and the window of another one
// goes from the one to the other of the two states that it is drawn between.
func TestMarksStandWhereThingsAre(t *testing.T) {
	o := newOverlay(t)
	o.Set(overlay.RoundTrip, 200)
	m := newMatch(t, o, calm)
	m.run(8 * time.Second)
	windows := 0
	for range 120 {
		m.run(tick)
		c := m.clients[0]
		own, _ := c.Own(c.World())
		ghost, ok := systems.Confirmed[components.Position](c, own)
		e, at := other(m)
		from, to, between := systems.Between[components.Position](c, e)
		if !ok || !between {
			continue
		}
		gx, gy := onScreen(ghost)
		fx, fy := onScreen(from)
		tx, ty := onScreen(to)
		ax, ay := onScreen(at)
		var dot, segment, place bool
		for _, d := range draw(o, 1280, 720).all {
			mx, my := d.x+d.w/2, d.y+d.h/2
			switch d.kind {
			case rect:
				dot = dot || same(d.c, pink) && math.Hypot(mx-gx, my-gy) < 1e-6
				place = place || d.w == 4 && math.Hypot(mx-ax, my-ay) < 1e-6
			case line:
				segment = segment || same(d.c, amber) && math.Hypot(d.x-fx, d.y-fy) < 1e-6 && math.Hypot(d.x+d.w-tx, d.y+d.h-ty) < 1e-6
			}
		}
		if !dot || !segment || !place {
			t.Fatalf("ghost %v, window %v, place %v", dot, segment, place)
		}
		windows++
	}
	if windows < 100 {
		t.Errorf("%d of 120 frames were drawn between two states", windows)
	}
	p := draw(o, 1280, 720)
	if !p.says(" behind") || !p.says("0 apart") || !p.says("1 of 1") {
		t.Errorf("%q", p.texts())
	}
}

// What the server made of a shot is held against what was on the screen at the tick that
// it looked at, and gone after a few seconds.
func TestHitsAreHeldAgainstTheScreen(t *testing.T) {
	o := newOverlay(t)
	m := newMatch(t, o, calm)
	o.Set(overlay.RoundTrip, 300)
	m.run(8 * time.Second)
	e, at := other(m)
	drawn, id := o0(m), m.clients[0].View().NetID(e)
	m.run(500 * time.Millisecond) // the way to the server and back
	seen := overlay.Point{X: float64(at.X), Y: float64(at.Y)}
	shot := overlay.Hit{Target: id, Seen: seen, Now: seen, Drawn: drawn, Tick: uint32(drawn) + 30, Hit: true}
	o.Hit(shot)
	if p := draw(o, 1280, 720); !p.says("hit, ", " ms back, 0 off") {
		t.Errorf("it was there: %q", p.texts())
	}
	shot.Seen.X += 4
	shot.Hit, shot.Clamp = false, lagcomp.Old
	o.Hit(shot)
	if p := draw(o, 1280, 720); !p.says("missed, ", "4 off, ", lagcomp.Old.String()) {
		t.Errorf("it was elsewhere: %q", p.texts())
	}
	o.Hit(overlay.Hit{Seen: overlay.Point{X: 500}})
	shown := draw(o, 1280, 720)
	if !shown.says("met nobody") {
		t.Errorf("%q", shown.texts())
	}
	lines := func(p *paper) (n int) {
		for _, d := range p.all {
			if d.kind == line {
				n++
			}
		}
		return n
	}
	m.run(5 * time.Second)
	if a, b := lines(draw(o, 1280, 720)), lines(shown); a >= b-20 {
		t.Errorf("%d lines, %d while the shots were shown", a, b)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1), 1e300} {
		for _, h := range []overlay.Hit{{From: overlay.Point{X: bad}}, {Seen: overlay.Point{Y: bad}}, {Now: overlay.Point{Z: bad}}, {Drawn: bad}} {
			h.Hit, h.Target = true, id
			if o.Hit(h); !draw(o, 1280, 720).says("met nobody") {
				t.Errorf("it shows %+v", h)
			}
		}
	}
	o.Hit(overlay.Hit{Target: id, Seen: seen, Drawn: drawn - 1000})
	if p := draw(o, 1280, 720); p.says(" off") {
		t.Errorf("nobody knows what was on the screen then: %q", p.texts())
	}
}

// Without places nothing is drawn in the world.
func TestNothingHasAPlace(t *testing.T) {
	o, err := overlay.New(overlay.Config{})
	if err != nil {
		t.Fatal(err)
	}
	o.Show(true)
	m := newMatch(t, o, pushed)
	m.run(4 * time.Second)
	o.Hit(overlay.Hit{Target: 2, Drawn: 100})
	p := draw(o, 1280, 720)
	for _, d := range p.all {
		if x := d.x + d.w/2; x > 330 && x < 950 {
			t.Errorf("%+v", d)
		}
	}
	if p.says("drawn in the world") || !p.says("round trip") {
		t.Errorf("%q", p.texts())
	}
}

// Under every model there is something to show, and nothing of what that model does not
// have.
func TestAllModelsAreShown(t *testing.T) {
	for _, preset := range policy.Presets() {
		t.Run(preset.String(), func(t *testing.T) {
			o := newOverlay(t)
			o.Set(overlay.RoundTrip, 100)
			m := newMatchUnder(t, o, calm, preset)
			m.run(8 * time.Second)
			p := draw(o, 1280, 720)
			if !m.clients[0].Connected() || !p.says("round trip") {
				t.Fatalf("%v: %q", m.clients[0].Err(), p.texts())
			}
			e, _ := other(m)
			_, _, window := systems.Between[components.Position](m.clients[0], e)
			if window != p.says("1 of 1") {
				t.Errorf("a window: %v; %q", window, p.texts())
			}
			if damped := policy.TraitsOf(m.clients[0].Model()).Remotes == policy.Damped; damped != p.says("damped") || damped && p.says("0 of 0") {
				t.Errorf("damped: %v; %q", damped, p.texts())
			}
			own, _ := m.clients[0].Own(m.clients[0].World())
			if _, ghost := systems.Confirmed[components.Position](m.clients[0], own); ghost != p.says(" behind") {
				t.Errorf("a ghost: %v; %q", ghost, p.texts())
			}
			if right := m.clients[0].Stats().Corrections == 0; right != p.says("all predictions were right") {
				t.Errorf("no correction: %v; %q", right, p.texts())
			}
			if counted := received(m) > 0; counted == p.says("inputs travel instead") {
				t.Errorf("bytes were counted: %v; %q", counted, p.texts())
			}
		})
	}
}
