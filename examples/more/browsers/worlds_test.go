package browsers

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/tactusgo/tactus/examples/pages"
)

// pageLine matches the address of a page, as the command of a world prints it.
var pageLine = regexp.MustCompile(`browser: +(http://\S+)`)

// witness runs in a page before its scripts. It keeps sockets, and simulates a gamepad.
const witness = `
	globalThis.sockets = [];
	globalThis.WebSocket = class extends WebSocket { constructor(url) { super(url); sockets.push(this); } };
	globalThis.pad = null;
	navigator.getGamepads = () => [pad];
	globalThis.push = (x, y, pressed) => { globalThis.pad = { connected: true, axes: [x, y, pressed.length ? 1 : 0, 0],
		buttons: Array.from({ length: 17 }, (_, i) => ({ pressed: pressed.includes(i) })) }; };
	// own returns the place of the own player, or of the player of a client, in the newest frame.
	globalThis.own = (client = globalThis.game?.stats.Client) => {
		if (!client) return null;
		for (const t of game.tables) for (let r = 0; t.Owner && r < t.rows; r++) {
			if (t.Owner.Client(r) !== client) continue;
			const c = t.Position ?? t.Snake ?? t.Body, at = c.At ?? c;
			return { x: at.X(r), y: at.Z ? at.Z(r) : at.Y ? at.Y(r) : 0 };
		}
		return null;
	};`

// serve runs the command of a world until the end of the test, and returns the address of its page.
func serve(t *testing.T, w pages.World, args ...string) (url string) {
	t.Helper()
	url, _ = serveUntil(t, w, args...)
	return url
}

// serveUntil is serve until the function end is called.
func serveUntil(t *testing.T, w pages.World, args ...string) (url string, end func()) {
	t.Helper()
	program := exec.Command(program(t, w.Folder()), append([]string{"-http", "127.0.0.1:0"}, args...)...)
	program.Dir = filepath.Join(root(t), w.Folder())
	program.Stderr = t.Output()
	out, err := program.StdoutPipe()
	if err == nil {
		err = program.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var reading sync.WaitGroup
	end = sync.OnceFunc(func() {
		_ = program.Process.Kill()
		reading.Wait()
		_ = program.Wait()
	})
	t.Cleanup(end)
	found := make(chan string, 1)
	reading.Go(func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if m := pageLine.FindStringSubmatch(lines.Text()); m != nil {
				found <- m[1]
			}
		}
	})
	select {
	case url = <-found:
	case <-time.After(patience):
		t.Fatal("the command has not printed where its page is")
	}
	compiled(t, url)
	return url, end
}

// compiled waits until the client of a page is compiled, which takes minutes on a machine that does other things as well.
func compiled(t *testing.T, page string) {
	t.Helper()
	at, err := url.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 * 60 {
		r, err := http.Get(at.JoinPath("/build.json").String())
		if err != nil {
			t.Fatal(err)
		}
		state, err := io.ReadAll(r.Body)
		_ = r.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(state), `"ready"`) {
			return
		}
		if strings.Contains(string(state), `"failed"`) {
			t.Fatalf("the client of %s: %s", page, state)
		}
		time.Sleep(time.Second)
	}
	t.Fatalf("the client of %s is not compiled after five minutes", page)
}

// faults returns what the page has written to the console as an error or a warning.
func (b *browser) faults() func() []string {
	var mu sync.Mutex
	var all []string
	messages := chromedp.Console(b.ctx)
	var reading sync.WaitGroup
	reading.Go(func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.IsException() || m.Type == "error" || m.Type == "assert" || m.Type == "warning" {
				mu.Lock()
				all = append(all, m.String())
				mu.Unlock()
			}
		}
	})
	return func() []string {
		time.Sleep(100 * time.Millisecond) // messages are on their way
		mu.Lock()
		defer mu.Unlock()
		return append([]string{}, all...)
	}
}

