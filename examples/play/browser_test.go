//go:build !js

package main

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/examples/play/internal/paint"
	"github.com/tactusgo/tactus/examples/play/internal/playtest"
	"github.com/tactusgo/tactus/examples/play/internal/stage"
	"github.com/tactusgo/tactus/systems/devtools/overlay"
)

// A page in a browser: each step is a thing that people do, and is over when the server,
// or another client, has seen it.
func TestBrowser(t *testing.T) {
	m := playtest.NewPage(t, playtest.Config{Bots: 8})
	b := browse(t, 1280, 720, 1, false)
	ada := func() playtest.Known { p, _ := m.Player("Ada"); return p }

	b.step("the page loads", func() {
		b.load(m, "1-title")
	})
	b.step("it joins", func() {
		b.do(chromedp.SendKeys("#name", "Ada\r"), chromedp.WaitVisible("canvas"))
		playtest.Until(b.T, "the player is there", func() bool { return ada().Client != 0 })
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
	b.step("it shoots", func() {
		before := ada()
		b.mouse(input.DispatchMouseEventTypeMouseMoved, 880, 260)
		b.insist("the player has shot", func(int) { b.mouse(input.DispatchMouseEventTypeMousePressed, 890, 250) },
			func() bool { return ada().Shots-before.Shots > 3 })
		b.picture("2-game")
		b.mouse(input.DispatchMouseEventTypeMouseReleased, 890, 250)
	})
	b.step("it chats, and another client is told", func() {
		b.insist("the line is there", func(int) {
			b.press("Escape", "Escape", 200*time.Millisecond) // what a key that was missed has left open
			b.press("Enter", "Enter", 200*time.Millisecond)
			b.typeText("hello")
			b.press("Enter", "Enter", 200*time.Millisecond)
		}, func() bool { return m.ToldLast() == "hello" })
	})
	b.step("a slider changes the measured round trip", func() {
		before := ada()
		x, y := sliderAt(b.T, 1280, 720, overlay.RoundTrip, 200)
		b.insist("the round trip is 150 ms longer", func(n int) {
			if n%3 == 0 {
				b.tap("F3", "F3")
			}
			hold := time.Duration(n+1) * 300 * time.Millisecond
			b.mouse(input.DispatchMouseEventTypeMouseMoved, x, y)
			time.Sleep(hold)
			b.mouse(input.DispatchMouseEventTypeMousePressed, x, y)
			time.Sleep(hold)
			b.mouse(input.DispatchMouseEventTypeMouseReleased, x, y)
			time.Sleep(hold)
		}, func() bool { return ada().RTT > before.RTT+150*time.Millisecond })
		b.press(" ", "Space", 2*time.Second) // shots, for the overlay to show what became of them
		time.Sleep(2 * time.Second)
		b.picture("3-overlay")
	})
	b.step("it goes on when its socket drops", func() {
		before, connections := ada(), m.Proxy.Connections()
		m.Proxy.Cut()
		playtest.Until(b.T, "it connects anew", func() bool { return m.Proxy.Connections() > connections })
		b.insist("the same player shoots", func(int) { b.press(" ", "Space", 500*time.Millisecond) },
			func() bool { p := ada(); return p.Client == before.Client && p.Shots != before.Shots })
	})
}

// sliderAt is where a slider of the overlay says a value, on a page of that size.
func sliderAt(t *testing.T, w, h float64, s overlay.Slider, value float64) (x, y float64) {
	t.Helper()
	net, err := overlay.New(overlay.Config{Top: stage.PanelTop})
	if err != nil {
		t.Fatal(err)
	}
	net.Show(true)
	unit := min(max(min(w, h)/720, 0.9), 2) // as app.resize has it
	net.Layout(w/unit, h/unit)
	x, y, ok := net.SliderAt(s, value)
	if !ok {
		t.Fatalf("on %v × %v there is no slider %v", w, h, s)
	}
	return x * unit, y * unit
}

// A phone plays by touch.
func TestPhone(t *testing.T) {
	m := playtest.NewPage(t, playtest.Config{Bots: 8})
	b := browse(t, 390, 844, 2, true)
	bo := func() playtest.Known { p, _ := m.Player("Bo"); return p }
	thumbs := func(d time.Duration) {
		toward := 1.0
		if bo().X > game.Size/2 {
			toward = -1
		}
		left, right := paint.Point{X: 90, Y: 700}, paint.Point{X: 300, Y: 700}
		b.touch(input.DispatchTouchEventTypeTouchStart, left, right)
		time.Sleep(d / 2)
		left.X += 40 * toward
		right.Y -= 40
		b.touch(input.DispatchTouchEventTypeTouchMove, left, right)
		time.Sleep(d)
	}

	b.step("the page loads", func() {
		b.load(m, "4-phone-title")
	})
	b.step("it joins by a link", func() {
		b.join(m, "Bo")
	})
	b.step("it walks and shoots by touch", func() {
		before := bo()
		b.insist("the player has walked and shot", func(int) {
			thumbs(time.Second)
			b.touch(input.DispatchTouchEventTypeTouchEnd)
		}, func() bool { p := bo(); return p.Walked > before.Walked+60 && p.Shots-before.Shots > 2 })
		thumbs(time.Second)
		b.picture("5-phone")
		b.touch(input.DispatchTouchEventTypeTouchEnd)
	})
	b.step("it opens the overlay by a tap", func() {
		before := bo()
		x, y := sliderAt(b.T, 390, 844, overlay.RoundTrip, 200)
		tap := func(at paint.Point, d time.Duration) {
			b.touch(input.DispatchTouchEventTypeTouchStart, at)
			time.Sleep(d)
			b.touch(input.DispatchTouchEventTypeTouchEnd)
			time.Sleep(d)
		}
		b.insist("the round trip is 150 ms longer", func(n int) {
			if n%3 == 0 {
				tap(paint.Point{X: 60, Y: 30}, 300*time.Millisecond)
			}
			tap(paint.Point{X: x, Y: y}, time.Duration(n+1)*300*time.Millisecond)
		}, func() bool { return bo().RTT > before.RTT+150*time.Millisecond })
		time.Sleep(2 * time.Second)
		b.picture("6-phone-overlay")
	})
}

// A browser that cannot draw the game says so, and what to do.
func TestBrowserWithoutWebGL(t *testing.T) {
	m := playtest.NewPage(t, playtest.Config{Bots: 1})
	b := browse(t, 640, 480, 1, false, chromedp.Flag("disable-3d-apis", true))
	b.do(chromedp.Navigate(m.URL))
	var said string
	playtest.Until(t, "the page says what is missing", func() bool {
		var err error
		if said, err = chromedp.Run(b.ctx, chromedp.Text("#status")); err != nil {
			t.Fatal(err)
		}
		return strings.Contains(said, "WebGL 2")
	})
	b.picture("7-no-webgl")
}
