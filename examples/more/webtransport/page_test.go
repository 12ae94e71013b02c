package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/tactusgo/tactus/examples/pages"
	"github.com/tactusgo/tactus/systems/devtools/runner/web"
)

// evil is a foreign site. For the browser it is on this machine.
const evil = "evil.example"

// witness has a page note which connections it tries and which open, and when the patience of the package with an attempt at
// WebTransport, a second, has run out.
const witness = `
globalThis.noted = [];
const told = (f, ...what) => (...args) => { noted.push(what.join(' ')); return f(...args); };
const wait = globalThis.setTimeout;
globalThis.setTimeout = (f, ms, ...args) => wait(ms === 1000 ? told(f, 'patience') : f, ms, ...args);
globalThis.WebSocket = class WebSocket extends globalThis.WebSocket {
  constructor(...args) {
    super(...args);
    noted.push('websocket tried');
    this.addEventListener('open', () => noted.push('websocket open'));
  }
};
const Transport = globalThis.WebTransport;
if (Transport) globalThis.WebTransport = class WebTransport extends Transport {
  constructor(...args) {
    super(...args);
    noted.push('webtransport tried');
    this.ready.then(() => noted.push('webtransport open'), () => {});
  }
};`

// browse starts a browser, or skips the test.
func browse(t *testing.T, trusted string) context.Context {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	var program string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil && program == "" {
			program = found
		}
	}
	if program == "" {
		t.Skip("there is no Chromium: apt-get install chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.WSURLReadTimeout(time.Minute),
		chromedp.Flag("use-angle", "swiftshader"), chromedp.Flag("enable-unsafe-swiftshader", true), chromedp.Flag("disable-gpu", false),
		chromedp.Flag("host-resolver-rules", "MAP "+evil+" 127.0.0.1"), chromedp.Flag("unsafely-treat-insecure-origin-as-secure", trusted))
	ctx, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, stop = chromedp.NewContext(ctx)
	t.Cleanup(stop)
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// tab is a page in a browser.
type tab struct {
	*testing.T
	ctx context.Context
}

// open opens a page, and closes it with the test.
func open(t *testing.T, browser context.Context, url string) *tab {
	t.Helper()
	ctx, stop := chromedp.NewContext(browser)
	t.Cleanup(stop)
	b := &tab{t, ctx}
	if _, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: witness}); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(ctx, chromedp.Navigate(url)); err != nil {
		t.Fatal(err)
	}
	return b
}

// ask evaluates an expression in a page.
func ask[V any](b *tab, expression string) (v V) {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[V](expression))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return v
}

// status returns the text of a page about its link.
func (b *tab) status() string { return ask[string](b, `document.querySelector('#status').textContent`) }

// plays waits until a player has walked over a link.
func (b *tab) plays(link string) {
	b.Helper()
	defer func() {
		if b.Failed() {
			b.Logf("status %q, noted %q", b.status(), ask[[]string](b, "noted"))
		}
	}()
	until(b.T, "it has a link", func() bool { s := b.status(); return s != "" && !strings.HasPrefix(s, "loading") })
	if got := b.status(); got != link {
		b.Fatalf("it plays over %q, want %q", got, link)
	}
	until(b.T, "it has walked, and is told of it", func() bool { return ask[bool](b, "globalThis.walked > 60 && globalThis.told > 20") })
}

// built returns a folder with a client of the arena, and a page that plays it.
func built(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/tactusgo/tactus").Output()
	if err != nil {
		t.Fatal(err)
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	at := func(parts ...string) string {
		return filepath.Join(append([]string{strings.TrimSpace(string(root))}, parts...)...)
	}
	for to, from := range map[string]string{
		"arena.html": "testdata/arena.html", "page.mjs": "testdata/page.mjs", "arena.mjs": at("examples/arena/bindings/arena.mjs"),
		"wasm_exec.js": filepath.Join(strings.TrimSpace(string(goroot)), "lib/wasm/wasm_exec.js"),
	} {
		b, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, to), b, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(folder, "client"), os.DirFS(at("systems/host/js"))); err != nil {
		t.Fatal(err)
	}
	build := exec.Command("go", "build", "-C", at(), "-trimpath", "-ldflags=-s -w", "-o", filepath.Join(folder, "play.wasm"), "./examples/arena/wasm")
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=", "GOWORK=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return folder
}

// elsewhere serves the page of a folder with another configuration than the command's.
func elsewhere(t *testing.T, folder string, on net.Listener, told func() connectJSON) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(folder)))
	mux.HandleFunc("/connect.json", func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(told()) })
	serve(t, on, mux)
	return "http://" + on.Addr().String() + "/arena.html"
}

// serve serves h until the end of the test.
func serve(t *testing.T, on net.Listener, h http.Handler) {
	site := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	go func() { _ = site.Serve(on) }() // until it is closed
	t.Cleanup(func() { _ = site.Close() })
}

// portal shows a page in a sandboxed frame, and what the page reports.
const portal = `<!doctype html><p id="status"></p><script>
onmessage = ({ data: { link, ...report } }) => { Object.assign(globalThis, report); document.querySelector('#status').textContent = link; };
</script><iframe sandbox="allow-scripts" src="%s"></iframe>`