// ask evaluates an expression in the page.
func ask[V any](b *browser, expression string) V {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[V](expression))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return v
}

// place is where the own player is; nil if there is none.
type place struct{ X, Y float64 }

func (b *browser) own() *place {
	b.Helper()
	return ask[*place](b, "own()")
}

// moves does something until the own player has moved by more than it would by itself in that time.
func (b *browser) moves(what string, act func(n int)) {
	b.Helper()
	var before *place
	b.insist(what, func(n int) {
		before = b.own()
		act(n)
	}, func() bool {
		now := b.own()
		return before != nil && now != nil && (before.X-now.X)*(before.X-now.X)+(before.Y-now.Y)*(before.Y-now.Y) > 0.25
	})
}

// plays reports whether the page shows a match on a good link.
func (b *browser) plays() bool {
	return ask[bool](b, `document.body.classList.contains("playing") && document.getElementById("link").textContent === "" && globalThis.game?.status === "playing"`)
}

// Every world joins, plays by touch and by a gamepad, and goes on after its socket dropped and after its tab was frozen. It
// writes nothing to the console.
func TestWorlds(t *testing.T) {
	for _, w := range pages.Worlds() {
		if w.Name == "bodies" { // it has a page of its own
			continue
		}
		t.Run(w.Name, func(t *testing.T) {
			url := serve(t, w)
			b := browse(t, 390, 844, 1, true)
			if _, err := chromedp.Call(b.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: witness}); err != nil {
				t.Fatal(err)
			}
			faults := b.faults()
			b.step("joins", func() {
				b.do(chromedp.Navigate(url))
				until(b.T, "the card lets one play", func() bool { return ask[bool](b, `document.getElementById("play")?.disabled === false`) })
				b.picture(w.Name + "-card")
				if w.Name == "snake" { // by a gamepad
					ask[bool](b, "push(0, 0, []), true")
					time.Sleep(300 * time.Millisecond)
					ask[bool](b, "push(0, 0, [0]), true")
				} else {
					b.do(chromedp.Click("#play"))
				}
				until(b.T, "it plays", b.plays)
				ask[bool](b, "(globalThis.pad = null), true")
				until(b.T, "the player is there", func() bool { return b.own() != nil })
			})
			b.step("touch", func() {
				b.moves("a thumb moves the player", func(n int) {
					x := []float64{44, -44}[n%2]
					from := point{X: 100, Y: 700}
					b.touch(input.DispatchTouchEventTypeTouchStart, from)
					b.touch(input.DispatchTouchEventTypeTouchMove, point{X: from.X + x, Y: from.Y + x/3})
					time.Sleep(700 * time.Millisecond)
					if n == 0 {
						b.picture(w.Name + "-phone")
					}
					b.touch(input.DispatchTouchEventTypeTouchEnd)
				})
			})
			if low := ask[bool](b, `document.getElementById("map")?.getBoundingClientRect().bottom > innerHeight / 2`); low {
				t.Error("the map lies under a thumb")
			}
			b.step("other thumbs", func() {
				thumbs := []point{{X: 100, Y: 700}, {X: 300, Y: 400}, {X: 60, Y: 500}} // two in the left half, one in the right
				knob := func(want string) {
					b.Helper()
					until(b.T, "the knob of the left stick is at "+want, func() bool {
						return ask[string](b, `document.querySelector(".stick.left i").style.translate`) == want
					})
				}
				b.touch(input.DispatchTouchEventTypeTouchStart, thumbs[0])
				thumbs[0].X += 80
				b.touch(input.DispatchTouchEventTypeTouchMove, thumbs[0])
				knob("34px")
				for n := 2; n <= len(thumbs); n++ {
					b.touch(input.DispatchTouchEventTypeTouchStart, thumbs[:n]...)
				}
				thumbs[0].X++
				thumbs[2].X -= 40
				b.touch(input.DispatchTouchEventTypeTouchMove, thumbs...)
				knob("34px")
				thumbs[0].X++
				b.touch(input.DispatchTouchEventTypeTouchMove, thumbs[0]) // the others lift
				knob("34px")
				b.touch(input.DispatchTouchEventTypeTouchEnd)
				knob("")
			})
			b.step("gamepad", func() {
				b.moves("a gamepad moves the player", func(n int) {
					x := []float64{1, -1}[n%2]
					ask[bool](b, fmt.Sprintf("push(%v, %v, [0]), true", x, x/3))
					time.Sleep(700 * time.Millisecond)
					ask[bool](b, "push(0, 0, []), true")
				})
				ask[bool](b, "(globalThis.pad = null), true")
			})
			b.step("switches of the network panel", func() { // the console has what goes wrong
				n := ask[int](b, `[...document.querySelectorAll("#panel [type=checkbox]")].map((e) => (e.click(), e.click())).length`)
				if want := map[string]int{"platformer": 1, "snowball": 1}[w.Name]; n != want {
					t.Errorf("there are %d, want %d", n, want)
				}
			})
			if all := faults(); len(all) > 0 {
				t.Errorf("the console has %q", all)
			}
			b.step("a dropped socket", func() {
				n := ask[int](b, "sockets.forEach((s) => s.close()), sockets.length")
				until(b.T, "it opens another socket", func() bool { return ask[int](b, "sockets.length") > n })
				until(b.T, "it plays again", b.plays)
			})
			b.step("a reload", func() {
				b.do(chromedp.Reload())
				until(b.T, "it plays without another click", b.plays)
			})
			// The last step, because a page that is loaded after it is hidden for the browser, and draws no frames.
			b.step("a frozen tab", func() {
				for _, state := range []string{"frozen", "active"} {
					if _, err := chromedp.Call(b.ctx, page.SetWebLifecycleState, page.SetWebLifecycleStateParams{State: page.SetWebLifecycleStateState(state)}); err != nil {
						b.Fatal(err)
					}
					time.Sleep(3 * time.Second)
				}
				until(b.T, "it plays again", b.plays)
			})
			for _, fault := range faults() {
				if !strings.Contains(fault, "WebSocket") {
					t.Errorf("the console has %q", fault)
				}
			}
		})
	}
}

