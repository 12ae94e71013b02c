package stage

import (
	"syscall/js"
	"time"

	"github.com/tactusgo/tactus/systems/devtools/runner/browser"
)

// player returns the player id of this tab.
func player() uint64 { return browser.Player() }

// listen receives chat lines from the text field of the page, which phones need, and forwards the state of the thumbs.
func (s *Stage) listen() {
	s.Controls.touch = js.Global().Call("matchMedia", "(pointer: coarse)").Get("matches").Bool()
	document := js.Global().Get("document")
	document.Call("addEventListener", "leave", js.FuncOf(func(js.Value, []js.Value) any {
		go func() { // an event handler must not block
			s.mu.Lock()
			defer s.mu.Unlock()
			s.online.seat.leaves = s.online.seat.token != nil
		}()
		return nil
	}))
	browser.OnLeave(func() {
		go func() { // an event handler must not block; this runs before the page closes
			s.mu.Lock()
			defer s.mu.Unlock()
			s.online.leave(time.Now())
		}()
	}, func() {
		go func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.online.back(time.Now())
		}()
	})
	talker, ok := s.scene.(Talker)
	if !ok {
		return
	}
	announce("talks", "")
	document.Call("addEventListener", "say", js.FuncOf(func(_ js.Value, events []js.Value) any {
		text := events[0].Get("detail").String()
		if text == "" {
			return nil
		}
		go func() { // an event handler must not block
			s.mu.Lock()
			defer s.mu.Unlock()
			s.say(talker, text)
		}()
		return nil
	}))
}

// announceEnd reports the end of the session on a seat to the page.
func announceEnd(why error) { browser.Ended(why) }

// announce dispatches an event to the page.
func announce(kind, detail string) {
	event := js.Global().Get("CustomEvent").New(kind, map[string]any{"detail": detail})
	js.Global().Get("document").Call("dispatchEvent", event)
}
