package main

import (
	"math"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"github.com/tactusgo/tactus/examples/arena/game"
)

// stick is a thumb on a touch screen: where it came down, and where it is.
type stick struct {
	held   bool
	id     ebiten.TouchID
	x0, y0 float64
	x, y   float64
}

// controls is what the player does.
type controls struct {
	buttons uint8
	aim     uint16

	touch       bool // touched at least once, or made for it
	left, right stick
	mouse       bool // moved at least once
	points      bool // it says where to aim
	mx, my      int
	began       []ebiten.TouchID
	taps        [8]point // of this frame, and clicks
	nTaps       int
}

type point struct{ x, y float64 }

// reach is how far a stick goes, in points.
const reach = 56

// sample reads the devices. x and y are where the own player is on the screen; typing
// says that the keyboard writes a line; taken is whether a point of the screen belongs to
// a panel.
func (c *controls) sample(w, unit, x, y float64, typing bool, taken func(x, y float64) bool) {
	c.buttons, c.nTaps = 0, 0
	c.touches(w, unit, taken)
	mx, my := ebiten.CursorPosition()
	if (mx != c.mx || my != c.my) && (c.mx != 0 || c.my != 0) {
		c.mouse = true
	}
	c.mx, c.my = mx, my
	if inpututil.IsMouseButtonJustPressed(ebiten.MouseButtonLeft) {
		c.mouse = true
		c.tap(float64(mx), float64(my))
	}
	free := !taken(float64(mx), float64(my))
	if c.points = c.mouse && !c.left.held && !c.right.held; c.points {
		c.point(float64(mx)-x, float64(my)-y)
	}
	if free && ebiten.IsMouseButtonPressed(ebiten.MouseButtonLeft) {
		c.buttons |= game.Fire
	}
	if !typing {
		c.keys()
	}
	c.thumbs(unit)
}

func (c *controls) tap(x, y float64) {
	if c.nTaps < len(c.taps) {
		c.taps[c.nTaps] = point{x, y}
		c.nTaps++
	}
}

// point aims along a vector.
func (c *controls) point(dx, dy float64) {
	if dx != 0 || dy != 0 {
		c.aim = game.Bearing(float32(dx), float32(dy))
	}
}

func (c *controls) keys() {
	for _, k := range [...]struct {
		a, b   ebiten.Key
		button uint8
	}{
		{ebiten.KeyW, ebiten.KeyArrowUp, game.Up}, {ebiten.KeyS, ebiten.KeyArrowDown, game.Down},
		{ebiten.KeyA, ebiten.KeyArrowLeft, game.Left}, {ebiten.KeyD, ebiten.KeyArrowRight, game.Right},
		{ebiten.KeySpace, ebiten.KeySpace, game.Fire},
	} {
		if ebiten.IsKeyPressed(k.a) || ebiten.IsKeyPressed(k.b) {
			c.buttons |= k.button
		}
	}
	if dx, dy := walks(c.buttons); !c.mouse && !c.touch {
		c.point(dx, dy)
	}
}

// walks is the direction of pressed buttons.
func walks(b uint8) (dx, dy float64) {
	on := func(m uint8) float64 {
		if b&m != 0 {
			return 1
		}
		return 0
	}
	return on(game.Right) - on(game.Left), on(game.Down) - on(game.Up)
}

// touches follows the thumbs: the left half of the screen is for one, the right half
// for the other.
func (c *controls) touches(w, unit float64, taken func(x, y float64) bool) {
	c.began = inpututil.AppendJustPressedTouchIDs(c.began[:0])
	for _, id := range c.began {
		c.touch = true
		tx, ty := ebiten.TouchPosition(id)
		x, y := float64(tx), float64(ty)
		c.tap(x, y)
		s := &c.left
		if x > w/2 {
			s = &c.right
		}
		if !taken(x, y) && !s.held {
			*s = stick{held: true, id: id, x0: x, y0: y, x: x, y: y}
		}
	}
	for _, s := range [...]*stick{&c.left, &c.right} {
		if !s.held {
			continue
		}
		if inpututil.IsTouchJustReleased(s.id) {
			s.held = false
			continue
		}
		x, y := ebiten.TouchPosition(s.id)
		s.x, s.y = float64(x), float64(y)
		// The stick follows a thumb that goes beyond its reach.
		if d := math.Hypot(s.x-s.x0, s.y-s.y0); d > reach*unit {
			f := (d - reach*unit) / d
			s.x0 += (s.x - s.x0) * f
			s.y0 += (s.y - s.y0) * f
		}
	}
}

// thumbs turns sticks into buttons: eight directions, and shooting while the right one
// is pushed.
func (c *controls) thumbs(unit float64) {
	const dead = 12
	if s := &c.left; s.held {
		dx, dy := s.x-s.x0, s.y-s.y0
		if d := math.Hypot(dx, dy); d > dead*unit {
			const slant = 0.3827 // sine of an eighth of a half turn
			for _, b := range [...]struct {
				on     bool
				button uint8
			}{
				{dx > slant*d, game.Right}, {dx < -slant*d, game.Left}, {dy > slant*d, game.Down}, {dy < -slant*d, game.Up},
			} {
				if b.on {
					c.buttons |= b.button
				}
			}
			if !c.right.held {
				c.point(dx, dy)
			}
		}
	}
	if s := &c.right; s.held {
		dx, dy := s.x-s.x0, s.y-s.y0
		if math.Hypot(dx, dy) > dead*unit {
			c.point(dx, dy)
			c.buttons |= game.Fire
		}
	}
}
