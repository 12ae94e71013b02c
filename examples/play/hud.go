package main

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/tactusgo/tactus/examples/arena/game"
)

// drawHUD draws what lies over the world.
func (a *app) drawHUD(now time.Time) {
	c := &a.canvas
	u := c.unit
	if !a.was {
		a.drawWaiting(now)
		return
	}
	a.drawHealth()
	a.drawStatus()
	a.drawScores()
	a.drawMap()
	a.drawSilence(now)
	a.chat.draw(c, a.panel, a.controls.touch, now)
	if a.controls.touch {
		a.drawSticks()
	} else if a.controls.mouse && !a.panel.takes(c, float64(a.controls.mx), float64(a.controls.my)) {
		x, y := float64(a.controls.mx), float64(a.controls.my)
		c.ring(x, y, 22*u, 1.6*u, white.fade(0.8))
		c.disc(x, y, 4*u, ownColour)
	}
}

// drawStatus draws name, frames a second and the round trip: tapping them opens the
// overlay.
func (a *app) drawStatus() {
	c := &a.canvas
	u := c.unit
	g := c.glyphs
	x, y, w, h := statusBox(c)
	c.panel(x, y, w, h, 9*u, glass)
	s := a.online.client.Stats()
	rtt := float64(s.Session.RTT.Microseconds()) / 1000
	quality := good
	if rtt > 120 || s.Session.LossIn > 0.03 {
		quality = fair
	}
	if rtt > 250 || s.Session.LossIn > 0.1 || a.silence.lasts(a.frame) > 0 {
		quality = bad
	}
	c.disc(x+17*u, y+h/2, 9*u, quality)
	name := append(c.buf[:0], "…"...)
	if a.scene.own != nil {
		name = a.scene.own.name.AppendTo(c.buf[:0])
	}
	c.text(g.bold, x+30*u, y+20*u, 0, name, white)
	b := strconv.AppendInt(c.buf[:0], int64(rtt+0.5), 10)
	b = append(b, " ms   "...)
	b = strconv.AppendInt(b, int64(a.fps+0.5), 10)
	b = append(b, " fps"...)
	if s.Session.LossIn >= 0.005 {
		b = append(b, "   "...)
		b = strconv.AppendInt(b, int64(s.Session.LossIn*100+0.5), 10)
		b = append(b, "% lost"...)
	}
	c.text(g.small, x+30*u, y+37*u, 0, b, muted)
	hint := "F3"
	if a.controls.touch {
		hint = "net"
	}
	c.label(g.small, x+w-12*u, y+28*u, 1, hint, muted.fade(0.7))
}

// statusBox is where the status is.
func statusBox(c *canvas) (x, y, w, h float64) {
	u := c.unit
	return 12 * u, 12 * u, 214 * u, 48 * u
}

// drawScores draws the best players, and the own one.
func (a *app) drawScores() {
	c := &a.canvas
	u := c.unit
	const rows = 5
	var best [rows]*actor
	n := 0
	for _, x := range a.scene.list {
		if x.client == 0 {
			continue
		}
		at := n
		for at > 0 && x.kills > best[at-1].kills {
			at--
		}
		if at < rows {
			copy(best[at+1:], best[at:rows-1])
			best[at] = x
			n = min(n+1, rows)
		}
	}
	if own := a.scene.own; own != nil && n == rows && !slices.Contains(best[:], own) {
		best[rows-1] = own
	}
	w, line := 168*u, 20*u
	x, y := c.w-w-12*u, 12*u
	if c.w < 460*u { // below the status
		y = 70 * u
		x = c.w - w - 8*u
	}
	if a.panel.covers(c, x, y, w, line*float64(n)+14*u) {
		return
	}
	c.panel(x, y, w, line*float64(n)+14*u, 9*u, glass)
	for i, p := range best[:n] {
		base := y + 7*u + line*float64(i) + 14*u
		t := p.colour.toward(white, 0.35)
		if p.own {
			c.rect(x, base-15*u, 3*u, line, ownColour)
			t = white
		}
		c.text(c.glyphs.normal, x+12*u, base, 0, p.name.AppendTo(c.buf[:0]), t)
		c.text(c.glyphs.bold, x+w-12*u, base, 1, strconv.AppendInt(c.buf[:0], int64(p.kills), 10), t)
	}
}

