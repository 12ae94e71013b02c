package main

import (
	"math"

	"github.com/tactusgo/tactus/examples/arena/game"
)

// Colours.
var (
	white       = rgb(0xffffff)
	black       = rgb(0x04070d)
	background  = rgb(0x060912)
	floor       = rgb(0x0d1426)
	gridLine    = rgb(0x1b2746)
	wall        = rgb(0x4d6bd6)
	droneColour = rgb(0x8d7bd8)
	ownColour   = rgb(0x4fe3ff)
	muted       = rgb(0x8fa2d6)
	bad         = rgb(0xff5d6c)
	good        = rgb(0x5fe08c)
	fair        = rgb(0xffc85a)
	glass       = tint{0.035, 0.06, 0.125, 0.78}
	colours     = [...]tint{
		rgb(0xff7a59), rgb(0xffc23d), rgb(0x9be15d), rgb(0xff5f9e), rgb(0xc58bff), rgb(0xffa14a), rgb(0x6ea8ff), rgb(0xe8e06a),
		rgb(0x3fd6a3), rgb(0xff8ad1),
	}
)

// drawWorld draws the arena and all in it.
func (a *app) drawWorld() {
	c := &a.canvas
	a.drawFloor()
	c.light(true)
	a.drawGlows()
	a.drawTracers()
	c.light(false)
	// One kind after the other: each reaches the screen at once.
	for _, part := range [...]func(*app, *actor, place){(*app).drawShadow, (*app).drawDrone, (*app).drawGun, (*app).drawBody} {
		for _, x := range a.scene.list {
			if at, ok := a.placeOf(x); ok && !x.own {
				part(a, x, at)
			}
		}
	}
	if own := a.scene.own; own != nil {
		if at, ok := a.placeOf(own); ok {
			a.drawShadow(own, at)
			a.drawGun(own, at)
			a.drawBody(own, at)
			c.ring(at.x, at.y, at.d*1.34, 1.6*a.scale, white.fade(0.5))
		}
	}
	c.light(true)
	a.drawSparks()
	c.light(false)
	for _, x := range a.scene.list {
		a.drawTag(x)
	}
	c.flush()
}

// drawFloor draws the ground with lines, and the walls.
func (a *app) drawFloor() {
	c, s := &a.canvas, a.scale
	x0, y0 := a.onScreen(0, 0)
	side := game.Size * s
	// Each place once, with what lies there: filling the screen twice shows.
	left, top := min(max(x0, 0), c.w), min(max(y0, 0), c.h)
	right, bottom := max(min(x0+side, c.w), 0), max(min(y0+side, c.h), 0)
	c.ground(0, 0, c.w, top, background)
	c.ground(0, bottom, c.w, c.h-bottom, background)
	c.ground(0, top, left, bottom-top, background)
	c.ground(right, top, c.w-right, bottom-top, background)
	if !a.cleared {
		c.ground(left, top, right-left, bottom-top, floor)
	}
	const cell, bold = 50, 4
	thin := max(c.unit, 1)
	for i := 0; i <= game.Size/cell; i++ {
		t := gridLine.fade(0.45)
		if i%bold == 0 {
			t = gridLine
		}
		if x := math.Round(x0 + float64(i*cell)*s); x >= 0 && x <= c.w {
			c.rect(x, top, thin, bottom-top, t)
		}
		if y := math.Round(y0 + float64(i*cell)*s); y >= 0 && y <= c.h {
			c.rect(left, y, right-left, thin, t)
		}
	}
	w := 5 * s
	for i, t := range [...]tint{wall.fade(0.16), wall.fade(0.3), wall} {
		d := w * float64(2-i) * 1.4
		c.rect(x0-w-d, y0-w-d, side+2*(w+d), w+d, t)
		c.rect(x0-w-d, y0+side, side+2*(w+d), w+d, t)
		c.rect(x0-w-d, y0, w+d, side, t)
		c.rect(x0+side, y0, w+d, side, t)
	}
}

// visible reports whether a circle is on the screen.
func (a *app) visible(x, y, r float64) bool {
	return x > -r && y > -r && x < a.canvas.w+r && y < a.canvas.h+r
}

// drawGlows draws the light around players and of their guns.
func (a *app) drawGlows() {
	c, s := &a.canvas, a.scale
	for _, x := range a.scene.list {
		px, py := a.onScreen(x.x, x.y)
		if x.client == 0 || x.down || !a.visible(px, py, 90*s) {
			continue
		}
		c.glow(px, py, 92*s, x.colour.fade(0.26*x.grown))
		if x.kick > 0 {
			sin, cos := math.Sincos(x.turn)
			f := x.kick / kickTime
			c.glow(px+cos*30*s, py+sin*30*s, 56*s*f, x.colour.toward(white, 0.5).fade(f))
		}
	}
}

