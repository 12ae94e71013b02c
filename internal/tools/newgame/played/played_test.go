package played

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/tactusgo/tactus/internal/tools/newgame"
)

const (
	root     = "../../../.."
	patience = 3 * time.Minute // for what a compiler does on a busy machine
)

// page is one in a browser.
type page struct {
	t   *testing.T
	ctx context.Context
}

// browse starts a browser, or skips the test.
func browse(t *testing.T) *page {
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
		chromedp.WindowSize(1280, 800), chromedp.WSURLReadTimeout(time.Minute))
	var console sync.WaitGroup
	t.Cleanup(console.Wait)
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	p := &page{t, ctx}
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatal(err)
	}
	console.Go(func() {
		for m, err := range chromedp.Console(ctx) {
			if err != nil {
				return
			}
			t.Logf("console: %v", m)
		}
	})
	t.Cleanup(func() {
		if t.Failed() {
			p.picture("failed")
		}
	})
	return p
}

// open opens an address.
func (p *page) open(url string) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, chromedp.Navigate(url)); err != nil {
		p.t.Fatal(err)
	}
}

// find are what scripts use: the rows of tables with a component, and the own player's place.
const find = `const rows = (c) => { const all = []; for (const t of globalThis.game?.tables ?? []) for (let r = 0; t[c] && r < t.rows; r++) all.push([t, r]); return all; };
const me = () => rows('Player').filter(([t, r]) => t.Owner.Client(r) === game.stats.Client && game.stats.Joined === 1).map(([t, r]) => ({ x: t.Place.X(r), y: t.Place.Y(r), name: t.Player.Name(r), colour: t.Player.Colour(r) }))[0];
`

// until waits for what a script says to become true: in the page that is there then, which may be another one.
func (p *page) until(what, script string) {
	p.t.Helper()
	var last any
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		done, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool]("{"+find+script+"}"))
		if err == nil && done {
			return
		}
		last = err
	}
	p.t.Fatalf("never happened: %s (%v)", what, last)
}

// key presses a key, or lets go of it.
func (p *page) key(code string, kind input.DispatchKeyEventType) {
	p.t.Helper()
	if _, err := chromedp.Call(p.ctx, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Key: code, Code: code}); err != nil {
		p.t.Fatal(err)
	}
}

// thumb pushes the touch stick to the right, or lets go of it.
func (p *page) thumb(push bool) {
	p.t.Helper()
	touch := func(kind input.DispatchTouchEventType, at ...*input.TouchPoint) {
		if _, err := chromedp.Call(p.ctx, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: kind, TouchPoints: append([]*input.TouchPoint{}, at...)}); err != nil {
			p.t.Fatal(err)
		}
	}
	if !push {
		touch(input.DispatchTouchEventTypeTouchEnd)
		return
	}
	touch(input.DispatchTouchEventTypeTouchStart, &input.TouchPoint{X: 100, Y: 500})
	touch(input.DispatchTouchEventTypeTouchMove, &input.TouchPoint{X: 150, Y: 500})
}

// picture keeps what is on the screen.
func (p *page) picture(name string) {
	png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(p.t.ArtifactDir(), "starter-ts-"+name+".png"), png, 0o644)
	}
	if err != nil || len(png) < 10_000 {
		p.t.Errorf("the picture %s has %d bytes: %v", name, len(png), err)
	}
}

// below serves a page below a path, as a proxy does, and returns the address.
func below(t *testing.T, page, path string) string {
	t.Helper()
	to, err := url.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(http.StripPrefix(strings.TrimSuffix(path, "/"), httputil.NewSingleHostReverseProxy(to)))
	t.Cleanup(proxy.Close)
	return proxy.URL + path
}

// walks sees that the player of a page walks.
func (p *page) walks() {
	p.t.Helper()
	p.until("it has joined", `globalThis.from = me(); globalThis.from !== undefined`)
	p.key("ArrowLeft", input.DispatchKeyEventTypeKeyDown)
	p.until("it walks", `Math.abs(me()?.x - from.x) > 60`)
	p.key("ArrowLeft", input.DispatchKeyEventTypeKeyUp)
}

