package stage

import (
	"syscall/js"
	"time"

	"github.com/tactusgo/tactus/systems/devtools/runner/browser"
)

// player is who plays in this tab.
func player() uint64 { return browser.Player() }

// listen passes on the lines that are written on the page, where a phone has its keys,
// and shows where its thumbs go.
func (s *Stage) listen() {
	s.Controls.touch = js.Global().Call("matchMedia", "(pointer: coarse)").Get("matches").Bool()
	document := js.Global().Get("document")
	document.Call("addEventListener", "leave", js.FuncOf(func(js.Value, []js.Value) any {
		go func() { // an event may wait for nothing
			s.mu.Lock()
			defer s.mu.Unlock()
			s.online.seat.leaves = s.online.seat.token != nil
		}()
		return nil
	}))
	browser.OnLeave(func() {
		go func() { // an event may wait for nothing; this runs before the page is gone
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
		go func() { // an event may wait for nothing
			s.mu.Lock()
			defer s.mu.Unlock()
			s.say(talker, text)
		}()
		return nil
	}))
}

// announceEnd tells the page why the session on its seat has ended.
func announceEnd(why error) { browser.Ended(why) }

// announce tells the page what has happened, by an event of that kind.
func announce(kind, detail string) {
	event := js.Global().Get("CustomEvent").New(kind, map[string]any{"detail": detail})
	js.Global().Get("document").Call("dispatchEvent", event)
}
