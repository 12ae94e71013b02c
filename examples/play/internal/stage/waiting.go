package stage

import (
	"math"
	"time"

	"github.com/tactusgo/tactus/examples/play/internal/paint"
	"github.com/tactusgo/tactus/systems/host"
)

// drawWaiting shows why the player has to wait.
func (s *Stage) drawWaiting(now time.Time) {
	c := s.canvas
	u := c.Unit
	y := c.H * 0.34 // above the own player
	c.Rect(0, 0, c.W, c.H, paint.Tint{R: 0.02, G: 0.03, B: 0.07, A: 0.7})
	what := "connecting"
	switch o := s.online; {
	case o.over:
		what = "the game is over"
	case o.connected():
		what = "joining"
	case o.err != nil && s.client != nil:
		what = "reconnecting"
	}
	c.Label(c.Huge, c.W/2, y, 0.5, what, paint.White)
	sin, cos := math.Sincos(float64(now.UnixMilli()%1000) / 1000 * 2 * math.Pi)
	for i := range 3 {
		f := float64(i-1) * 22 * u
		c.Disc(c.W/2+f, y+26*u+sin*5*u*cos, 9*u, paint.Own.Fade(0.5+0.5*math.Abs(sin)))
	}
	if !s.Controls.touch { // the text names keys
		c.Lines(c.Normal, c.W/2, y+78*u, c.W-32*u, 20*u, s.world.Help, paint.Muted)
	}
	if s.online.err != nil {
		text := host.Waiting(s.online.err)
		if s.online.over {
			text = host.Explain(s.online.err)
		}
		c.Lines(c.Normal, c.W/2, c.H*0.62, min(c.W-32*u, 640*u), 20*u, text, paint.Bad.Toward(paint.White, 0.4))
	}
}
