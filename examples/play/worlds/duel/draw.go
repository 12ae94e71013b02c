package duel

import (
	"github.com/tactusgo/tactus/examples/duel/game"
	"github.com/tactusgo/tactus/examples/play/internal/paint"
)

// drawRing draws what stands: the hall, the floor, the ropes.
func (s *scene) drawRing(to *paint.Canvas) {
	p := &s.camera
	to.Backdrop(paint.RGB(0x0a1020))
	for i := range 5 { // lamps, and their light on the floor
		x := game.Width * (float64(i) + 0.5) / 5
		p.Glow(x, ground-204, 110, paint.RGB(0x5a72b8).Fade(0.5))
		p.Box(x, ground-212, 70, 6, 3, 0, paint.RGB(0xbfd0ff))
	}
	for i := range 3 {
		y := float64(ground - 45 - 42*i)
		p.Line(0, y, game.Width, y, 3, paint.GridLine.Toward(paint.Wall, 0.35+0.1*float64(i)))
	}
	for _, x := range []float64{0, game.Width} {
		p.Box(x, ground-72, 16, 150, 5, 0, paint.Wall)
	}
	p.Box(game.Width/2, ground+200, game.Width+30, 400, 6, 0, paint.RGB(0x1a2440))
	p.Box(game.Width/2, ground+5, game.Width+30, 10, 4, 0, paint.RGB(0x33437a))
}

// drawFighter draws a fighter in its phase: a body, a head, an arm.
func (s *scene) drawFighter(f *fighter, t paint.Tint) {
	p, way := &s.camera, 1.0
	if !f.Is.Right {
		way = -1
	}
	x, y := float64(f.Pos.X), float64(ground)
	dark := t.Toward(paint.Black, 0.35)
	p.Box(x, y+3, 60, 8, 4, 0, paint.Black.Fade(0.4))
	if f.Is.Phase == game.Fallen {
		p.Box(x, y-14, 84, 26, 10, 0, dark)
		p.Ball(x-way*54, y-16, 28, t)
		return
	}
	lean, fist := 0.0, 26.0 // of the head, forward; of the fist, from the middle
	switch f.Is.Phase {
	case game.Windup:
		lean, fist = -8, -18
	case game.Strike:
		lean, fist = 14, game.Reach-game.Wide/2
	case game.Recovery:
		lean, fist = 8, 44
	case game.Staggered:
		lean, fist = -18, 10
	}
	lean, fist = lean*way, fist*way
	hip, shoulder := x+0.2*lean, x+0.8*lean
	p.Line(hip-9, y-40, x-15, y-3, 13, dark)
	p.Line(hip+9, y-40, x+15, y-3, 13, dark)
	p.Line(hip, y-44, shoulder, y-80, 30, t)
	p.Ball(x+1.1*lean, y-114, 34, t)
	p.Disc(x+1.1*lean+8*way, y-116, 6, paint.Black)
	p.Line(shoulder, y-82, x+fist, y-76, 11, dark)
	p.Disc(x+fist, y-76, 20, paint.White.Toward(t, 0.35))
	switch {
	case f.Is.Guard:
		p.Line(x+26*way, y-112, x+26*way, y-46, 12, paint.White.Toward(t, 0.3))
	case f.Is.Phase == game.Strike:
		p.Glow(x+fist, y-76, 70, paint.White.Fade(0.5))
	case f.Is.Phase == game.Staggered:
		p.Glow(x+16*way, y-96, 90, paint.Bad.Fade(0.6))
	}
}

// drawCorner draws a fighter's lives and wins, on the side on which its corner is.
func (s *scene) drawCorner(to *paint.Canvas, f *fighter, t paint.Tint, own bool) {
	p := &s.camera
	x, y := p.OnScreen(float64(f.Pos.X), ground-158)
	u := to.Unit
	for i := range game.Lives {
		life := t
		if i >= int(f.Is.Lives) {
			life = paint.GridLine
		}
		to.Disc(x+float64(i-1)*15*u, y, 11*u, life)
	}
	if f.Is.Wins > 0 {
		b := appendInt(to.Bytes(), int(f.Is.Wins))
		to.Text(to.Bold, x, y-12*u, 0.5, b, paint.White)
	}
	if own {
		px, py := p.OnScreen(float64(f.Pos.X), ground+22)
		to.Shape([]paint.Point{{X: px, Y: py - 7*u}, {X: px - 7*u, Y: py + 5*u}, {X: px + 7*u, Y: py + 5*u}}, t)
	}
}
