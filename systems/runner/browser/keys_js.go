package browser

import "syscall/js"

// Keys are the keys of the page that are pressed, by the names that browsers give them: "a", "ArrowLeft", " ", "Enter".
type Keys struct{ down map[string]bool }

// NewKeys follows the keys of the page. Who looks elsewhere presses none.
func NewKeys() *Keys {
	k := &Keys{map[string]bool{}}
	on("keydown", func(event js.Value) { k.down[event.Get("key").String()] = true })
	on("keyup", func(event js.Value) { delete(k.down, event.Get("key").String()) })
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
func (k *Keys) Down(key string) bool { return k.down[key] }

// Axis is -1, 0 or 1, by two keys.
func (k *Keys) Axis(less, more string) (v int8) {
	if k.down[less] {
		v--
	}
	if k.down[more] {
		v++
	}
	return v
}