// listen returns a free port of this machine.
func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// of counts the page's notes with a text.
func of(all []string, what string) (n int) {
	for _, x := range all {
		if x == what {
			n++
		}
	}
	return n
}

// A page plays over WebTransport, and over WebSocket if that is blocked: after a timeout if nobody answers, and at once after an
// error. Both refuse pages of other sites.
func TestPage(t *testing.T) {
	foreign := listen(t)
	at := foreign.Addr().(*net.TCPAddr).Port
	browser := browse(t, fmt.Sprintf("http://%s:%d", evil, at))
	folder := built(t)
	page := &web.Dist{Folder: folder, Index: "arena.html"}
	match := start(t, page, folder, "-clients", "2")
	good := told(t, match)
	for name, url := range map[string]string{"WebTransport passes": match, "a seat in a room": start(t, page, folder, "-rooms") + "?rooms"} {
		t.Run(name, func(t *testing.T) {
			b := open(t, browser, url)
			b.plays("webtransport")
			if noted := ask[[]string](b, "noted"); of(noted, "webtransport open") != 1 || of(noted, "websocket tried") != 0 {
				t.Errorf("noted %q", noted)
			}
		})
	}
	t.Run("a sandboxed frame of another site", func(t *testing.T) {
		on := listen(t)
		site := "http://" + on.Addr().String()
		url := start(t, page, folder, "-rooms", "-embed", site+",null") + "?rooms"
		serve(t, on, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, portal, url) }))
		open(t, browser, site).plays("webtransport")
	})
	silent, err := net.ListenPacket("udp", "127.0.0.1:0") // where nobody answers
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	gone, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := gone.Close(); err != nil {
		t.Fatal(err)
	}
	other := slices.Clone(good.Hashes[0])
	other[0] ^= 1
	for _, x := range []struct {
		name     string
		change   func(c *connectJSON)
		patience int
	}{
		{"UDP is blocked", func(c *connectJSON) { c.WebTransport = fmt.Sprintf("https://%v/", silent.LocalAddr()) }, 1},
		{"the port is dead", func(c *connectJSON) { c.WebTransport = fmt.Sprintf("https://%v/", gone.LocalAddr()) }, -1}, // either way
		{"another certificate", func(c *connectJSON) { c.Hashes = [][]byte{other} }, 0},
		{"no certificate that an authority has signed", func(c *connectJSON) { c.Hashes = nil }, 0},
	} {
		t.Run(x.name, func(t *testing.T) {
			c := good
			x.change(&c)
			b := open(t, browser, elsewhere(t, folder, listen(t), func() connectJSON { return c }))
			b.plays("websocket")
			noted := slices.DeleteFunc(ask[[]string](b, "noted"), func(s string) bool { return s == "patience" && x.patience < 0 })
			want := []string{"webtransport tried", "websocket tried", "websocket open"}
			if x.patience > 0 {
				want = slices.Insert(want, 1, "patience")
			}
			if !slices.Equal(noted, want) {
				t.Errorf("noted %q, want %q", noted, want)
			}
		})
	}
	under := func(name, text string) string {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		u.Host = name + ":" + u.Port()
		return u.String()
	}
	led := connectJSON{under(evil, good.WebSocket), under(evil, good.WebTransport), good.Hashes, true} // its client would go there
	for _, x := range []struct{ name, page string }{
		{"a page of another site", under(evil, elsewhere(t, folder, foreign, func() connectJSON { return good }))},
		{"a name that any site could make lead here", elsewhere(t, folder, listen(t), func() connectJSON { return led })},
	} {
		t.Run(x.name, func(t *testing.T) {
			b := open(t, browser, x.page)
			until(t, "it is refused", func() bool { return strings.HasPrefix(b.status(), "refused") })
			if noted := ask[[]string](b, "noted"); !slices.Equal(noted, []string{"webtransport tried", "websocket tried"}) {
				t.Errorf("noted %q", noted)
			}
		})
	}
}

// The arena's page plays over WebTransport, and shows that in its statistics.
func TestArena(t *testing.T) {
	if os.Getenv("TACTUS_LONG") == "" {
		t.Skip("draws a world without a graphics card: set TACTUS_LONG=1")
	}
	browser := browse(t, "")
	b := open(t, browser, start(t, pages.Page("arena"), built(t))+"?name=Ada")
	until(t, "it has joined", func() bool { return ask[bool](b, `document.body.classList.contains('playing')`) })
	ask[bool](b, `dispatchEvent(new KeyboardEvent('keydown', { key: 'F3' }))`)
	figure := func(name string) string {
		return ask[string](b, fmt.Sprintf(`[...document.querySelectorAll('#panel dt')].find((e) => e.textContent === %q)?.nextElementSibling.textContent ?? ''`, name))
	}
	until(t, "others are there", func() bool { n, _ := strconv.Atoi(figure("entities")); return n > 20 })
	if got := figure("link"); got != "webtransport" {
		t.Errorf("its link is %q", got)
	}
	if noted := ask[[]string](b, "noted"); of(noted, "webtransport open") != 1 || of(noted, "websocket tried") != 0 {
		t.Errorf("noted %q", noted)
	}
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(t.ArtifactDir(), "arena.png"), png, 0o644); err != nil {
		t.Fatal(err)
	}
	if len(png) < 10_000 {
		t.Errorf("a picture of %d bytes: there is nothing on it", len(png))
	}
}
