//go:build !js

package main

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/examples/play/internal/paint"
	"github.com/tactusgo/tactus/examples/play/internal/playtest"
)

// text is what an element of the page says.
func (b *browser) text(selector string) string {
	b.Helper()
	said, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](`document.querySelector("`+selector+`").textContent`))
	if err != nil {
		b.Fatal(err)
	}
	return said
}

// compiled makes the page count the shader programs that it compiles, from its next start on, and returns their number. The page
// stands still while it compiles one, for seconds where the browser draws in software.
func (b *browser) compiled() func() int {
	b.Helper()
	if _, err := chromedp.Call(b.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: `{
		const gl = WebGL2RenderingContext.prototype, link = gl.linkProgram;
		window.compiled = 0;
		gl.linkProgram = function(program) { window.compiled++; return link.call(this, program); };
	}`}); err != nil {
		b.Fatal(err)
	}
	return func() int {
		b.Helper()
		n, err := chromedp.Run(b.ctx, chromedp.Evaluate[int](`window.compiled`))
		if err != nil {
			b.Fatal(err)
		}
		return n
	}
}

// enter presses the key as keyboards do, who also type it.
func (b *browser) enter() {
	b.Helper()
	if _, err := chromedp.Call(b.ctx, input.DispatchKeyEvent, input.DispatchKeyEventParams{
		Type: input.DispatchKeyEventTypeKeyDown, Key: "Enter", Code: "Enter", Text: "\r"}); err != nil {
		b.Fatal(err)
	}
}

// faults collects what a page complains of.
func (b *browser) faults() func() []string {
	var all []string
	done := make(chan struct{})
	said := make(chan string)
	messages := chromedp.Console(b.ctx)
	go func() {
		defer close(said)
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.IsException() || m.Type == "error" || m.Type == "assert" {
				select {
				case said <- m.String():
				case <-done:
					return
				}
			}
		}
	}()
	b.Cleanup(func() { close(done) })
	return func() []string {
		for {
			select {
			case s, ok := <-said:
				if !ok {
					return all
				}
				all = append(all, s)
			case <-time.After(100 * time.Millisecond):
				return all
			}
		}
	}
}

