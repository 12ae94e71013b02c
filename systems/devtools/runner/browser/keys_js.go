package browser

import (
	"math"
	"syscall/js"
)

const (
	// deadZone and reach are how far a thumb moves before it presses a key, and how far before it takes along where it came
	// down, in pixels of the page.
	deadZone, reach = 12, 56
	// slant is the sine of an eighth of a half turn: a thumb between two arrows presses both.
	slant = 0.3827
)

// Keys are the keys of the page that are pressed, by the names that browsers give them: "a", "ArrowLeft", " ", "Enter". A key
// that was pressed and released since it was asked about last counts as pressed once.
type Keys struct{ down map[string]key }

// key is what became of a key that was pressed.
type key struct{ asked, released bool }

// NewKeys follows the keys of the page. Who looks elsewhere presses none. A finger that moves on the page, but not
// from a button or the like, presses the arrow keys of its direction. The page needs the style html { touch-action: none }.
func NewKeys() *Keys {
	k := &Keys{map[string]key{}}
	on("keydown", func(event js.Value) { k.press(event.Get("key").String(), event.Get("repeat").Bool()) })
	on("keyup", func(event js.Value) { k.release(event.Get("key").String()) })
	on("blur", func(js.Value) { clear(k.down) })
	k.followThumb()
	return k
}

// press presses a key, or again while it is down.
func (k *Keys) press(name string, again bool) {
	k.down[name] = key{asked: k.down[name].asked && again}
}

// release releases a key, once somebody has asked about it.
func (k *Keys) release(name string) {
	if x, down := k.down[name]; x.asked {
		delete(k.down, name)
	} else if down {
		k.down[name] = key{released: true}
	}
}

// controls are what a finger on them is meant for.
const controls = "a, button, input, label, select, textarea"

// followThumb has the first finger on the page press arrow keys.
func (k *Keys) followThumb() {
	finger, x0, y0 := -1, 0.0, 0.0 // where it came down
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

// Axis is -1, 0 or 1, by two keys.
func (k *Keys) Axis(less, more string) (v int8) {
	if k.Down(less) {
		v--
	}
	if k.Down(more) {
		v++
	}
	return v
}
