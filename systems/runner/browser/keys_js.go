package browser

import "syscall/js"

// Keys are the keys of the page that are pressed, by the names that browsers give them: "a", "ArrowLeft", " ", "Enter". A key
// that was pressed and released since it was asked about last counts as pressed once.
type Keys struct{ down map[string]key }

// key is what became of a key that was pressed.
type key struct{ asked, released bool }

// NewKeys follows the keys of the page. Who looks elsewhere presses none.
func NewKeys() *Keys {
	k := &Keys{map[string]key{}}
	on("keydown", func(event js.Value) {
		name := event.Get("key").String()
		k.down[name] = key{asked: k.down[name].asked && event.Get("repeat").Bool()}
	})
	on("keyup", func(event js.Value) {
		name := event.Get("key").String()
		if x, down := k.down[name]; x.asked {
			delete(k.down, name)
		} else if down {
			k.down[name] = key{released: true}
		}
	})
	on("blur", func(js.Value) { clear(k.down) })
	return k
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
