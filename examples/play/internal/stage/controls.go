package stage

import (
	"math"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"github.com/tactusgo/tactus/examples/play/internal/paint"
)

// stick is a thumb on a touch screen with its starting and current position.
type stick struct {
	held   bool
	id     ebiten.TouchID
	x0, y0 float64
	x, y   float64
}

// Controls is the state of keyboard, mouse and thumbs.
type Controls struct {
	bind    Bindings
	now     uint32 // buttons in this frame
	shown   uint32 // buttons shown by frames since the newest tick
	filling bool   // an input is being gathered
	ticking bool   // it is the input of a tick

	unit           float64 // pixels per point
	touch          bool    // touched at least once, or a touch device
	left, right    stick
	pads           [4]stick
	mouse          bool // moved at least once
	mx, my         int
	lookX, lookY   float64 // movement not yet read by Look
	dragging, free bool
	began          []ebiten.TouchID
	taps           [8]paint.Point // taps and clicks in this frame
	nTaps          int
}

// reach is the length of a stick, in points.
const reach = 56

// Held returns the pressed buttons. While an input is gathered, it includes buttons that were pressed in any frame since
// the previous tick.
func (k *Controls) Held() uint32 {
	if k.filling {
		return k.now | k.shown
	}
	return k.now
}

// Press sets the buttons of this frame, for tests.
func (k *Controls) Press(buttons uint32) { k.now = buttons }

// Point moves the mouse to a pixel, for tests.
func (k *Controls) Point(x, y int) { k.mouse, k.mx, k.my = true, x, y }

// Mouse returns the position of the mouse in pixels. ok is false without a mouse, and while a thumb plays.
func (k *Controls) Mouse() (x, y float64, ok bool) {
	return float64(k.mx), float64(k.my), k.mouse && !k.left.held && !k.right.held
}

// Touch reports whether the player uses thumbs.
func (k *Controls) Touch() bool { return k.touch }

// Stick returns the offset of the left or right thumb from its starting point, from -1 to 1 on each axis, y down. ok is
// false while the thumb is not on the screen or has hardly moved.
func (k *Controls) Stick(right bool) (x, y float64, ok bool) {
	s := &k.left
	if right {
		s = &k.right
	}
	return s.pushed(k.unit)
}

// pushed returns the offset of a stick.
func (s *stick) pushed(unit float64) (x, y float64, ok bool) {
	const dead = 12
	x, y = s.x-s.x0, s.y-s.y0
	if !s.held || math.Hypot(x, y) <= dead*unit {
		return 0, 0, false
	}
	f := 1 / (reach * unit)
	return x * f, y * f, true
}

// Look returns the drag of the mouse or the turn of the right thumb since the previous call, in points, x to the right and
// y down.
func (k *Controls) Look() (x, y float64) {
	x, y = k.lookX, k.lookY
	k.lookX, k.lookY = 0, 0
	return x, y
}

// begin starts gathering an input, for a tick or for a frame.
func (k *Controls) begin(tick bool) {
	k.filling, k.ticking = true, tick
	if !tick {
		k.shown |= k.now
	}
}

// end ends gathering.
func (k *Controls) end() {
	if k.ticking {
		k.shown = 0
	}
	k.filling, k.ticking = false, false
}

// sample reads the devices. typing means that the keyboard writes a line. takes reports whether a point belongs to a panel.
func (k *Controls) sample(c *paint.Canvas, typing bool, takes func(c *paint.Canvas, x, y float64) bool) {
	k.now, k.nTaps, k.unit = 0, 0, max(c.Unit, 0.1)
	k.touches(c, takes)
	mx, my := ebiten.CursorPosition()
	if (mx != k.mx || my != k.my) && (k.mx != 0 || k.my != 0) {
		k.mouse = true
	}
	k.drag(mx, my)
	k.mx, k.my = mx, my
	if inpututil.IsMouseButtonJustPressed(ebiten.MouseButtonLeft) {
		k.mouse = true
		k.tap(float64(mx), float64(my))
	}
	k.free = !takes(c, float64(mx), float64(my))
	if k.free && ebiten.IsMouseButtonPressed(ebiten.MouseButtonLeft) {
		k.now |= k.bind.Click
	}
	if !typing {
		for _, b := range k.bind.Keys {
			if ebiten.IsKeyPressed(b.Key) {
				k.now |= b.Buttons
			}
		}
	}
	k.thumbs()
}

