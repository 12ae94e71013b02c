package browsers

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/tactusgo/tactus/internal/printed"
	"github.com/tactusgo/tactus/internal/tools/newgame"
)

// find is a prologue of scripts: rows returns the rows of tables with a component, and me the own player.
const find = `const rows = (c) => { const all = []; for (const t of globalThis.game?.tables ?? []) for (let r = 0; t[c] && r < t.rows; r++) all.push([t, r]); return all; };
const me = () => rows('Player').filter(([t, r]) => t.Owner.Client(r) === game.stats.Client && game.stats.Joined === 1).map(([t, r]) => ({ x: t.Place.X(r), y: t.Place.Y(r), name: t.Player.Name(r), colour: t.Player.Colour(r) }))[0];
`

// holds waits until a script is true in the page that is there then, which may be another one. A compiler may be at work on a busy
// machine.
func (b *browser) holds(what, script string) {
	b.Helper()
	var last any
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		done, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("{"+find+script+"}"))
		if err == nil && done {
			return
		}
		last = err
	}
	b.Fatalf("never happened: %s (%v)", what, last)
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

// walks fails the test unless the player of the page walks by a key.
func (b *browser) walks() {
	b.Helper()
	b.holds("it has joined", `globalThis.from = me(); globalThis.from !== undefined`)
	b.insist("it walks", func(int) { b.press("ArrowLeft", "ArrowLeft", 500*time.Millisecond) }, func() bool {
		far, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool]("{"+find+"Math.abs(me()?.x - from.x) > 60}"))
		return err == nil && far
	})
}

// fill takes all seats of a room that are free.
func fill(t *testing.T, page, code string) {
	t.Helper()
	for player := range 100 {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, page+"rooms/"+code+"/join", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Player", strconv.Itoa(player+1))
		got, err := http.DefaultClient.Do(r)
		if err != nil || got.Body.Close() != nil {
			t.Fatal(err)
		}
		if got.StatusCode == http.StatusConflict {
			return
		}
		if got.StatusCode != http.StatusOK {
			t.Fatalf("the room answers %s", got.Status)
		}
	}
	t.Fatal("the room has no end")
}

// startBuilt builds the page in TypeScript, and starts the server.
func startBuilt(game *newgame.Folder) (*exec.Cmd, *printed.Text) {
	web := game.In("web")
	web.Run("npm", "run", "build")
	return game.Start(filepath.Join(web.Dir, "gen", "server"), "-listen", "127.0.0.1:0", "-websocket", "127.0.0.1:0", "-page", "127.0.0.1:0", "-guests")
}

