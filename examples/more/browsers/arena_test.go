package browsers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/tactusgo/tactus/examples/pages"
)

// arena returns the arena of the list of worlds.
func arena(t *testing.T) pages.World {
	t.Helper()
	for _, w := range pages.Worlds() {
		if w.Name == "arena" {
			return w
		}
	}
	t.Fatal("there is no arena")
	return pages.World{}
}

// counted runs in a page before its scripts. It counts the shader programs that the page compiles: the page stands still
// meanwhile, for seconds where the browser draws in software. It also keeps how the red edge was animated when the player was hurt, and
// returns what the own player did.
const counted = `{
	const gl = WebGL2RenderingContext.prototype, link = gl.linkProgram;
	window.compiled = 0;
	window.hurt = [];
	const animate = Element.prototype.animate;
	Element.prototype.animate = function(frames, ...a) { if (this.id === "hurt") window.hurt.push(frames); return animate.call(this, frames, ...a); };
	gl.linkProgram = function(program) { window.compiled++; return link.call(this, program); };
	window.did = () => {
		for (const t of game.tables) for (let r = 0; t.Fighter && t.Owner && r < t.rows; r++)
			if (t.Owner.Client(r) === game.stats.Client) return { shots: t.Fighter.Shots(r), aim: t.Heading.Angle(r) * 360 / 65536 };
		return { shots: 0, aim: 0 };
	};
}`

// did is what the own player of the arena did: the number of shots, modulo 256, and the aim in degrees.
type did struct{ Shots, Aim float64 }

// motion emulates what the player's system says about motion: "reduce" or "no-preference".
func (b *browser) motion(prefers string) {
	b.Helper()
	features := []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: prefers}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: features}); err != nil {
		b.Fatal(err)
	}
}

// tap presses a key and releases it at once, between two frames of the page.
func (b *browser) tap(key, code string) {
	b.Helper()
	ask[bool](b, fmt.Sprintf(`["keydown", "keyup"].forEach((kind) => document.body.dispatchEvent(new KeyboardEvent(kind, { key: %q, code: %q, bubbles: true }))), true`, key, code))
}

// tapPad presses a button of the gamepad of witness, and releases it.
func (b *browser) tapPad(button int) {
	b.Helper()
	for _, script := range []string{fmt.Sprintf("push(0, 0, [%d])", button), "push(0, 0, [])"} {
		ask[bool](b, script+", true")
		time.Sleep(200 * time.Millisecond)
	}
}

// enter presses the key as keyboards do, which also type it.
func (b *browser) enter() {
	b.Helper()
	for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeKeyDown, input.DispatchKeyEventTypeKeyUp} {
		if _, err := chromedp.Call(b.ctx, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Key: "Enter", Code: "Enter", Text: "\r"}); err != nil {
			b.Fatal(err)
		}
	}
}