func (k *Controls) tap(x, y float64) {
	if k.nTaps < len(k.taps) {
		k.taps[k.nTaps] = paint.Point{X: x, Y: y}
		k.nTaps++
	}
}

// drag accumulates the drag of the mouse.
func (k *Controls) drag(mx, my int) {
	down := ebiten.IsMouseButtonPressed(ebiten.MouseButtonRight) || k.bind.Click == 0 && ebiten.IsMouseButtonPressed(ebiten.MouseButtonLeft)
	if down && k.dragging {
		k.lookX += float64(mx-k.mx) / k.unit
		k.lookY += float64(my-k.my) / k.unit
	}
	k.dragging = down && (k.dragging || k.free)
}

// twoHanded reports whether the right half of the screen has its own thumb.
func (b *Bindings) twoHanded() bool { return b.Push != 0 || b.Turn }

// padAt returns the middle and the diameter of a round touch button, in pixels.
func (k *Controls) padAt(c *paint.Canvas, i int) (x, y, d float64) {
	d = 84 * c.Unit
	return c.W - 72*c.Unit, c.H - (84+104*float64(i))*c.Unit, d
}

// touches tracks the thumbs. If both have a function, each has its half of the screen.
func (k *Controls) touches(c *paint.Canvas, takes func(c *paint.Canvas, x, y float64) bool) {
	k.began = inpututil.AppendJustPressedTouchIDs(k.began[:0])
	for _, id := range k.began {
		k.touch = true
		tx, ty := ebiten.TouchPosition(id)
		x, y := float64(tx), float64(ty)
		k.tap(x, y)
		if takes(c, x, y) {
			continue
		}
		s := &k.left
		if x > c.W/2 && k.bind.twoHanded() {
			s = &k.right
		}
		for i := range k.bind.Pads {
			if px, py, d := k.padAt(c, i); i < len(k.pads) && math.Hypot(x-px, y-py) < d*0.6 {
				s = &k.pads[i]
			}
		}
		if !s.held {
			*s = stick{held: true, id: id, x0: x, y0: y, x: x, y: y}
		}
	}
	k.left.follow(k.unit)
	x, y := k.right.x, k.right.y
	if k.right.follow(k.unit); k.right.held && k.bind.Turn && !k.right.fresh(k.began) {
		k.lookX += (k.right.x - x) / k.unit
		k.lookY += (k.right.y - y) / k.unit
	}
	for i := range k.pads {
		k.pads[i].follow(k.unit)
	}
}

// fresh reports whether the thumb touched down in this frame.
func (s *stick) fresh(began []ebiten.TouchID) bool {
	for _, id := range began {
		if id == s.id {
			return true
		}
	}
	return false
}

// follow updates a stick from its thumb.
func (s *stick) follow(unit float64) {
	if !s.held {
		return
	}
	if inpututil.IsTouchJustReleased(s.id) {
		s.held = false
		return
	}
	x, y := ebiten.TouchPosition(s.id)
	s.x, s.y = float64(x), float64(y)
	// A thumb beyond the reach drags the starting point along.
	if d := math.Hypot(s.x-s.x0, s.y-s.y0); d > reach*unit {
		f := (d - reach*unit) / d
		s.x0 += (s.x - s.x0) * f
		s.y0 += (s.y - s.y0) * f
	}
}

// thumbs converts sticks and touch buttons to buttons.
func (k *Controls) thumbs() {
	if x, y, ok := k.left.pushed(k.unit); ok {
		const slant = 0.3827 // sine of an eighth of a half turn
		d := math.Hypot(x, y) * slant
		for i, on := range [...]bool{y < -d, y > d, x < -d, x > d} {
			if on {
				k.now |= k.bind.Walk[i]
			}
		}
	}
	if _, _, ok := k.right.pushed(k.unit); ok {
		k.now |= k.bind.Push
	}
	for i, p := range k.bind.Pads {
		if i < len(k.pads) && k.pads[i].held {
			k.now |= p.Buttons
		}
	}
}