// The arena's page in three.js: each step is a thing that people do, and is over when the server, or another client, has
// seen it. The page complains of nothing but the socket that was cut.
func TestThree(t *testing.T) {
	m := playtest.New(t, playtest.Config{Bots: 8})
	m.Look()
	m.Three(t)
	b := browse(t, 800, 450, 1, false)
	faults, compiled, before := b.faults(), b.compiled(), 0
	ada := func() playtest.Known { p, _ := m.Player("Ada"); return p }

	b.step("the usual page leads there", func() {
		b.do(chromedp.Navigate(m.URL), chromedp.WaitVisible("#second a"))
		b.picture("three-0-usual")
		b.do(chromedp.Click("#second a"), chromedp.WaitVisible("#view"), chromedp.WaitEnabled("#play"))
		b.picture("three-1-title")
		before = compiled()
	})
	b.step("it joins", func() {
		b.do(chromedp.SendKeys("#name", "Ada\r"), chromedp.WaitNotVisible("#card"))
		playtest.Until(b.T, "the player is there", func() bool { return ada().Client != 0 })
		playtest.Until(b.T, "it shows who plays", func() bool { return strings.Contains(b.text("#scores"), "Ada") })
	})
	b.step("it moves by key press, and the server sees it", func() {
		before := ada()
		b.insist("the player has walked", func(int) {
			if ada().X > game.Size/2 {
				b.press("a", "KeyA", time.Second)
			} else {
				b.press("d", "KeyD", time.Second)
			}
		}, func() bool { return ada().Walked > before.Walked+60 })
	})
	b.step("another client sees it", func() {
		playtest.Until(b.T, "another client draws it where it is", func() bool {
			p := ada()
			at := m.Drawn(p.Client)
			return p.Client != 0 && math.Hypot(at.X-float64(p.X), at.Y-float64(p.Y)) < 1
		})
	})
	b.step("it shoots where the mouse is", func() {
		before := ada()
		b.mouse(input.DispatchMouseEventTypeMouseMoved, 550, 163)
		b.insist("the player has shot up and to the right", func(int) { b.mouse(input.DispatchMouseEventTypeMousePressed, 556, 156) },
			func() bool { p := ada(); return p.Shots-before.Shots > 3 && p.Aim > -math.Pi/2 && p.Aim < 0 })
		b.picture("three-2-game")
		b.mouse(input.DispatchMouseEventTypeMouseReleased, 556, 156)
	})
	b.step("a tap between two frames shoots too", func() {
		before := ada()
		b.insist("the player has shot", func(int) { b.tap(" ", "Space") }, func() bool { return ada().Shots > before.Shots })
	})
	b.step("it chats, and another client is told", func() {
		b.insist("the line is there", func(int) {
			b.press("Escape", "Escape", 200*time.Millisecond) // what a key that was missed has left open
			b.press("Enter", "Enter", 200*time.Millisecond)
			b.typeText("hello")
			b.enter()
		}, func() bool { return m.ToldLast() == "hello" })
		playtest.Until(b.T, "it shows the line too", func() bool { return strings.Contains(b.text("#lines"), "Ada hello") })
	})
	b.step("it shows figures of the network", func() {
		b.insist("they are there", func(int) { b.press("F3", "F3", 100*time.Millisecond) },
			func() bool { return strings.Contains(b.text("#figures"), "round trip") })
		b.picture("three-3-figures")
	})
	if all := faults(); len(all) > 0 {
		t.Errorf("the console has %q", all)
	}
	if n := compiled(); n != before || n == 0 {
		t.Errorf("%d shader programs were compiled before the match, and %d in it", before, n-before)
	}
	b.step("it goes on when its socket drops", func() {
		before, connections := ada(), m.Proxy.Connections()
		m.Proxy.Cut()
		playtest.Until(b.T, "it connects anew", func() bool { return m.Proxy.Connections() > connections })
		b.insist("the same player shoots", func(int) { b.press(" ", "Space", 500*time.Millisecond) },
			func() bool { p := ada(); return p.Client == before.Client && p.Shots != before.Shots })
		playtest.Until(b.T, "it says no more that the link is gone", func() bool { return b.text("#link") == "" })
	})
	b.step("it says when the server is gone, and goes on when that is back", func() {
		m.Proxy.Refuse(true)
		m.Proxy.Cut()
		playtest.Until(b.T, "it says that there is no link", func() bool { return b.text("#link") != "" })
		b.picture("three-4-no-link")
		b.do(chromedp.WaitVisible("#link button"))
		b.picture("three-5-reconnecting")
		m.Proxy.Refuse(false)
		b.do(chromedp.Click("#link button"))
		playtest.Until(b.T, "it says no more that the link is gone", func() bool { return b.text("#link") == "" })
		before := ada()
		b.insist("a player walks", func(int) { b.press("s", "KeyS", 500*time.Millisecond); b.press("w", "KeyW", 500*time.Millisecond) },
			func() bool { p := ada(); return p.Client != 0 && p.Walked > before.Walked+60 })
	})
	for _, fault := range faults() {
		if !strings.Contains(fault, "WebSocket connection to") {
			t.Errorf("the console has %q", fault)
		}
	}
}

// A phone plays it by touch.
func TestThreeOnPhone(t *testing.T) {
	m := playtest.New(t, playtest.Config{Bots: 8})
	m.Three(t)
	b := browse(t, 390, 844, 2, true)
	bo := func() playtest.Known { p, _ := m.Player("Bo"); return p }

	b.step("it joins by a link", func() {
		b.do(chromedp.Navigate(m.URL+"/three/?name=Bo"), chromedp.WaitNotVisible("#card"))
		playtest.Until(b.T, "the player is there", func() bool { return bo().Client != 0 })
	})
	b.step("it shows where the thumbs go", func() {
		b.do(chromedp.WaitVisible(".stick.left"), chromedp.WaitVisible(".stick.right"))
	})
	b.step("it walks and shoots by touch", func() {
		before := bo()
		b.insist("the player has walked and shot", func(int) {
			toward := 1.0
			if bo().X > game.Size/2 {
				toward = -1
			}
			left, right := paint.Point{X: 90, Y: 700}, paint.Point{X: 300, Y: 700}
			b.touch(input.DispatchTouchEventTypeTouchStart, left, right)
			left.X += 40 * toward
			right.Y -= 40
			b.touch(input.DispatchTouchEventTypeTouchMove, left, right)
			time.Sleep(time.Second)
			b.picture("three-6-phone")
			b.touch(input.DispatchTouchEventTypeTouchEnd)
		}, func() bool { p := bo(); return p.Walked > before.Walked+60 && p.Shots-before.Shots > 2 })
	})
}
