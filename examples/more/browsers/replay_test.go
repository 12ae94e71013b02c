package browsers

import (
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/tactusgo/tactus/examples/pages"
)

// heard runs in a page before its scripts. It counts the sounds that start.
const heard = `
	globalThis.sounds = 0;
	for (const kind of [OscillatorNode, AudioBufferSourceNode]) {
		const start = kind.prototype.start;
		kind.prototype.start = function(...at) { globalThis.sounds++; return start.apply(this, at); };
	}`

// recorded plays a match of a world without a page and returns the file to which it was recorded.
func recorded(t *testing.T, w pages.World, args ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "match.rec")
	args = append([]string{"-headless", "-virtual", "-duration", "30s", "-record", file}, args...)
	if w.Name == "arena" {
		args = append(args, "-combat", "-npcs", "0") // its page needs guns, and players who shoot each other
	}
	play := exec.Command(program(t, w.Folder()), args...)
	play.Dir = filepath.Join(root(t), w.Folder())
	if out, err := play.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return file
}

// A recorded match plays in the page of its world: each frame equals the one that the spectator saw. The bar seeks, pauses, changes the
// speed, jumps to events and follows any player. Seeking makes no sound, and the page writes nothing to the console.
func TestReplays(t *testing.T) {
	for _, w := range pages.Worlds() {
		if w.Name == "bodies" { // its page is not of the stage
			continue
		}
		t.Run(w.Name, func(t *testing.T) {
			b := browse(t, 1280, 800, 1, false)
			url := serve(t, w, "-replay", recorded(t, w))
			if _, err := chromedp.Call(b.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: heard}); err != nil {
				t.Fatal(err)
			}
			faults := b.faults()
			b.step("plays", func() {
				b.do(chromedp.Navigate(url))
				until(b.T, "it plays", func() bool {
					return ask[bool](b, `document.body?.classList.contains("playing") && globalThis.game?.replay?.position > 1000`)
				})
				until(b.T, "it follows a player", func() bool { return ask[bool](b, "game.stats.Own > 0 && game.stats.Client === game.replay.follow") })
				b.press("e", "KeyE", 0) // browsers allow sound after a key
				b.press("e", "KeyE", 0)
				if w.Name == "arena" {
					until(b.T, "it sounds", func() bool { return ask[int](b, "sounds") > 0 })
				}
			})
			b.step("pauses and seeks", func() {
				b.press(" ", "Space", 0)
				until(b.T, "it pauses", func() bool { return ask[float64](b, "game.replay.rate") == 0 })
				before := ask[int](b, "sounds")
				seek := `(seek => (seek.value = 12000, seek.oninput(), true))(document.getElementById("seek"))`
				b.goesTo(12000, func() { ask[bool](b, seek) })
				b.goesTo(7000, func() { b.press("ArrowLeft", "ArrowLeft", 0) })
				b.goesTo(2000, func() { b.press("ArrowLeft", "ArrowLeft", 0) })
				b.goesTo(0, func() { b.press("ArrowLeft", "ArrowLeft", 0) })
				b.goesTo(5000, func() { b.press("ArrowRight", "ArrowRight", 0) })
				b.goesTo(12000, func() { ask[bool](b, seek) })
				if n := ask[int](b, "sounds"); n != before {
					t.Errorf("%d sounds while it seeks", n-before)
				}
				b.picture(w.Name + "-replay")
			})
			b.step("views", func() {
				first := ask[int](b, "game.replay.follow")
				b.insist("the camera is free", func(int) { b.press(",", "Comma", 0) }, // it precedes the first player
					func() bool { return ask[bool](b, "game.replay.follow === 0 && game.stats.Own === 0") })
				b.press("d", "KeyD", 0)
				b.insist("it follows another player who has an entity", func(int) { b.press(".", "Period", 0) },
					func() bool { return ask[bool](b, "game.stats.Own > 0") && ask[int](b, "game.replay.follow") != first })
			})
			b.step("plays faster, on a phone", func() {
				b.screen(390, 844, 1, true)
				b.press("ArrowUp", "ArrowUp", 0)
				b.do(chromedp.Click("#pause"))
				until(b.T, "it plays on", func() bool { return ask[bool](b, "game.replay.rate === 2 && game.replay.position > 12500") })
				b.do(chromedp.Click("#pause"))
				b.do(chromedp.Click("#events"))
				b.picture(w.Name + "-replay-phone")
			})
			b.step("zooms by two fingers", func() {
				ask[bool](b, `(who => (who.value = 0, who.onchange(), true))(document.getElementById("follow"))`)
				until(b.T, "the camera is free", func() bool { return ask[bool](b, "free.on && free.zoom === 1") })
				b.touch(input.DispatchTouchEventTypeTouchStart, point{X: 150, Y: 300}, point{X: 250, Y: 300})
				b.touch(input.DispatchTouchEventTypeTouchMove, point{X: 100, Y: 300}, point{X: 300, Y: 300})
				b.touch(input.DispatchTouchEventTypeTouchEnd)
				until(b.T, "it is nearer", func() bool { return math.Abs(ask[float64](b, "free.zoom")-0.5) < 0.01 })
			})
			if w.Name != "physics" { // it has only players who join and leave
				b.step("jumps to an event", func() {
					until(b.T, "it lists an event", func() bool { return ask[bool](b, `document.querySelector("#happened button") !== null`) })
					at := ask[float64](b, `(text => 60000 * text[0] + 1000 * text[1])(document.querySelector("#happened b").textContent.split(":"))`)
					b.do(chromedp.Click("#happened li:first-child button"))
					until(b.T, "it goes there", func() bool { p := ask[float64](b, "game.replay.position"); return p > at-1600 && p < at+100 })
				})
			}
			b.step("plays each event once after seeks", func() {
				ask[bool](b, `(({ replay, news }) => {
					const { frame } = game, { seek } = replay;
					game.frame = (...now) => {
						const tables = frame.apply(game, now);
						for (let i = 0; i < news.count; i++) if (/event|message/.test(news.get(i).kind)) seen.push(news.get(i).kind);
						return tables;
					};
					replay.seek = (to) => {
						const at = seek.call(replay, to);
						globalThis.seen = [];
						globalThis.wanted = replay.moments().filter((m) => m.at > at).map((m) => m.kind);
						return at;
					};
					return true;
				})(game)`)
				b.press("ArrowUp", "ArrowUp", 0)
				b.press("ArrowUp", "ArrowUp", 0)
				b.do(chromedp.Click("#pause"))
				for _, to := range []float64{20000, 4000, 12000, 9000} {
					ask[bool](b, fmt.Sprintf(`(seek => (seek.value = %v, seek.oninput(), true))(document.getElementById("seek"))`, to))
					until(b.T, "it plays on", func() bool { p := ask[float64](b, "game.replay.position"); return p > to+300 && p < to+8000 })
				}
				until(b.T, "it ends", func() bool { return ask[bool](b, "game.replay.ended") })
				if seen, want := ask[[]string](b, "seen"), ask[[]string](b, "wanted"); !slices.Equal(seen, want) {
					t.Errorf("%q, not %q", seen, want)
				}
			})
			b.step("equals what was seen", func() {
				frames := ask[int](b, `(() => {
					game.replay.seek(0);
					for (let n = 0; ; n++) {
						const equal = game.replay.check();
						if (!equal) return equal === null ? n : -1 - n;
					}
				})()`)
				if frames < 500 {
					t.Errorf("%d equal frames", frames)
				}
			})
			if all := faults(); len(all) > 0 {
				t.Errorf("the console has %q", all)
			}
		})
	}
}

// goesTo expects that act makes a replay that pauses go to a place, in milliseconds. The first frame of a recording is 8 ms after its
// beginning.
func (b *browser) goesTo(to float64, act func()) {
	b.Helper()
	act()
	until(b.T, "it seeks", func() bool { return math.Abs(ask[float64](b, "game.replay.position")-to) < 20 })
}