// The built page is played from the game's own server, under its content policy, and so is the page in development. There, a
// change of looks does not interrupt the match, a change of rules loads a new module with its bindings and server, and
// compiler errors are shown on the page until they are fixed.
func TestPlay(t *testing.T) {
	t.Setenv("NO_COLOR", "1") // in CI, Vite has colours without a terminal
	game := newgame.Make(t, root, "starter-ts")
	web := game.In("web")
	p := browse(t)
	t.Run("built", func(t *testing.T) {
		p.t = t
		web.Run("npm", "run", "build")
		server, log := game.Start(filepath.Join(web.Dir, "gen", "server"), "-listen", "127.0.0.1:0", "-websocket", "127.0.0.1:0", "-page", "127.0.0.1:0")
		socket := log.Find(t, `"websocket":"([^"]+)"`)
		at := log.Find(t, `"msg":"page","url":"([^"]+)"`)
		p.open(at)
		p.until("there is a form", `const form = document.forms[0]; form.elements.name.value = 'Ann'; form.requestSubmit(); true`)
		p.walks()
		p.until("it has its name", `me()?.name === 'Ann' && document.querySelector('#scores .own').textContent.startsWith('Ann')`)
		p.until("it has another colour", `document.querySelector('#colours button[title=Teal]').click(); me()?.colour === 5`)
		p.until("it stands", `globalThis.from = me(); true`)
		p.thumb(true)
		p.until("it walks as a thumb says", `me()?.x - from.x > 60`)
		p.thumb(false)
		p.picture("built")
		p.open(below(t, at, "/games/stars/"))
		p.until("it works below a path, too", `document.querySelector('main #join') !== null && document.querySelectorAll('#colours button').length > 1`)
		p.open(at)
		p.until("who comes back plays at once", `me()?.name === 'Ann'`)
		if err := server.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		p.until("the page says that it reconnects", `game.status === 'reconnecting' && document.getElementById('status').textContent === game.explanation`)
		p.picture("alone")
		_ = server.Wait()

		game.Change("game/protocol.go", `"starter/1"`, `"starter/2"`)
		game.Run("go", "build", "-o", "other", "./server")
		game.Change("game/protocol.go", `"starter/2"`, `"starter/1"`)
		other, _ := game.Start(filepath.Join(game.Dir, "other"), "-listen", "127.0.0.1:0", "-websocket", socket, "-page", strings.Trim(strings.TrimPrefix(at, "http://"), "/"))
		p.until("the page says that another game is served there, and asks no more", `const text = document.getElementById('status').textContent;
			text.includes('another version') && !text.includes('starter') && document.querySelector('#status button') !== null`)
		p.picture("other")
		if err := other.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		_ = other.Wait()
	})
	t.Run("dev", func(t *testing.T) {
		p.t = t
		vite, log := web.Start(filepath.Join("node_modules", ".bin", "vite"), "--port", "0", "--host", "127.0.0.1")
		defer func() {
			if err := vite.Process.Signal(syscall.SIGTERM); err != nil {
				t.Error(err)
			}
			_ = vite.Wait()
		}()
		at := log.Find(t, `Local:\W+(http://127\.0\.0\.1:\d+/)`)
		p.open(at + "?name=Ann")
		p.walks()
		p.until("it is marked", `globalThis.mark = game; true`)
		web.Change("src/draw.ts", "const GOLD = '#ffc94a'", "globalThis.looks = 'other'; const GOLD = '#ffc94a'")
		p.until("it looks different, and the match goes on", `globalThis.looks === 'other' && globalThis.mark === game && game.ended === null && me() !== undefined`)

		game.Change("game/protocol.go", "	Colour uint8  `net:\"enum 6\"`\n	Score ", "	Colour uint8  `net:\"enum 6\"`\n	Lives uint8 `net:\"0..3\"`\n	Score ")
		game.Change("game/rules.go", "	stars = 12 ", "	stars = 5 ")
		p.until("another module has other bindings and another server", `globalThis.mark === undefined && me() !== undefined &&
			rows('Player')[0][0].Player.Lives(0) === 0 && game.bindings.lines.some((l) => l.includes('Lives')) && rows('Star').length === 5`)
		p.walks()

		game.Change("game/rules.go", "	stars = 5 ", "	stars = many ")
		const overlay = `document.querySelector('vite-error-overlay')?.shadowRoot.textContent ?? ''`
		p.until("the compiler's error is on the page", `(`+overlay+`).includes('undefined: many')`)
		p.picture("error")
		if err := os.RemoveAll(filepath.Join(web.Dir, "gen")); err != nil { // as where nothing was ever built
			t.Fatal(err)
		}
		p.open(at + "?name=Bob")
		p.until("it is on a page that comes later, too, and nothing else", `(`+overlay+`).includes('undefined: many') && document.querySelector('canvas') === null`)
		game.Change("game/rules.go", "	stars = many ", "	stars = 7 ")
		p.until("it is mended", `(`+overlay+`) === '' && me()?.name === 'Bob' && rows('Star').length === 7`)

		p.until("the server has run for a while, and the page is marked", `globalThis.before = game; performance.now() > 4000`)
		if out, err := exec.Command("pkill", "-KILL", "-f", filepath.Join(web.Dir, "gen", "server")).CombinedOutput(); err != nil {
			t.Fatalf("pkill: %v %s", err, out)
		}
		p.until("a server that is killed is started again, and the page plays on it", `globalThis.before === undefined && me()?.name === 'Bob'`)

		game.Change("game/rules.go", "func scatter(w *ecs.World) {\n", "func scatter(w *ecs.World) {\n	if w.Tick() > 20 {\n		panic(\"oh no\")\n	}\n")
		p.until("what the server ends with is on the page", `(`+overlay+`).includes('the game server has ended')`)
	})
}
