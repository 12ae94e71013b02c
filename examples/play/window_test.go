//go:build !js

package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"

	"github.com/tactusgo/tactus/examples/arena/game"
	"github.com/tactusgo/tactus/examples/play/internal/playtest"
	"github.com/tactusgo/tactus/systems/devtools/overlay"
)

// window is the client in a window, a program of its own, and the match that it plays.
type window struct {
	*playtest.Match
	out   bytes.Buffer
	ended chan error
}

// open starts a match and the client in a window, and waits until the server sees it.
func open(t *testing.T, program string, args ...string) *window {
	t.Helper()
	m := playtest.New(t, playtest.Config{Bots: 4})
	m.Look()
	w := &window{Match: m, ended: make(chan error, 1)}
	cmd := exec.CommandContext(m.Ctx, program, append([]string{"arena", "-connect", m.Address, "-name", "Ada"}, args...)...)
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &w.out, &w.out, 5*time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	m.Ending.Go(func() { w.ended <- cmd.Wait() })
	playtest.Until(t, "the server sees it", func() bool {
		if len(w.ended) > 0 {
			t.Fatalf("it ended before the server saw it: %v\n%s", <-w.ended, &w.out)
		}
		return w.ada().Client != 0
	})
	return w
}

// ada is the player of the window.
func (w *window) ada() playtest.Known { p, _ := w.Player("Ada"); return p }

// end waits until the program has ended by itself.
func (w *window) end(t *testing.T) {
	t.Helper()
	select {
	case err := <-w.ended:
		if err != nil {
			t.Fatalf("%v\n%s", err, &w.out)
		}
	case <-time.After(playtest.Patience):
		t.Fatalf("never happened: it ends\n%s", &w.out)
	}
}

// The client in a window joins over UDP, does what keys and mouse say, and shows
// something.
func TestWindow(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the keys are pressed through X11")
	}
	dir := pictures(t)
	program := filepath.Join(t.TempDir(), "play")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Run("it takes a picture", func(t *testing.T) {
		name := filepath.Join(dir, "0-window.png")
		open(t, program, "-picture", name).end(t)
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		img, err := png.Decode(f)
		if err != nil {
			t.Fatal(err)
		}
		if n := countColours(img); img.Bounds().Dx() < 640 || n < 200 {
			t.Errorf("%v with %d colours: nothing to see", img.Bounds(), n)
		}
	})
	t.Run("it does what keys and mouse say", func(t *testing.T) {
		d := newDisplay(t)
		playWindow(d, open(t, program), dir)
	})
}

// playWindow does what people do, one thing after the other: each is over when the server,
// or another client, has seen it.
func playWindow(d *display, w *window, dir string) {
	d.find("Tactus arena")
	d.Cleanup(func() {
		if d.Failed() && len(w.ended) == 0 {
			d.Logf("the line that was told last: %q", w.ToldLast())
			d.picture(dir, "0-window-failed")
		}
	})
	key, back, walk := w.inward('d', 'a')
	d.hold(key, "the player walks that way", w.walks(walk))
	d.hold(back, "the player walks back", w.walks(-walk))
	key, _, walk = w.inward(keyRight, keyLeft)
	d.hold(key, "the player walks by the arrow", w.walks(walk))

	shot := w.ada().Shots
	d.point(d.w*0.7, d.h*0.3)
	d.click("the player shoots", func() bool { return w.ada().Shots-shot > 3 })

	d.press(keyReturn, 'h', 'i', keyReturn)
	playtest.Until(d.T, "another client is told", func() bool { return w.ToldLast() == "hi" })
	d.press(keyReturn, 'd', keyEscape)
	key, _, walk = w.inward('d', 'a')
	d.hold(key, "keys walk again when the line is dropped", w.walks(walk))

	rtt := w.ada().RTT
	d.press(keyF3)
	d.point(sliderAt(d.T, d.w, d.h, overlay.RoundTrip, 200))
	d.frames()
	d.click("the round trip is 150 ms longer", func() bool { return w.ada().RTT > rtt+150*time.Millisecond })
	time.Sleep(3 * time.Second) // rates and graphs need some time to show something
	d.picture(dir, "0-window-overlay")

	d.close()
	w.end(d.T)
	playtest.Until(d.T, "the server sees it leave", func() bool { return w.ada().Client == 0 })
	if w.ToldLast() != "hi" {
		d.Errorf("another client was told %q, which was not sent", w.ToldLast())
	}
}

// inward picks the key that walks away from the nearer wall, and says which way.
func (w *window) inward(right, left xproto.Keysym) (key, back xproto.Keysym, walk float64) {
	if w.ada().X > game.Size/2 {
		return left, right, -1
	}
	return right, left, 1
}

// walks tells when the player has walked a way along x, not counting jumps to where it
// comes back.
func (w *window) walks(toward float64) func() bool {
	last, far := w.ada(), 0.0
	return func() bool {
		const enough, jump = 60, 60 // units
		now := w.ada()
		if dx := float64(now.X-last.X) * toward; math.Abs(dx) < jump && now.Client == last.Client {
			far += dx
		}
		last = now
		return far > enough
	}
}

// countColours is how many colours a picture has.
func countColours(img image.Image) int {
	colours := map[color.Color]bool{}
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			colours[img.At(x, y)] = true
		}
	}
	return len(colours)
}

func TestFlags(t *testing.T) {
	for _, args := range [][]string{{"dots"}, {"arena", "x"}, {"-bots", "-1"}, {"-npcs", "-1"}, {"-nonsense"}, {"-bots", "201"}, {"arena", "-npcs", "100000"}, {"-token", "AAAA"}, {"-token", "AAAA", "-connect", "127.0.0.1:7777"}, {"-token", "?", "-connect", "127.0.0.1:7777"}} {
		if code, _ := play(args); code != exitUsage {
			t.Errorf("%q: exit code %d", args, code)
		}
	}
}
