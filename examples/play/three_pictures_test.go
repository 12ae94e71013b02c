//go:build !js

package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/tactusgo/tactus/examples/play/internal/playtest"
)

// TestThreePictures takes pictures of the pages in three.js for documents, with THREE_PICTURES, a folder.
func TestThreePictures(t *testing.T) {
	dir := os.Getenv("THREE_PICTURES")
	if dir == "" {
		t.Skip("THREE_PICTURES=folder takes pictures for documents")
	}
	t.Run("arena", func(t *testing.T) {
		m := playtest.New(t, playtest.Config{Bots: 40, NPCs: 150})
		m.Three(t)
		b := browse(t, 1280, 720, 1, false)
		b.do(chromedp.Navigate(m.URL+"/three/?name=Ada&fine"), chromedp.WaitNotVisible("#card"))
		b.mouse(input.DispatchMouseEventTypeMouseMoved, 940, 240)
		b.mouse(input.DispatchMouseEventTypeMousePressed, 940, 240)
		b.insist("some are near", func(int) {
			key, code := toward(midst(m, "Ada"))
			b.press(key, code, time.Second)
		}, func() bool { return near(m, "Ada") >= 5 })
		b.photograph(filepath.Join(dir, "three-arena.jpg"))
	})
	t.Run("platformer", func(t *testing.T) {
		url, newest, _ := climb(t, 7)
		b := browse(t, 1280, 720, 1, false)
		b.do(chromedp.Navigate(url+"?name=&fine"), chromedp.WaitNotVisible("#card"))
		playtest.Until(t, "another client sees the player", func() bool { who, _ := newest(); return who > 8 })
		time.Sleep(5 * time.Second) // the camera comes near
		b.photograph(filepath.Join(dir, "three-platformer.jpg"))
	})
}

// midst is where the middle of the players is, as seen by one of them.
func midst(m *playtest.Match, name string) (x, y float64) {
	own, _ := m.Player(name)
	for _, p := range m.All() {
		x, y = x+float64(p.X-own.X), y+float64(p.Y-own.Y)
	}
	return x, y
}

// toward is the key that goes there.
func toward(x, y float64) (key, code string) {
	switch {
	case math.Abs(x) > math.Abs(y) && x < 0:
		return "a", "KeyA"
	case math.Abs(x) > math.Abs(y):
		return "d", "KeyD"
	case y < 0:
		return "w", "KeyW"
	}
	return "s", "KeyS"
}

// near is how many others are where the page of a player shows them.
func near(m *playtest.Match, name string) (n int) {
	own, ok := m.Player(name)
	for _, p := range m.All() {
		if ok && p.Client != own.Client && math.Abs(float64(p.X-own.X)) < 400 && math.Abs(float64(p.Y-own.Y)) < 220 {
			n++
		}
	}
	return n
}

// photograph writes what is on the screen to a JPEG file.
func (b *browser) photograph(file string) {
	b.Helper()
	quality := int64(84)
	r, err := chromedp.Call(b.ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatJpeg, Quality: &quality})
	if err == nil {
		err = os.WriteFile(file, r.Data, 0o644)
	}
	if err != nil {
		b.Fatal(err)
	}
}
