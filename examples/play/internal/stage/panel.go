package stage

import (
	"image/color"
	"time"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"github.com/tactusgo/tactus/examples/play/internal/paint"
	"github.com/tactusgo/tactus/systems/devtools/overlay"
)

// PanelTop is the upper edge of the overlay, below the status, in points.
const PanelTop = 68

// panel is the network overlay with its sliders, drawn with Ebitengine.
type panel struct {
	net   *overlay.Overlay
	sheet sheet
	held  bool // a pointer is pressed on the panel
	mouse bool // the pointer is the mouse; otherwise a finger
	touch ebiten.TouchID
}

// newPanel creates the overlay of a stage.
func newPanel(s *Stage) *panel {
	config := overlay.Config{Top: PanelTop}
	if p, ok := s.scene.(Placed); ok {
		config.Places = p.Places()
	}
	net, err := overlay.New(config)
	if err != nil {
		panic(err) // a constant configuration
	}
	return &panel{net: net}
}

// takes reports whether a point of the screen belongs to the panel.
func (p *panel) takes(c *paint.Canvas, x, y float64) bool {
	return p.held || within(x, y)(statusBox(c)) || p.net.Takes(x/c.Unit, y/c.Unit)
}

// covers reports whether the panel lies over a part of the screen.
func (p *panel) covers(c *paint.Canvas, x, y, w, h float64) bool {
	return p.net.Covers(x/c.Unit, y/c.Unit, w/c.Unit, h/c.Unit)
}

func within(x, y float64) func(bx, by, w, h float64) bool {
	return func(bx, by, w, h float64) bool { return x >= bx && x < bx+w && y >= by && y < by+h }
}

// tap opens or closes the panel, or presses a control on it.
func (p *panel) tap(c *paint.Canvas, x, y float64) {
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
	if p.net.Press(0, x/c.Unit, y/c.Unit) {
		p.held, p.mouse, p.touch = true, mouse, touch
	}
}

// drag follows the pressed pointer.
func (p *panel) drag(c *paint.Canvas) {
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
	p.net.Move(0, float64(x)/c.Unit, float64(y)/c.Unit)
}

// sample records a frame.
func (p *panel) sample(work float64, now time.Time) {
	p.net.Figure("work for a frame, without the GPU", work*1000, "ms")
	p.net.Sample(now)
}

// draw draws the panel.
func (p *panel) draw(c *paint.Canvas) {
	p.sheet.Canvas = c
	p.net.Draw(&p.sheet)
}

// sheet adapts a canvas to the overlay, in points.
type sheet struct{ *paint.Canvas }

// Size implements [overlay.Canvas].
func (s *sheet) Size() (w, h float64) { return s.W / s.Unit, s.H / s.Unit }

// Rect implements [overlay.Canvas].
func (s *sheet) Rect(x, y, w, h, round float64, c color.NRGBA) {
	u := s.Unit
	switch {
	case round == 0:
		s.Canvas.Rect(x*u, y*u, w*u, h*u, nrgba(c))
	case w == h && 2*round >= w:
		s.Disc((x+w/2)*u, (y+h/2)*u, w*u, nrgba(c))
	default:
		s.Panel(x*u, y*u, w*u, h*u, round*u, nrgba(c))
	}
}

// Line implements [overlay.Canvas].
func (s *sheet) Line(x0, y0, x1, y1, width float64, c color.NRGBA) {
	u := s.Unit
	s.Canvas.Line(x0*u, y0*u, x1*u, y1*u, width*u, nrgba(c))
}

// Text implements [overlay.Canvas].
func (s *sheet) Text(x, y float64, b []byte, c color.NRGBA) {
	s.Canvas.Text(s.Small, x*s.Unit, y*s.Unit, 0, b, nrgba(c))
}

// TextWidth implements [overlay.Canvas].
func (s *sheet) TextWidth(b []byte) float64 { return s.Small.Width(b) / s.Unit }

// nrgba converts a colour of the overlay.
func nrgba(c color.NRGBA) paint.Tint {
	return paint.Tint{R: float32(c.R) / 255, G: float32(c.G) / 255, B: float32(c.B) / 255, A: float32(c.A) / 255}
}
