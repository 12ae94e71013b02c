package browsers

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/tactusgo/tactus/examples/pages"
)

// TestPictures takes the pictures of the documents and of the front page. three.png is taken by hand.
func TestPictures(t *testing.T) {
	if os.Getenv("PICTURES") == "" {
		t.Skip("PICTURES=1 takes the pictures of the documents")
	}
	b := browse(t, 1280, 800, 1, false)
	small := map[string]bool{} // worlds, which the front page shows
	for _, w := range pages.Worlds() {
		small[w.Name] = true
	}
	take := func(name string) {
		b.Helper()
		files := map[string]float64{filepath.Join("pictures", name+".jpg"): 1}
		if small[name] {
			files[filepath.Join(root(t), "examples/stage/public/pictures", name+".jpg")] = 0.375
		}
		for file, scale := range files {
			until(b.T, "nobody is out", func() bool { return ask[bool](b, `document.querySelector("#result")?.hidden ?? true`) })
			quality := int64(82)
			r, err := chromedp.Call(b.ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{
				Format: page.CaptureScreenshotFormatJpeg, Quality: &quality, Clip: &page.Viewport{Width: 1280, Height: 800, Scale: scale},
			})
			if err == nil {
				err = os.WriteFile(file, r.Data, 0o644)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	for _, w := range pages.Worlds() {
		b.step(w.Name, func() {
			b.do(chromedp.Navigate(serve(b.T, w, crowds[w.Name]...) + "/?name=Ada&fine"))
			if w.Name == "bodies" {
				until(b.T, "it shows all bodies", func() bool { return ask[string](b, "document.title") == "Bodies: 250" })
				time.Sleep(10 * time.Second)
			} else {
				until(b.T, "it plays", b.plays)
				b.act(w.Name)
			}
			take(w.Name)
			if w.Name == "arena" {
				b.press("F3", "F3", 100*time.Millisecond)
				ask[bool](b, `document.querySelectorAll("#panel input").forEach((e, i) => { e.value = [200, 30, 5][i]; e.dispatchEvent(new Event("input")); }), true`)
				time.Sleep(12 * time.Second)
				take("network")
			}
		})
	}
	b.step("replay", func() {
		arena := pages.Worlds()[0]
		b.do(chromedp.Navigate(serve(b.T, arena, "-replay", recorded(b.T, arena, "-clients", "16")) + "&fine"))
		until(b.T, "it plays, and lists events", func() bool {
			return ask[bool](b, `globalThis.game?.replay?.position > 12000 && document.querySelectorAll("#happened li").length > 3`)
		})
		b.press(" ", "Space", 0)
		b.press("e", "KeyE", 0)
		time.Sleep(2 * time.Second)
		take("replay")
	})
	b.step("killcam", func() {
		b.do(chromedp.Navigate(serve(b.T, pages.Worlds()[0], "-clients", "16", "-npcs", "0") + "/?name=Ada&fine"))
		until(b.T, "Ada was shot down", func() bool { return ask[bool](b, `document.body.classList.contains("killcam")`) })
		time.Sleep(1200 * time.Millisecond)
		take("killcam")
	})
	b.step("lobby", func() {
		url, _, _ := lobby(b.T, program(b.T, "examples/arena"), "127.0.0.1:0")
		ada := b.tab(1280, 800, 1, false)
		ada.arrive(url, "Ada")
		ada.do(chromedp.SendKeys("#room", "Ada's room\r"))
		ada.wants("Ada is in her room", func(s shown) bool { return !s.Lobby && s.Crowd == "you alone" })
		b.arrive(url, "Bo")
		b.wants("the room is listed", func(s shown) bool { return s.Offers == "Watch|Join" })
		take("lobby")
	})
	b.step("front", func() { // it shows the new pictures
		b.do(chromedp.Navigate(all(b.T)), chromedp.WaitVisible("article button"))
		time.Sleep(2 * time.Second)
		take("front")
	})
}

// crowds are flags for worlds that are fuller on pictures.
var crowds = map[string][]string{"arena": {"-clients", "16", "-npcs", "150"}, "snake": {"-clients", "16"}}

// act plays for some seconds, until there is something to see.
func (b *browser) act(world string) {
	b.mouse(input.DispatchMouseEventTypeMouseMoved, 800, 300)
	switch world {
	case "arena", "snowball":
		b.mouse(input.DispatchMouseEventTypeMousePressed, 800, 300)
		time.Sleep(8 * time.Second)
	case "duel":
		b.press("d", "KeyD", 1300*time.Millisecond)
		b.press(" ", "Space", 50*time.Millisecond)
		b.press("d", "KeyD", 300*time.Millisecond)
		b.press(" ", "Space", 50*time.Millisecond)
	case "platformer":
		b.press("w", "KeyW", 900*time.Millisecond)
		time.Sleep(4 * time.Second)
	case "snake": // it goes round in circles
		b.press("d", "KeyD", 4*time.Second)
	default:
		b.press("d", "KeyD", 900*time.Millisecond)
		time.Sleep(3 * time.Second)
	}
}
