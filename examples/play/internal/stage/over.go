package stage

import (
	"strconv"
	"time"

	"github.com/tactusgo/tactus/examples/play/internal/paint"
)

// drawOver draws everything that covers the world.
func (s *Stage) drawOver(now time.Time) {
	if !s.was {
		s.drawWaiting(now)
		return
	}
	c, k := s.canvas, &s.Controls
	s.drawStatus()
	s.drawSilence()
	s.chat.draw(c, s.panel, k.touch, now)
	switch x, y, ok := k.Mouse(); {
	case k.touch:
		s.drawSticks()
	case ok && k.bind.Aims && !s.panel.takes(c, x, y):
		c.Ring(x, y, 22*c.Unit, 1.6*c.Unit, paint.White.Fade(0.8))
		c.Disc(x, y, 4*c.Unit, paint.Own)
	}
}

// drawStatus draws name, frame rate and round trip. A tap on it opens the overlay.
func (s *Stage) drawStatus() {
	c := s.canvas
	u := c.Unit
	x, y, w, h := statusBox(c)
	c.Panel(x, y, w, h, 9*u, paint.Glass)
	stats := s.client.Stats().Session
	rtt := float64(stats.RTT.Microseconds()) / 1000
	quality := paint.Good
	if rtt > 120 || stats.LossIn > 0.03 {
		quality = paint.Fair
	}
	if rtt > 250 || stats.LossIn > 0.1 || s.silent() {
		quality = paint.Bad
	}
	c.Disc(x+17*u, y+h/2, 9*u, quality)
	var name []byte
	if who, ok := s.scene.(Captioned); ok {
		name = who.Caption(c.Bytes())
	}
	if len(name) == 0 {
		name = append(c.Bytes(), s.world.Name...)
	}
	c.Text(c.Bold, x+30*u, y+20*u, 0, name, paint.White)
	b := strconv.AppendInt(c.Bytes(), int64(rtt+0.5), 10)
	b = append(b, " ms   "...)
	b = strconv.AppendInt(b, int64(s.fps+0.5), 10)
	b = append(b, " fps"...)
	if stats.LossIn >= 0.005 {
		b = append(b, "   "...)
		b = strconv.AppendInt(b, int64(stats.LossIn*100+0.5), 10)
		b = append(b, "% lost"...)
	}
	c.Text(c.Small, x+30*u, y+37*u, 0, b, paint.Muted)
	hint := "F3"
	if s.Controls.touch {
		hint = "net"
	}
	c.Label(c.Small, x+w-12*u, y+28*u, 1, hint, paint.Muted.Fade(0.7))
}

// Score writes the player's score at the top of the screen: in the middle, or next to the status if that is in the way.
func (s *Stage) Score(line []byte, t paint.Tint) {
	c := s.canvas
	u := c.Unit
	left, y, w, h := statusBox(c)
	left += w + 8*u
	font, room := c.Big, c.W-12*u-left
	if font.Width(line)+24*u > room {
		font = c.Bold
	}
	w = font.Width(line) + 24*u
	x := (c.W - w) / 2
	if x < left {
		x = left + room - w
	}
	c.Panel(x, y, w, h, 9*u, paint.Glass)
	c.Text(font, x+w/2, y+h/2+font.High/2, 0.5, line, t)
}

// statusBox returns the rectangle of the status.
func statusBox(c *paint.Canvas) (x, y, w, h float64) {
	u := c.Unit
	return 12 * u, 12 * u, 214 * u, 48 * u
}

// drawSticks draws the sticks, faintly if they are not held, and the touch buttons.
func (s *Stage) drawSticks() {
	c, k := s.canvas, &s.Controls
	u := c.Unit
	for i, st := range [...]*stick{&k.left, &k.right} {
		t := paint.Own
		if i == 1 {
			if t = paint.Fair; k.bind.Push == 0 {
				continue // the stick that turns the camera is invisible
			}
		}
		x0, y0, x, y, strength := st.x0, st.y0, st.x, st.y, 0.75
		if !st.held {
			x0, y0, strength = 84*u+float64(i)*(c.W-168*u), c.H-112*u, 0.35
			x, y = x0, y0
		}
		c.Disc(x0, y0, 2*reach*u, t.Fade(0.10))
		c.Ring(x0, y0, 2*reach*u, 4*u, t.Fade(strength*0.6))
		c.Disc(x, y, 52*u, t.Fade(strength))
	}
	for i, p := range k.bind.Pads {
		if i >= len(k.pads) {
			break
		}
		x, y, d := k.padAt(c, i)
		strength := 0.35
		if k.pads[i].held {
			strength = 0.75
		}
		c.Disc(x, y, d, paint.Fair.Fade(0.10))
		c.Ring(x, y, d, 4*u, paint.Fair.Fade(strength))
		c.Label(c.Bold, x, y+c.Bold.High/2, 0.5, p.Name, paint.White.Fade(0.5+strength/2))
	}
}
