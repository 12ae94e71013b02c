package arena

import (
	"math"

	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/examples/play/internal/paint"
)

// droneColour is the colour of entities without an owner.
var droneColour = paint.RGB(0x8d7bd8)

// drawWorld draws the arena and its entities.
func (a *scene) drawWorld() {
	c := a.to
	a.camera.Field(game.Size, game.Size, 50)
	c.Light(true)
	a.drawGlows()
	a.drawTracers()
	c.Light(false)
	// Draw all parts of one kind in one draw call.
	for _, part := range [...]func(*scene, *actor, place){(*scene).drawShadow, (*scene).drawDrone, (*scene).drawGun, (*scene).drawBody} {
		for _, x := range a.list {
			if at, ok := a.placeOf(x); ok && !x.own {
				part(a, x, at)
			}
		}
	}
	if own := a.own; own != nil {
		if at, ok := a.placeOf(own); ok {
			a.drawShadow(own, at)
			a.drawGun(own, at)
			a.drawBody(own, at)
			c.Ring(at.x, at.y, at.d*1.34, 1.6*a.camera.Scale, paint.White.Fade(0.5))
		}
	}
	c.Light(true)
	a.drawSparks()
	c.Light(false)
	for _, x := range a.list {
		a.drawTag(x)
	}
	c.Flush()
}

// visible reports whether a circle is on the screen; all in pixels.
func (a *scene) visible(x, y, r float64) bool {
	return x > -r && y > -r && x < a.to.W+r && y < a.to.H+r
}

// drawGlows draws the light around players and of their guns.
func (a *scene) drawGlows() {
	c, s := a.to, a.camera.Scale
	for _, x := range a.list {
		px, py := a.camera.OnScreen(x.x, x.y)
		if x.client == 0 || x.down || !a.visible(px, py, 90*s) {
			continue
		}
		c.Glow(px, py, 92*s, x.colour.Fade(0.26*x.grown))
		if x.kick > 0 {
			sin, cos := math.Sincos(x.turn)
			f := x.kick / kickTime
			c.Glow(px+cos*30*s, py+sin*30*s, 56*s*f, x.colour.Toward(paint.White, 0.5).Fade(f))
		}
	}
}

func (a *scene) drawTracers() {
	c, s := a.to, a.camera.Scale
	for i := range a.effects {
		e := &a.effects[i]
		if e.kind != tracer {
			continue
		}
		// The tail follows the bolt.
		f := e.age / e.life
		tail := min(f*1.1, 0.96)
		x0, y0 := a.camera.OnScreen(e.x+(e.dx-e.x)*tail, e.y+(e.dy-e.y)*tail)
		x1, y1 := a.camera.OnScreen(e.dx, e.dy)
		c.Beam(x0, y0, x1, y1, e.size*s*3, e.t.Fade(0.22*(1-f)))
		c.Beam(x0, y0, x1, y1, e.size*s, e.t.Fade(1-f*f))
	}
}

func (a *scene) drawSparks() {
	c, s := a.to, a.camera.Scale
	for i := range a.effects {
		e := &a.effects[i]
		f := e.age / max(e.life, 1e-6)
		x, y := a.camera.OnScreen(e.x, e.y)
		switch e.kind {
		case spark:
			d := e.size * s * (1 - f*0.6)
			c.Glow(x, y, d*3.4, e.t.Fade(0.9*(1-f)))
		case burst:
			d := e.size * s * (0.25 + 0.75*math.Sqrt(f))
			c.Ring(x, y, d, 0.06*d, e.t.Fade(1-f))
			c.Glow(x, y, d*1.3, e.t.Fade(0.5*(1-f)))
		}
	}
}

// place is where an actor is on the screen, and its diameter, in pixels.
type place struct{ x, y, d float64 }

// placeOf is where an actor is, if it is to be seen.
func (a *scene) placeOf(x *actor) (at place, ok bool) {
	px, py := a.camera.OnScreen(x.x, x.y)
	grown := 1 - (1-x.grown)*(1-x.grown)
	return place{px, py, 2 * game.Radius * a.camera.Scale * grown}, !x.down && a.visible(px, py, 60*a.camera.Scale)
}

func (a *scene) drawShadow(_ *actor, at place) {
	a.to.Disc(at.x+2.5*a.camera.Scale, at.y+4*a.camera.Scale, at.d*1.06, paint.Tint{A: 0.35})
}

// flashing returns the colour of an actor, which brightens for a moment after a hit.
func (x *actor) flashing() paint.Tint { return x.colour.Toward(paint.White, 0.75*x.flash/flashTime) }

func (a *scene) drawDrone(x *actor, at place) {
	if x.client == 0 {
		a.to.Drone(at.x, at.y, at.d*0.94, x.turn, x.flashing())
	}
}

// drawGun draws the gun of a player.
func (a *scene) drawGun(x *actor, at place) {
	if x.client == 0 {
		return
	}
	sin, cos := math.Sincos(x.turn)
	s, out := a.camera.Scale, at.d*0.59-4*a.camera.Scale*x.kick/kickTime
	t := x.flashing().Toward(paint.White, 0.45)
	dark := t.Toward(paint.Black, 0.6)
	a.to.Slab(at.x+cos*out, at.y+sin*out, 25*s, 11.5*s, 3*s, cos, sin, dark)
	a.to.Slab(at.x+cos*out, at.y+sin*out, 22*s, 8.5*s, 2*s, cos, sin, t)
}

func (a *scene) drawBody(x *actor, at place) {
	if x.client != 0 {
		a.to.Ball(at.x, at.y, at.d, x.flashing())
	}
}

// drawTag draws name and health over an actor.
func (a *scene) drawTag(x *actor) {
	c, s := a.to, a.camera.Scale
	px, py := a.camera.OnScreen(x.x, x.y)
	if x.down || !a.visible(px, py, 60*s) {
		return
	}
	py -= (game.Radius + 9) * s
	if x.shown < 99 {
		w, h := 40*s, max(math.Round(4.5*s), 3)
		full := min(max(x.shown/game.MaxHealth, 0), 1)
		c.Rect(px-w/2-1, py-1, w+2, h+2, paint.Tint{A: 0.6})
		c.Rect(px-w/2, py, w*full, h, healthColour(full))
		py -= 5 * s
	}
	if x.client != 0 && !x.own {
		c.Text(c.Small, px, py-1*s, 0.5, x.name.AppendTo(c.Bytes()), x.colour.Toward(paint.White, 0.45))
	}
}

// healthColour goes from green to red.
func healthColour(f float64) paint.Tint {
	if f > 0.5 {
		return paint.Fair.Toward(paint.Good, 2*f-1)
	}
	return paint.Bad.Toward(paint.Fair, 2*f)
}