// TestStarterInGo plays on the page of the game that `go run ./examples/new` makes, which is built as its README says. A spectator watches.
func TestStarterInGo(t *testing.T) {
	game := newgame.Make(t, root(t), "")
	readme, err := os.ReadFile(filepath.Join(game.Dir, "page", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	commands := regexp.MustCompile(`(?m)^    .*$`).FindAllString(string(readme), -1)
	game.Run("sh", "-ec", strings.Join(commands[:len(commands)-1], "\n")) // the last one starts the server
	game.Run("go", "build", "-o", "bin", "./server")
	_, log := game.Start(filepath.Join(game.Dir, "bin"), "-listen", "127.0.0.1:0", "-websocket", "127.0.0.1:0", "-page", "127.0.0.1:0")
	page := log.Find(t, `"msg":"page","url":"([^"]+)"`)
	const draws = `const canvas = document.querySelector('canvas'), { width, height } = canvas;
		document.getElementById('status').textContent === '' && canvas.getContext('2d').getImageData(0, 0, width, height).data.some((v) => v > 0)`
	cyd := browse(t, 800, 450, 1, false)
	cyd.do(chromedp.Navigate(page + "?watch"))
	cyd.holds("nobody plays", `document.getElementById('status').textContent === 'Nobody plays now. Play'`)
	b := browse(t, 1280, 800, 1, false)
	b.do(chromedp.Navigate(page + "?name=Ann"))
	b.holds("it has the link to a room", `/^#\w{6}$/.test(location.hash) && document.getElementById('invite').href.endsWith('/' + location.hash)`)
	b.holds("it draws", draws)
	b.picture("starter-go")
	cyd.do(chromedp.Reload())
	cyd.holds("it watches the room", `document.body.textContent.includes('You are watching')`)
	cyd.holds("it draws", draws)
	cyd.picture("starter-go-watching")
}

// TestStarter plays the game that `go run ./examples/new -ts` makes. The built page is played from the game's own server, under its content policy, and so is the page in development. There, a
// change of looks does not interrupt the match, a change of rules loads a new module with its bindings and server, and
// compiler errors are shown on the page until they are fixed. A second player opens the link of the invitation, and plays in the same
// room. Others are told that the room is full or has ended, and get another one.
func TestStarter(t *testing.T) {
	t.Setenv("NO_COLOR", "1") // in CI, Vite has colours without a terminal
	game := newgame.Make(t, root(t), "-ts")
	web := game.In("web")
	b := browse(t, 1280, 800, 1, false)
	b.step("built", func() {
		server, log := startBuilt(game)
		socket := log.Find(b.T, `"websocket":"([^"]+)"`)
		at := log.Find(b.T, `"msg":"page","url":"([^"]+)"`)
		b.do(chromedp.Navigate(at))
		b.holds("there is a form", `const form = document.forms[0]; form.elements.name.value = 'Ann'; form.requestSubmit(); true`)
		b.walks()
		b.holds("it has its name", `me()?.name === 'Ann' && document.querySelector('#scores .own').textContent.startsWith('Ann')`)
		b.holds("it has another colour", `document.querySelector('#colours button[title=Teal]').click(); me()?.colour === 5`)
		b.holds("it stands", `globalThis.from = me(); true`)
		b.touch(input.DispatchTouchEventTypeTouchStart, point{100, 500})
		b.touch(input.DispatchTouchEventTypeTouchMove, point{150, 500})
		b.holds("it walks as a thumb says", `me()?.x - from.x > 60`)
		b.touch(input.DispatchTouchEventTypeTouchEnd)
		b.picture("starter-built")
		b.holds("it is muted, and heard again", `const mute = document.getElementById('mute'); mute.click(); const off = mute.textContent; mute.click(); off === 'Unmute' && mute.textContent === 'Mute'`)
		b.holds("it shows the last seconds", `document.getElementById('replay').click(); document.getElementById('replay').textContent === 'Live'`)
		b.picture("starter-replay")
		b.holds("the match is back", `document.getElementById('replay').textContent === 'Replay' && me() !== undefined`)
		b.holds("the button copies the link", `navigator.clipboard.writeText = async (text) => { globalThis.copied = text; }; document.getElementById('invite').click(); true`)
		b.holds("it is copied", `globalThis.copied === location.href && document.getElementById('invite').textContent.startsWith('Link copied')`)
		link := ask[string](b, "copied")
		code := link[strings.LastIndexByte(link, '#')+1:]

		bob := b.tab(390, 844, 2, true)
		bob.do(chromedp.Navigate(link))
		bob.holds("the page says where the link leads", `document.getElementById('purpose').textContent.includes('invited') && document.getElementById('private').hidden`)
		bob.picture("starter-invited")
		clicked := time.Now()
		bob.holds("there is a form", `const form = document.forms[0]; form.elements.name.value = 'Bob'; form.requestSubmit(); true`)
		bob.holds("both are in one room", `rows('Player').length === 2 && me()?.name === 'Bob' && location.hash === '#`+code+`'`)
		b.Logf("%v from the name to the match", time.Since(clicked).Round(10*time.Millisecond))
		b.holds("the other one sees it", `rows('Player').length === 2 && me()?.name === 'Ann'`)
		bob.picture("starter-phone")
		b.do(chromedp.Reload())
		b.holds("a reload leads back", `rows('Player').length === 2 && me()?.name === 'Ann' && location.hash === '#`+code+`'`)

		bob.do(chromedp.Navigate(strings.Replace(link, "#", "?watch#", 1)))
		bob.holds("a spectator is told that the tab has a seat", `const text = document.getElementById('status').textContent; text.includes('You have a seat in that room')`)
		bob.holds("the link leads back", `document.querySelector('#hint a').click(); true`)
		bob.holds("it plays under the name of the tab", `game.spectator === false && me()?.name === 'Bob' && rows('Player').length === 2`)
		cyd := b.tab(1280, 800, 1, false)
		cyd.do(chromedp.Navigate(at + "?watch"))
		cyd.holds("a spectator sees the room with the most players", `game.spectator && game.stats.Joined === 1 && rows('Player').length === 2 && me() === undefined && location.hash === '#`+code+`'`)
		cyd.picture("starter-watch")

		fill(b.T, at, code)
		dan := b.tab(1280, 800, 1, false)
		dan.do(chromedp.Navigate(strings.Replace(link, "#", "?name=Dan#", 1)))
		dan.holds("the page says that the room is full", `document.getElementById('status').textContent.includes('full') && document.querySelectorAll('#status button').length === 2`)
		dan.picture("starter-full")
		dan.holds("another one is offered", `document.querySelector('#status button').click(); true`)
		dan.holds("it plays there", `me()?.name === 'Dan' && location.hash !== '#`+code+`' && rows('Player').length === 1`)
		dan.do(chromedp.Navigate("about:blank"), chromedp.Navigate(at+"?name=Dan#zzzzzz"))
		dan.holds("the page says that there is no such room", `document.getElementById('status').textContent.includes('no such room')`)
		dan.holds("another one is offered", `document.querySelector('#status button').click(); true`)
		dan.holds("it plays", `me()?.name === 'Dan' && location.hash !== '#zzzzzz'`)
		for _, other := range []*browser{bob, cyd, dan} {
			other.do(chromedp.Navigate("about:blank"))
		}

		b.do(chromedp.Navigate(below(b.T, at, "/games/stars/") + "?name=Ann"))
		b.holds("it works below a path, too", `me()?.name === 'Ann' && location.pathname === '/games/stars/' && document.querySelectorAll('#colours button').length > 1`)
		b.do(chromedp.Navigate(at))
		b.holds("who comes back plays at once", `me()?.name === 'Ann' && location.hash === '#`+code+`'`)
		if err := server.Process.Signal(os.Interrupt); err != nil {
			b.Fatal(err)
		}
		b.holds("the page says that it reconnects", `document.getElementById('status').textContent.includes('Reconnecting')`)
		b.picture("starter-alone")
		_ = server.Wait()

		game.Change("game/protocol.go", `"starter/1"`, `"starter/2"`)
		game.Run("go", "build", "-o", "other", "./server")
		game.Change("game/protocol.go", `"starter/2"`, `"starter/1"`)
		other, _ := game.Start(filepath.Join(game.Dir, "other"), "-listen", "127.0.0.1:0", "-websocket", socket, "-page", strings.Trim(strings.TrimPrefix(at, "http://"), "/"))
		b.holds("the page says that the room is gone", `document.getElementById('status').textContent.includes('no such room')`)
		b.holds("another one is offered", `document.querySelector('#status button').click(); true`)
		b.holds("the page says that another game is served there, and asks no more", `const text = document.getElementById('status').textContent;
			text.includes('another version') && !text.includes('starter') && document.querySelector('#status button') !== null`)
		b.picture("starter-other")
		if err := other.Process.Signal(os.Interrupt); err != nil {
			b.Error(err)
		}
		_ = other.Wait()
	})
	b.step("dev", func() {
		vite, log := web.Start(filepath.Join("node_modules", ".bin", "vite"), "--port", "0", "--host", "127.0.0.1")
		defer func() {
			if err := vite.Process.Signal(syscall.SIGTERM); err != nil {
				b.Error(err)
			}
			_ = vite.Wait()
		}()
		at := log.Find(b.T, `Local:\W+(http://127\.0\.0\.1:\d+/)`)
		b.do(chromedp.Navigate(at + "?name=Ann"))
		b.walks()
		b.holds("it is marked", `globalThis.mark = game; true`)
		web.Change("src/draw.ts", "const GOLD = '#ffc94a'", "globalThis.looks = 'other'; const GOLD = '#ffc94a'")
		b.holds("it looks different, and the match goes on", `globalThis.looks === 'other' && globalThis.mark === game && game.ended === null && me() !== undefined`)

		web.Change("src/draw.ts", "const born = performance.now();", "const born = performance.now(); globalThis.burst = Worth;")
		b.holds("the page shows that the bot takes a star", `globalThis.burst > 0 && globalThis.mark === game && rows('Player').length === 2`)

		game.Change("game/protocol.go", "	Colour uint8  `net:\"enum 6\"`\n	Score ", "	Colour uint8  `net:\"enum 6\"`\n	Lives uint8 `net:\"0..3\"`\n	Score ")
		game.Change("game/rules.go", "	stars = 12 ", "	stars = 5 ")
		b.holds("another module has other bindings and another server", `globalThis.mark === undefined && me() !== undefined &&
			rows('Player')[0][0].Player.Lives(0) === 0 && game.bindings.lines.some((l) => l.includes('Lives')) && rows('Star').length === 5`)
		b.walks()

		game.Change("game/rules.go", "	stars = 5 ", "	stars = many ")
		const overlay = `document.querySelector('vite-error-overlay')?.shadowRoot.textContent ?? ''`
		b.holds("the compiler's error is on the page", `(`+overlay+`).includes('undefined: many')`)
		b.picture("starter-error")
		if err := os.RemoveAll(filepath.Join(web.Dir, "gen")); err != nil { // as where nothing was ever built
			b.Fatal(err)
		}
		b.do(chromedp.Navigate(at + "?name=Bob"))
		b.holds("it is on a page that comes later, too, and nothing else", `(`+overlay+`).includes('undefined: many') && document.querySelector('canvas') === null`)
		game.Change("game/rules.go", "	stars = many ", "	stars = 7 ")
		b.holds("it is mended", `(`+overlay+`) === '' && me()?.name === 'Bob' && rows('Star').length === 7`)

		b.holds("the server has run for a while, and the page is marked", `globalThis.before = game; performance.now() > 4000`)
		if out, err := exec.Command("pkill", "-KILL", "-f", filepath.Join(web.Dir, "gen", "server")).CombinedOutput(); err != nil {
			b.Fatalf("pkill: %v %s", err, out)
		}
		b.holds("a server that is killed is started again, and the page plays on it", `globalThis.before === undefined && me()?.name === 'Bob'`)

		game.Change("game/rules.go", "func scatter(w *ecs.World) {\n", "func scatter(w *ecs.World) {\n	if w.Tick() > 20 {\n		panic(\"oh no\")\n	}\n")
		b.holds("a panic in a rule ends the room, and the page says so", `/room has failed|ended the session/.test(document.getElementById('status')?.textContent)`)
		game.Change("server/main.go", "	if err := o.parsePublic(); err != nil {", "	if err := errors.New(\"oh no\"); err != nil {")
		b.holds("what the server ends with is on the page", `(`+overlay+`).includes('the game server has ended')`)
	})
}