// drawMap draws where everybody is.
func (a *app) drawMap() {
	c := &a.canvas
	u := c.unit
	side := 128 * u
	x, y := c.w-side-12*u, c.h-side-12*u
	if a.controls.touch || c.w < 460*u {
		side = 92 * u
		x, y = 12*u, 70*u
	}
	if a.panel.covers(c, x, y, side, side) {
		return
	}
	c.panel(x, y, side, side, 9*u, glass)
	f := (side - 12*u) / game.Size
	for _, p := range a.scene.list {
		if p.down {
			continue
		}
		px, py := x+6*u+p.x*f, y+6*u+p.y*f
		switch {
		case p.own:
			c.disc(px, py, 7*u, ownColour)
		case p.client != 0:
			c.disc(px, py, 5*u, p.colour)
		default:
			c.rect(px-u, py-u, 2*u, 2*u, droneColour.fade(0.7))
		}
	}
	// What is on the screen.
	w, h := c.w/a.scale*f, c.h/a.scale*f
	cx, cy := x+6*u+a.scene.cx*f, y+6*u+a.scene.cy*f
	x0, y0, x1, y1 := max(cx-w/2, x), max(cy-h/2, y), min(cx+w/2, x+side), min(cy+h/2, y+side)
	thin, t := max(math.Round(u*0.8), 1), white.fade(0.28)
	c.rect(x0, y0, x1-x0, thin, t)
	c.rect(x0, y1-thin, x1-x0, thin, t)
	c.rect(x0, y0, thin, y1-y0, t)
	c.rect(x1-thin, y0, thin, y1-y0, t)
}

// drawHealth draws the own health, or when the player is back.
func (a *app) drawHealth() {
	c, own := &a.canvas, a.scene.own
	if own == nil {
		return
	}
	u := c.unit
	if own.down {
		c.rect(0, 0, c.w, c.h, tint{0.02, 0, 0.03, 0.35})
		c.label(c.glyphs.huge, c.w/2, c.h*0.40, 0.5, "shot down", white)
		b := append(c.buf[:0], "back in "...)
		b = strconv.AppendFloat(b, max(game.Respawn-own.downFor, 0), 'f', 1, 64)
		b = append(b, " s"...)
		c.text(c.glyphs.big, c.w/2, c.h*0.40+32*u, 0.5, b, muted)
		return
	}
	if own.flash > 0 {
		f := own.flash / flashTime * 0.35
		edge := 26 * u
		for _, r := range [...][4]float64{{0, 0, c.w, edge}, {0, c.h - edge, c.w, edge}, {0, edge, edge, c.h - 2*edge}, {c.w - edge, edge, edge, c.h - 2*edge}} {
			c.rect(r[0], r[1], r[2], r[3], bad.fade(f))
		}
	}
	w, h := min(260*u, c.w*0.5), 12*u
	x, y := (c.w-w)/2, c.h-30*u
	full := min(max(own.shown/game.MaxHealth, 0), 1)
	c.panel(x-44*u, y-6*u, w+50*u, h+12*u, 9*u, glass)
	if full*w > h {
		c.panel(x, y, w*full, h, h/2, healthColour(full))
	}
	c.text(c.glyphs.bold, x-12*u, y+h/2+c.glyphs.bold.high/2, 1, strconv.AppendInt(c.buf[:0], int64(own.health), 10), white)
}

// drawSticks draws the thumbs' sticks, faintly where none is held.
func (a *app) drawSticks() {
	c := &a.canvas
	u := c.unit
	for i, s := range [...]*stick{&a.controls.left, &a.controls.right} {
		t := ownColour
		if i == 1 {
			t = colours[0]
		}
		x0, y0, x, y, strength := s.x0, s.y0, s.x, s.y, 0.75
		if !s.held {
			x0, y0, strength = 84*u+float64(i)*(c.w-168*u), c.h-112*u, 0.35
			x, y = x0, y0
		}
		c.disc(x0, y0, 2*reach*u, t.fade(0.10))
		c.ring(x0, y0, 2*reach*u, 4*u, t.fade(strength*0.6))
		c.disc(x, y, 52*u, t.fade(strength))
	}
}
