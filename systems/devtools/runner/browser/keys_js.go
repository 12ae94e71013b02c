package browser

import (
	"math"
	"syscall/js"
)

const (
	// deadZone is how far a thumb moves before it presses a key. reach is how far it moves before its starting point
	// follows. Both are in pixels of the page.
	deadZone, reach = 12, 56
	// slant is the sine of 22.5 degrees. A thumb between two arrow directions presses both keys.
	slant = 0.3827
)

// Keys are the pressed keys of the page, by their names in browsers: "a", "ArrowLeft", " ", "Enter". A key that was pressed
// and released since the last query counts as pressed once.
type Keys struct{ down map[string]key }

// key is the state of a pressed key.
type key struct{ asked, released bool }

// NewKeys reads the keys of the page. When the page loses focus, it releases all keys. A finger that moves on the page, but
// did not start on a button or similar, presses the arrow keys of its direction. So do the left stick and the direction
// buttons of a gamepad with the standard layout. The page needs the style html { touch-action: none }.
func NewKeys() *Keys {
	k := &Keys{map[string]key{}}
	on("keydown", func(event js.Value) { k.press(event.Get("key").String(), event.Get("repeat").Bool()) })
	on("keyup", func(event js.Value) { k.release(event.Get("key").String()) })
	on("blur", func(js.Value) { clear(k.down) })
	k.followThumb()
	k.followPad()
	return k
}

// press marks a key as pressed. again is set for the browser's key repeat.
func (k *Keys) press(name string, again bool) {
	k.down[name] = key{asked: k.down[name].asked && again}
}

// release releases a key. If the key has not been queried since it was pressed, it stays pressed until the next query.
func (k *Keys) release(name string) {
	if x, down := k.down[name]; x.asked {
		delete(k.down, name)
	} else if down {
		k.down[name] = key{released: true}
	}
}

// arrows are the keys of directions.
var arrows = [...]string{"ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"}

// point presses the arrow keys of a direction, and releases the others. x and y are 0 for none.
func (k *Keys) point(x, y float64) {
	d := math.Hypot(x, y)
	for i, far := range [...]float64{-x, x, -y, y} {
		if far > slant*d {
			k.press(arrows[i], true)
		} else {
			k.release(arrows[i])
		}
	}
}

// controls matches elements that handle touches themselves.
const controls = "a, button, input, label, select, textarea"

// followThumb lets the first finger on the page press arrow keys.
func (k *Keys) followThumb() {
	finger, x0, y0 := -1, 0.0, 0.0 // starting point
	on("pointerdown", func(event js.Value) {
		if finger < 0 && event.Get("pointerType").String() == "touch" && event.Get("target").Call("closest", controls).IsNull() {
			finger, x0, y0 = event.Get("pointerId").Int(), event.Get("clientX").Float(), event.Get("clientY").Float()
		}
	})
	on("pointermove", func(event js.Value) {
		if event.Get("pointerId").Int() != finger {
			return
		}
		x, y := event.Get("clientX").Float()-x0, event.Get("clientY").Float()-y0
		d := math.Hypot(x, y)
		if d > reach {
			x0, y0 = x0+x*(1-reach/d), y0+y*(1-reach/d)
		}
		if d <= deadZone {
			x, y = 0, 0
		}
		k.point(x, y)
	})
	up := func(event js.Value) {
		if event.Get("pointerId").Int() != finger {
			return
		}
		finger = -1
		k.point(0, 0)
	}
	on("pointerup", up)
	on("pointercancel", up)
}

// firstPad returns the first gamepad, or undefined where there is none and in a frame that must not read gamepads.
func firstPad() (pad js.Value) {
	defer func() { _ = recover() }()
	return js.Global().Get("navigator").Call("getGamepads").Index(0)
}

// followPad lets the first gamepad press arrow keys. Browsers have no events of gamepads, so it asks before each frame.
func (k *Keys) followPad() {
	const left, right, up, down = 14, 15, 12, 13 // buttons of the standard layout
	asks, pointed := false, false
	var ask js.Func
	ask = js.FuncOf(func(js.Value, []js.Value) any {
		js.Global().Call("requestAnimationFrame", ask)
		pad := firstPad()
		if !pad.Truthy() || pad.Get("mapping").String() != "standard" {
			return nil
		}
		axes, buttons := pad.Get("axes"), pad.Get("buttons")
		pressed := func(less, more int) (v float64) {
			if buttons.Index(less).Get("pressed").Bool() {
				v--
			}
			if buttons.Index(more).Get("pressed").Bool() {
				v++
			}
			return v
		}
		x, y := axes.Index(0).Float()+pressed(left, right), axes.Index(1).Float()+pressed(up, down)
		if math.Hypot(x, y) < 0.3 {
			x, y = 0, 0
		}
		if now := x != 0 || y != 0; now || pointed {
			pointed = now
			k.point(x, y)
		}
		return nil
	})
	on("gamepadconnected", func(js.Value) {
		if !asks {
			asks = true
			js.Global().Call("requestAnimationFrame", ask)
		}
	})
}

// on calls f for each event of a kind.
func on(kind string, f func(event js.Value)) {
	js.Global().Call("addEventListener", kind, js.FuncOf(func(_ js.Value, args []js.Value) any {
		f(args[0])
		return nil
	}))
}

// Down reports whether a key is pressed.
func (k *Keys) Down(name string) bool {
	x, down := k.down[name]
	if x.asked = true; x.released {
		delete(k.down, name)
	} else if down {
		k.down[name] = x
	}
	return down
}

// Axis returns -1, 0 or 1, according to two keys.
func (k *Keys) Axis(less, more string) (v int8) {
	if k.Down(less) {
		v--
	}
	if k.Down(more) {
		v++
	}
	return v
}
