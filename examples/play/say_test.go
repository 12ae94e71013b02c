//go:build !js

package main

import (
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/tactusgo/tactus/examples/play/internal/paint"
	"github.com/tactusgo/tactus/examples/play/internal/playtest"
)

// A phone on its side plays, and talks by a line of the page, which its keyboard writes.
func TestPhoneTalks(t *testing.T) {
	m := playtest.NewPage(t, playtest.Config{Bots: 8})
	b := browse(t, 844, 390, 2, true)
	b.load(m, "8-side-title")
	b.join(m, "Cy")
	begins, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]float64](`(() => {
		const gl = document.querySelector("canvas").getContext("webgl2");
		return [...gl.getParameter(gl.COLOR_CLEAR_VALUE)];
	})()`))
	if want := [...]float64{float64(paint.Floor.R), float64(paint.Floor.G), float64(paint.Floor.B), 1}; err != nil || len(begins) != 4 || [4]float64(begins) != want {
		t.Errorf("frames begin in %v, %v, and not in the colour of the floor, %v", begins, err, want)
	}
	b.touch(input.DispatchTouchEventTypeTouchStart, paint.Point{X: 120, Y: 300}, paint.Point{X: 700, Y: 300})
	time.Sleep(200 * time.Millisecond)
	b.touch(input.DispatchTouchEventTypeTouchMove, paint.Point{X: 160, Y: 300}, paint.Point{X: 700, Y: 260})
	time.Sleep(time.Second)
	b.picture("9-side")
	b.touch(input.DispatchTouchEventTypeTouchEnd)
	time.Sleep(300 * time.Millisecond)
	b.do(chromedp.Click("#talk"), chromedp.WaitVisible("#line"))
	b.do(chromedp.SendKeys("#line", "hello from a phone"))
	b.picture("10-side-talk")
	b.do(chromedp.SendKeys("#line", "\r"), chromedp.WaitVisible("#talk"))
	playtest.Until(t, "somebody heard it", func() bool { return m.ToldLast() == "hello from a phone" })
	time.Sleep(time.Second)
	b.picture("11-side-said")
}
