package browsers

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// patience is the timeout for slow machines.
const patience = 3 * time.Minute

// point is a place on the screen, in CSS pixels.
type point struct{ X, Y float64 }

// until waits for a condition.
func until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if condition() {
			return
		}
	}
	t.Fatalf("never happened: %s", what)
}

// browser is a page in a browser.
type browser struct {
	*testing.T // the step that runs
	ctx        context.Context
	dir        string // for pictures
}

// step is a part of a test; those after it build on it.
func (b *browser) step(name string, f func()) {
	b.Helper()
	whole := b.T
	ok := whole.Run(name, func(t *testing.T) { b.T = t; f() })
	if b.T = whole; !ok {
		b.FailNow()
	}
}

// insist does something until it has the effect that it should have: a page on a machine
// that does other things as well may miss a key, or not have its session back yet. It waits a
// second longer each time, because doing some things twice undoes them. act is told how often
// it was called before.
func (b *browser) insist(what string, act func(n int), done func() bool) {
	b.Helper()
	end := time.Now().Add(patience)
	for n := 0; time.Now().Before(end); n++ {
		act(n)
		for range 50 * (n + 1) {
			if done() {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	b.Fatalf("never happened: %s", what)
}

// browse starts a browser with a screen of that size, or skips the test.
func browse(t *testing.T, w, h int64, scale float64, phone bool, flags ...chromedp.ExecAllocatorOption) *browser {
	t.Helper()
	var program string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil && program == "" {
			program = found
		}
	}
	if program == "" {
		t.Skip("there is no Chromium: apt-get install chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox,
		chromedp.Flag("use-angle", "swiftshader"), chromedp.Flag("enable-unsafe-swiftshader", true),
		chromedp.Flag("disable-gpu", false), chromedp.WindowSize(int(w), int(h)), chromedp.WSURLReadTimeout(time.Minute))
	options = append(options, flags...)
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	b := &browser{T: t, ctx: ctx, dir: pictures(t)}
	b.screen(w, h, scale, phone)
	t.Cleanup(func() { b.keepFailure(t) })
	b.console()
	return b
}

// console logs what the page writes to its console.
func (b *browser) console() {
	t := b.T
	ctx, stop := context.WithCancel(b.ctx)
	var logs sync.WaitGroup
	logs.Go(func() {
		for m, err := range chromedp.Console(ctx) {
			if err != nil {
				return
			}
			t.Logf("console: %v", m)
		}
	})
	t.Cleanup(func() {
		stop()
		logs.Wait()
	})
}

// screen makes the screen that of a phone, or not, of some size.
func (b *browser) screen(w, h int64, scale float64, phone bool) {
	b.Helper()
	b.do(chromedp.EmulateViewport(w, h, func(d *emulation.SetDeviceMetricsOverrideParams, touch *emulation.SetTouchEmulationEnabledParams) {
		d.DeviceScaleFactor, d.Mobile = scale, phone
		touch.Enabled = phone
		if phone {
			touch.MaxTouchPoints = 5
		}
	}))
}

func (b *browser) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	ctx, stop := context.WithTimeout(b.ctx, 2*time.Minute)
	if _, started := b.ctx.Deadline(); !started && chromedp.FromContext(b.ctx).Browser == nil {
		ctx = b.ctx // the browser lives as long as the first context
	}
	defer stop()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.Fatal(err)
	}
}

// picture keeps what is on the screen.
func (b *browser) picture(name string) {
	b.Helper()
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.dir, name+".png"), png, 0o644); err != nil {
		b.Fatal(err)
	}
	if len(png) < 10_000 {
		b.Errorf("%s: %d bytes: there is nothing on it", name, len(png))
	}
}

// keepFailure keeps what is on the screen of a test that has failed.
func (b *browser) keepFailure(t *testing.T) {
	if !t.Failed() {
		return
	}
	ctx, stop := context.WithTimeout(b.ctx, 20*time.Second)
	defer stop()
	if png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot()); err == nil {
		_ = os.WriteFile(filepath.Join(b.dir, t.Name()+"-failed.png"), png, 0o644)
	}
}

// pictures returns where a test keeps them: the folder that PLAY_PICTURES names, else where
// go test keeps a test's files, which it does with -artifacts.
func pictures(t *testing.T) string {
	if dir := os.Getenv("PLAY_PICTURES"); dir != "" {
		return dir
	}
	return t.ArtifactDir()
}

// press holds a key for a while.
func (b *browser) press(key, code string, d time.Duration) {
	b.Helper()
	for i, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeKeyDown, input.DispatchKeyEventTypeKeyUp} {
		if _, err := chromedp.Call(b.ctx, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Key: key, Code: code}); err != nil {
			b.Fatal(err)
		}
		if i == 0 {
			time.Sleep(d)
		}
	}
}

func (b *browser) mouse(kind input.DispatchMouseEventType, x, y float64) {
	b.Helper()
	b.do(chromedp.MouseEvent(kind, x, y, chromedp.ButtonType(input.MouseButtonLeft), chromedp.ClickCount(1)))
}

func (b *browser) touch(kind input.DispatchTouchEventType, points ...point) {
	b.Helper()
	if err := b.tryTouch(kind, points...); err != nil {
		b.Fatal(err)
	}
}

// tryTouch is touch that returns the error of the browser, which refuses events while it swaps pages.
func (b *browser) tryTouch(kind input.DispatchTouchEventType, points ...point) error {
	params := input.DispatchTouchEventParams{Type: kind, TouchPoints: []*input.TouchPoint{}}
	for i, p := range points {
		id := float64(i)
		params.TouchPoints = append(params.TouchPoints, &input.TouchPoint{X: p.X, Y: p.Y, ID: &id})
	}
	_, err := chromedp.Call(b.ctx, input.DispatchTouchEvent, params)
	return err
}
