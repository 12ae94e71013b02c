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
// did not start on a button or similar, presses the arrow keys of its direction. The page needs the style html {
// touch-action: none }.
func NewKeys() *Keys {
	k := &Keys{map[string]key{}}
	on("keydown", func(event js.Value) { k.press(event.Get("key").String(), event.Get("repeat").Bool()) })
	on("keyup", func(event js.Value) { k.release(event.Get("key").String()) })
	on("blur", func(js.Value) { clear(k.down) })
	k.followThumb()
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

// controls matches elements that handle touches themselves.
const controls = "a, button, input, label, select, textarea"

// followThumb lets the first finger on the page press arrow keys.
func (k *Keys) followThumb() {
	finger, x0, y0 := -1, 0.0, 0.0 // starting point
	arrows := [...]string{"ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"}
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
		for i, far := range [...]float64{-x, x, -y, y} {
			if d > deadZone && far > slant*d {
				k.press(arrows[i], true)
			} else {
				k.release(arrows[i])
			}
		}
	})
	up := func(event js.Value) {
		if event.Get("pointerId").Int() != finger {
			return
		}
		finger = -1
		for _, name := range arrows {
			k.release(name)
		}
	}
	on("pointerup", up)
	on("pointercancel", up)
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
