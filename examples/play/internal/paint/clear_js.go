package paint

import "syscall/js"

// clearTo has all frames begin in a colour, where the page clears the screen: it says
// whether. See clearly in page.js.
func clearTo(t Tint) bool {
	gl := js.Global().Get("document").Call("querySelector", "canvas").Call("getContext", "webgl2")
	if !gl.Truthy() || !gl.Get("clears").Truthy() {
		return false
	}
	gl.Call("clearColor", t.R, t.G, t.B, 1)
	return true
}