func (a *app) drawTracers() {
	c, s := &a.canvas, a.scale
	for i := range a.scene.effects {
		e := &a.scene.effects[i]
		if e.kind != tracer {
			continue
		}
		// The bolt flies: its tail follows.
		f := e.age / e.life
		tail := min(f*1.1, 0.96)
		x0, y0 := a.onScreen(e.x+(e.dx-e.x)*tail, e.y+(e.dy-e.y)*tail)
		x1, y1 := a.onScreen(e.dx, e.dy)
		c.beam(x0, y0, x1, y1, e.size*s*3, e.t.fade(0.22*(1-f)))
		c.beam(x0, y0, x1, y1, e.size*s, e.t.fade(1-f*f))
	}
}

func (a *app) drawSparks() {
	c, s := &a.canvas, a.scale
	for i := range a.scene.effects {
		e := &a.scene.effects[i]
		f := e.age / max(e.life, 1e-6)
		x, y := a.onScreen(e.x, e.y)
		switch e.kind {
		case spark:
			d := e.size * s * (1 - f*0.6)
			c.glow(x, y, d*3.4, e.t.fade(0.9*(1-f)))
		case burst:
			d := e.size * s * (0.25 + 0.75*math.Sqrt(f))
			c.ring(x, y, d, 0.06*d, e.t.fade(1-f))
			c.glow(x, y, d*1.3, e.t.fade(0.5*(1-f)))
		}
	}
}

// place is where an actor is on the screen, and its diameter, in pixels.
type place struct{ x, y, d float64 }

// placeOf is where an actor is, if it is to be seen.
func (a *app) placeOf(x *actor) (at place, ok bool) {
	px, py := a.onScreen(x.x, x.y)
	grown := 1 - (1-x.grown)*(1-x.grown)
	return place{px, py, 2 * game.Radius * a.scale * grown}, !x.down && a.visible(px, py, 60*a.scale)
}

func (a *app) drawShadow(_ *actor, at place) {
	a.canvas.disc(at.x+2.5*a.scale, at.y+4*a.scale, at.d*1.06, tint{0, 0, 0, 0.35})
}

// flashing is an actor's colour, which brightens for a moment when it is hit.
func (x *actor) flashing() tint { return x.colour.toward(white, 0.75*x.flash/flashTime) }

func (a *app) drawDrone(x *actor, at place) {
	if x.client == 0 {
		a.canvas.token(a.canvas.drone, at.x, at.y, at.d*0.94, x.turn, x.flashing())
	}
}

// drawGun draws what a player holds.
func (a *app) drawGun(x *actor, at place) {
	if x.client == 0 {
		return
	}
	sin, cos := math.Sincos(x.turn)
	s, out := a.scale, at.d*0.59-4*a.scale*x.kick/kickTime
	t := x.flashing().toward(white, 0.45)
	dark := t.toward(black, 0.6)
	a.canvas.slab(at.x+cos*out, at.y+sin*out, 25*s, 11.5*s, 3*s, cos, sin, dark)
	a.canvas.slab(at.x+cos*out, at.y+sin*out, 22*s, 8.5*s, 2*s, cos, sin, t)
}

func (a *app) drawBody(x *actor, at place) {
	if x.client != 0 {
		a.canvas.token(a.canvas.body, at.x, at.y, at.d, 0, x.flashing())
	}
}

// drawTag draws name and health over an actor.
func (a *app) drawTag(x *actor) {
	c, s := &a.canvas, a.scale
	px, py := a.onScreen(x.x, x.y)
	if x.down || !a.visible(px, py, 60*s) {
		return
	}
	py -= (game.Radius + 9) * s
	if x.shown < 99 {
		w, h := 40*s, max(math.Round(4.5*s), 3)
		full := min(max(x.shown/game.MaxHealth, 0), 1)
		c.rect(px-w/2-1, py-1, w+2, h+2, tint{0, 0, 0, 0.6})
		c.rect(px-w/2, py, w*full, h, healthColour(full))
		py -= 5 * s
	}
	if x.client != 0 && !x.own {
		c.text(c.glyphs.small, px, py-1*s, 0.5, x.name.AppendTo(c.buf[:0]), x.colour.toward(white, 0.45))
	}
}

// healthColour goes from green to red.
func healthColour(f float64) tint {
	if f > 0.5 {
		return fair.toward(good, 2*f-1)
	}
	return bad.toward(fair, 2*f)
}
