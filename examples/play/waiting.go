package main

import (
	"math"
	"strings"
	"time"
)

// drawWaiting says what there is to wait for, and why.
func (a *app) drawWaiting(now time.Time) {
	c := &a.canvas
	u := c.unit
	y := c.h * 0.34 // above the own player
	c.rect(0, 0, c.w, c.h, tint{0.02, 0.03, 0.07, 0.7})
	c.label(c.glyphs.huge, c.w/2, y, 0.5, "connecting", white)
	sin, cos := math.Sincos(float64(now.UnixMilli()%1000) / 1000 * 2 * math.Pi)
	for i := range 3 {
		f := float64(i-1) * 22 * u
		c.disc(c.w/2+f, y+26*u+sin*5*u*cos, 9*u, ownColour.fade(0.5+0.5*math.Abs(sin)))
	}
	if a.online.err != nil {
		c.label(c.glyphs.bold, c.w/2, c.h*0.62, 0.5, "there is no session yet; it goes on trying", white)
		c.lines(c.glyphs.small, c.w/2, c.h*0.62+24*u, min(c.w-32*u, 640*u), 18*u, a.online.err.Error(), bad.toward(white, 0.4))
	}
}

// lines draws text centred around x, in lines of at most that width.
func (c *canvas) lines(f *face, x, y, most, high float64, s string, t tint) {
	for s != "" {
		n := f.fits(s, most)
		c.label(f, x, y, 0.5, s[:n], t)
		s, y = strings.TrimLeft(s[n:], " \n"), y+high
	}
}

// fits is how many bytes of a text make a line of that width: it ends between words, and
// within one that is too long.
func (f *face) fits(s string, most float64) int {
	at, space := 0.0, 0
	for i, r := range s {
		if r == '\n' && i > 0 {
			return i
		}
		if r == ' ' {
			space = i
		}
		if at += f.glyph(r).advance; at > most && i > 0 {
			if space > 0 {
				return space
			}
			return i
		}
	}
	return len(s)
}
