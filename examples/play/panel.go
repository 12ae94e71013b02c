package main

import (
	"image/color"
	"time"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"github.com/tactusgo/tactus/components"
	"github.com/tactusgo/tactus/systems/overlay"
)

// panelTop is where the overlay begins, below the status, in points.
const panelTop = 68

// panel is the overlay on Ebitengine: what the network does, and sliders to make it worse.
type panel struct {
	net   *overlay.Overlay
	sheet sheet
	held  bool // a pointer is down on it
	mouse bool // that one; a finger otherwise
	touch ebiten.TouchID
}

// newPanel makes the overlay of a game whose camera is onScreen, in pixels.
func newPanel(c *canvas, onScreen func(x, y float64) (sx, sy float64)) *panel {
	net, err := overlay.New(overlay.Config{Top: panelTop, Places: overlay.PlacesOf(
		func(p components.Position) overlay.Point { return overlay.Point{X: float64(p.X), Y: float64(p.Y)} },
		func(p overlay.Point) (x, y float64, ok bool) {
			x, y = onScreen(p.X, p.Y)
			return x / c.unit, y / c.unit, x >= 0 && y >= 0 && x < c.w && y < c.h
		})})
	if err != nil {
		panic(err) // a constant configuration
	}
	return &panel{net: net, sheet: sheet{c}}
}

// takes reports whether a point of the screen belongs to the panel.
func (p *panel) takes(c *canvas, x, y float64) bool {
	return p.held || within(x, y)(statusBox(c)) || p.net.Takes(x/c.unit, y/c.unit)
}

// covers reports whether the panel lies over a part of the screen.
func (p *panel) covers(c *canvas, x, y, w, h float64) bool {
	return p.net.Covers(x/c.unit, y/c.unit, w/c.unit, h/c.unit)
}

func within(x, y float64) func(bx, by, w, h float64) bool {
	return func(bx, by, w, h float64) bool { return x >= bx && x < bx+w && y >= by && y < by+h }
}

// tap opens and closes the panel, and takes hold of what is on it.
func (p *panel) tap(c *canvas, x, y float64) {
	if within(x, y)(statusBox(c)) {
		p.net.Toggle()
		return
	}
	if p.held {
		return
	}
	mouse, touch := true, ebiten.TouchID(0)
	for _, id := range ebiten.AppendTouchIDs(nil) {
		if tx, ty := ebiten.TouchPosition(id); float64(tx) == x && float64(ty) == y {
			mouse, touch = false, id
		}
	}
	if p.net.Press(0, x/c.unit, y/c.unit) {
		p.held, p.mouse, p.touch = true, mouse, touch
	}
}

// drag follows the pointer that is down on the panel.
func (p *panel) drag(c *canvas) {
	if !p.held {
		return
	}
	x, y := ebiten.CursorPosition()
	down := ebiten.IsMouseButtonPressed(ebiten.MouseButtonLeft)
	if !p.mouse {
		x, y = ebiten.TouchPosition(p.touch)
		down = !inpututil.IsTouchJustReleased(p.touch)
	}
	if !down {
		p.held = false
		p.net.Release(0)
		return
	}
	p.net.Move(0, float64(x)/c.unit, float64(y)/c.unit)
}

// sample takes in a frame.
func (p *panel) sample(c *canvas, now time.Time) {
	p.net.Figure("work for a frame, without the GPU", c.work*1000, "ms")
	p.net.Sample(now)
}

// draw draws the panel.
func (p *panel) draw() { p.net.Draw(&p.sheet) }

// sheet is a canvas as the overlay takes it: in points.
type sheet struct{ *canvas }

// Size implements [overlay.Canvas].
func (s *sheet) Size() (w, h float64) { return s.w / s.unit, s.h / s.unit }

// Rect implements [overlay.Canvas].
func (s *sheet) Rect(x, y, w, h, round float64, c color.NRGBA) {
	u := s.unit
	switch {
	case round == 0:
		s.rect(x*u, y*u, w*u, h*u, nrgba(c))
	case w == h && 2*round >= w:
		s.disc((x+w/2)*u, (y+h/2)*u, w*u, nrgba(c))
	default:
		s.panel(x*u, y*u, w*u, h*u, round*u, nrgba(c))
	}
}

// Line implements [overlay.Canvas].
func (s *sheet) Line(x0, y0, x1, y1, width float64, c color.NRGBA) {
	u := s.unit
	s.line(x0*u, y0*u, x1*u, y1*u, width*u, nrgba(c))
}

// Text implements [overlay.Canvas].
func (s *sheet) Text(x, y float64, b []byte, c color.NRGBA) {
	s.text(s.glyphs.small, x*s.unit, y*s.unit, 0, b, nrgba(c))
}

// TextWidth implements [overlay.Canvas].
func (s *sheet) TextWidth(b []byte) float64 { return s.glyphs.small.width(b) / s.unit }

// nrgba is a colour of the overlay.
func nrgba(c color.NRGBA) tint {
	return tint{float32(c.R) / 255, float32(c.G) / 255, float32(c.B) / 255, float32(c.A) / 255}
}