// A spectator of a duel on a phone sees no buttons for fighting.
func TestWatching(t *testing.T) {
	for _, w := range pages.Worlds() {
		if w.Name != "duel" {
			continue
		}
		b := browse(t, 390, 844, 1, true)
		b.do(chromedp.Navigate(serve(t, w) + "/?watch=yes&name=Ada"))
		until(t, "it shows the fight", func() bool {
			return b.plays() && ask[string](b, `document.getElementById("message").textContent`) == "You are watching"
		})
		b.picture("duel-watching")
		if ask[bool](b, `document.getElementById("controls").checkVisibility()`) {
			t.Error("there are buttons and a stick")
		}
	}
}

// A copy of a tab, whose session storage is a copy, too, is another player: with the npm package, and with a client in Go.
func TestCopiedTab(t *testing.T) {
	for _, w := range pages.Worlds() {
		if w.Name != "custom" && w.Name != "bodies" {
			continue
		}
		t.Run(w.Name, func(t *testing.T) {
			b := browse(t, 640, 480, 1, false)
			b.do(chromedp.Navigate(serve(t, w) + "/?name=Ada"))
			until(t, "the tab has a player", func() bool { return ask[bool](b, "sessionStorage.getItem('tactus-player') !== null") })
			ask[bool](b, "(globalThis.copy = open(location.href)) !== null")
			until(t, "the copy has another player", func() bool {
				return ask[bool](b, "![null, sessionStorage.getItem('tactus-player')].includes(copy.sessionStorage.getItem('tactus-player'))")
			})
		})
	}
}