// The arena with keyboard and mouse: it moves, shoots and chats; its menu, its network panel and its message about a server
// that is gone work; and nothing is compiled during the match.
func TestArena(t *testing.T) {
	url, end := serveUntil(t, arena(t))
	b := browse(t, 800, 500, 1, false)
	for _, script := range []string{witness, counted} {
		if _, err := chromedp.Call(b.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: script}); err != nil {
			t.Fatal(err)
		}
	}
	faults := b.faults()
	compiled := 0
	now := func() did { return ask[did](b, "did()") }
	b.step("joins", func() {
		b.do(chromedp.Navigate(url), chromedp.WaitEnabled("#play"))
		compiled = ask[int](b, "compiled")
		b.do(chromedp.SendKeys("#name", "Ada\r"))
		until(b.T, "it plays", b.plays)
		until(b.T, "its name is on the list", func() bool {
			return strings.Contains(ask[string](b, `document.getElementById("scores").textContent`), "Ada")
		})
	})
	b.step("walks by keys", func() {
		b.moves("a key moves the player", func(n int) {
			key := [][2]string{{"d", "KeyD"}, {"a", "KeyA"}}[n%2]
			b.press(key[0], key[1], 700*time.Millisecond)
		})
	})
	b.step("shoots where the mouse is", func() {
		before := now()
		b.mouse(input.DispatchMouseEventTypeMouseMoved, 550, 163)
		b.insist("the player has shot up and to the right", func(int) { b.mouse(input.DispatchMouseEventTypeMousePressed, 556, 156) },
			func() bool { d := now(); return d.Shots != before.Shots && d.Aim > 270 })
		b.mouse(input.DispatchMouseEventTypeMouseReleased, 556, 156)
	})
	b.step("a tap between two frames shoots", func() {
		before := now()
		b.insist("the player has shot", func(int) { b.tap(" ", "Space") }, func() bool { return now().Shots != before.Shots })
	})
	b.step("chats", func() {
		b.insist("the line is there", func(int) {
			b.enter()
			time.Sleep(200 * time.Millisecond)
			b.do(chromedp.SendKeys("#say input", "hello\r"))
		}, func() bool {
			return strings.Contains(ask[string](b, `document.getElementById("lines").textContent`), "Ada hello")
		})
	})
	b.step("the panel makes the link worse", func() {
		b.tap("F3", "F3")
		b.do(chromedp.WaitVisible("#panel dl dd"))
		ask[bool](b, `(() => { const e = document.querySelector("#panel input"); e.value = 300; e.dispatchEvent(new Event("input")); return true; })()`)
		until(b.T, "the round trip is longer", func() bool { return ask[float64](b, "game.stats.RTT") > 200 })
		b.picture("arena-panel")
		if colour := ask[string](b, `getComputedStyle(document.getElementById("panel")).backgroundColor`); !strings.HasPrefix(colour, "rgb(") {
			b.Errorf("the panel is see-through: %s", colour)
		}
		b.tap("F3", "F3")
		ask[bool](b, `(() => { const e = document.querySelector("#panel input"); e.value = 0; e.dispatchEvent(new Event("input")); return true; })()`)
	})
	b.step("the menu opens and closes", func() {
		b.press("Escape", "Escape", 50*time.Millisecond)
		b.do(chromedp.WaitVisible("#menu"))
		b.picture("arena-menu")
		b.press("Escape", "Escape", 50*time.Millisecond)
		b.do(chromedp.WaitNotVisible("#menu"))
	})
	b.step("a gamepad reaches all of the menu", func() {
		b.tapPad(9)
		b.do(chromedp.WaitVisible("#menu"))
		reached := map[string]bool{}
		for range 12 {
			reached[ask[string](b, "document.activeElement.textContent || document.activeElement.type")] = true
			b.tapPad(13)
		}
		for _, want := range []string{"Resume", "range", "checkbox", "Network (F3)", "Leave the match"} {
			if !reached[want] {
				b.Errorf("%s is not reached: %v", want, reached)
			}
		}
		b.tapPad(1)
		b.do(chromedp.WaitNotVisible("#menu"))
		ask[bool](b, "(globalThis.pad = null), true")
	})
	b.step("for players who want less motion, the edge does not flash", func() {
		b.motion("reduce")
		ask[bool](b, "window.hurt = [], true")
		until(b.T, "the player is hurt", func() bool { return ask[int](b, "hurt.length") > 0 })
		if flashes := ask[int](b, "hurt.filter((f) => new Set(f.map((k) => k.opacity)).size > 1).length"); flashes > 0 {
			b.Errorf("it has flashed %d times", flashes)
		}
		b.motion("no-preference")
	})
	if all := faults(); len(all) > 0 {
		t.Errorf("the console has %q", all)
	}
	if n := ask[int](b, "compiled"); n != compiled || n == 0 {
		t.Errorf("%d shader programs were compiled before the match, and %d in it", compiled, n-compiled)
	}
	b.step("says that the server is gone, and offers to try again", func() {
		end()
		until(b.T, "it says so", func() bool { return ask[string](b, `document.getElementById("link").textContent`) != "" })
		b.do(chromedp.WaitVisible("#link button"))
		b.picture("arena-gone")
	})
	b.step("ends by the menu", func() {
		b.press("Escape", "Escape", 50*time.Millisecond)
		b.do(chromedp.WaitVisible("#menu"))
		ask[bool](b, `[...document.querySelectorAll("#menu button")].at(-1).click(), true`)
		b.do(chromedp.WaitVisible("#card"))
		until(b.T, "the card offers another match", func() bool { return ask[string](b, `document.getElementById("play").textContent`) == "Play again" })
	})
}

// A player who is shot down sees the last seconds from the view of the shooter, and plays on.
func TestKillCam(t *testing.T) {
	url := serve(t, arena(t), "-clients", "16", "-npcs", "0") // nobody else to shoot at
	b := browse(t, 800, 500, 1, false)
	faults := b.faults()
	b.do(chromedp.Navigate(url + "?name=Ada"))
	until(t, "it plays", b.plays)
	until(t, "it shows the view of another player", func() bool { return ask[bool](b, `document.body.classList.contains("killcam")`) })
	b.picture("arena-killcam")
	until(t, "it plays on", func() bool { return !ask[bool](b, `document.body.classList.contains("killcam")`) })
	tick := ask[float64](b, "game.stats.Tick")
	until(t, "the match goes on", func() bool { return ask[float64](b, "game.stats.Tick") > tick })
	if all := faults(); len(all) > 0 {
		t.Errorf("the console has %q", all)
	}
}

// A browser that cannot draw the game says so, and what to do.
func TestWithoutWebGL(t *testing.T) {
	url := serve(t, arena(t))
	b := browse(t, 640, 480, 1, false, chromedp.Flag("disable-3d-apis", true))
	b.do(chromedp.Navigate(url))
	until(t, "the page says what is missing", func() bool {
		return strings.Contains(ask[string](b, `document.getElementById("status")?.textContent ?? ""`), "WebGL 2")
	})
	b.picture("no-webgl")
}
