package main

import "syscall/js"

// listen passes on the lines that are written on the page, where a phone has its keys,
// and shows where its thumbs go.
func (a *app) listen() {
	a.controls.touch = js.Global().Call("matchMedia", "(pointer: coarse)").Get("matches").Bool()
	js.Global().Get("document").Call("addEventListener", "say", js.FuncOf(func(_ js.Value, events []js.Value) any {
		text := events[0].Get("detail").String()
		if text == "" {
			return nil
		}
		go func() { // an event may wait for nothing
			a.mu.Lock()
			defer a.mu.Unlock()
			a.online.say(text)
		}()
		return nil
	}))
}
