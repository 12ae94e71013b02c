package browsers

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// prefix is the path of the page behind the proxy of a portal.
const prefix = "/games/arena/"

// reporter runs in the page in the frame, before its scripts, and tells the portal what the player sees. Nobody else reaches into a
// sandboxed frame.
const reporter = `{
	const wrong = [];
	addEventListener("error", (e) => wrong.push(e.message || e.target.src || e.target.href), true);
	addEventListener("unhandledrejection", (e) => wrong.push(String(e.reason)));
	addEventListener("securitypolicyviolation", (e) => wrong.push(e.violatedDirective + " " + e.blockedURI));
	let storage = "";
	try { sessionStorage.length; } catch (e) { storage = e.name; }
	const place = () => {
		const client = globalThis.game?.stats.Client;
		for (const t of client ? game.tables : []) for (let r = 0; t.Owner && t.Position && r < t.rows; r++)
			if (t.Owner.Client(r) === client) return { x: t.Position.X(r), y: t.Position.Y(r) };
		return null;
	};
	setInterval(() => {
		const play = document.getElementById("play"), box = play?.getBoundingClientRect();
		parent.postMessage({ origin, storage, wrong, at: place(), ready: play?.disabled === false && play.checkVisibility(), focus: document.hasFocus(),
			x: box ? box.x + box.width / 2 : 0, y: box ? box.y + box.height / 2 : 0, playing: document.body?.classList.contains("playing"),
			saying: document.getElementById("say")?.hidden === false, lines: document.getElementById("lines")?.textContent ?? "" }, "*");
	}, 50);
}`

// framed is what the page in the frame has told.
type framed struct {
	Origin, Storage string
	Wrong           []string
	At              *place
	Ready, Focus    bool
	X, Y            float64 // of the button that plays
	Playing, Saying bool
	Lines           string
}

// portal serves a site with a sandboxed frame, and the page for it behind a proxy under prefix. It returns the URL of the site. to is
// called with it, and returns the URL of the page.
func portal(t *testing.T, to func(site string) string) (site string) {
	t.Helper()
	var proxy *httputil.ReverseProxy
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><title>portal</title><style>body { margin: 0 } iframe { border: 0; width: 800px; height: 500px; display: block }</style>
<script>addEventListener("message", (e) => { globalThis.framed = e.data; })</script>
<iframe sandbox="allow-scripts" src="`+prefix+`"></iframe>`)
	})
	mux.HandleFunc(prefix+"reporter.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(w, reporter)
	})
	mux.HandleFunc(prefix, func(w http.ResponseWriter, r *http.Request) { proxy.ServeHTTP(w, r) })
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	page, err := url.Parse(to(s.URL))
	if err != nil {
		t.Fatal(err)
	}
	proxy = &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(page)
			r.Out.URL.Path = "/" + strings.TrimPrefix(r.In.URL.Path, prefix)
			r.Out.Header.Del("Accept-Encoding") // the page is changed below
		},
		ModifyResponse: func(r *http.Response) error {
			if !strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") {
				return nil
			}
			b, err := io.ReadAll(r.Body)
			b = bytes.Replace(b, []byte("<head>"), []byte(`<head><script src="reporter.js"></script>`), 1)
			r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(b)), int64(len(b))
			r.Header.Set("Content-Length", strconv.Itoa(len(b)))
			return err
		},
	}
	return s.URL
}

// frame returns what the page in the frame has told last.
func (b *browser) frame() framed {
	b.Helper()
	return ask[framed](b, "globalThis.framed ?? {}")
}

// The arena with one match and with rooms is played in a sandboxed frame of another site, under a prefix of that site: without
// storage, forms and an origin.
func TestFrame(t *testing.T) {
	for name, start := range map[string]func(t *testing.T, embed string) string{
		"match": func(t *testing.T, embed string) string { return serve(t, arena(t), "-embed", embed) },
		"rooms": func(t *testing.T, embed string) string {
			page, _, _ := lobby(t, program(t, arena(t).Folder()), "127.0.0.1:0", "-embed", embed)
			compiled(t, page)
			return page
		},
	} {
		t.Run(name, func(t *testing.T) {
			site := portal(t, func(site string) string { return start(t, site+",null") })
			b := browse(t, 800, 500, 1, false)
			b.do(chromedp.Navigate(site))
			b.step("is sandboxed", func() {
				until(b.T, "the card lets one play", func() bool { return b.frame().Ready })
				if f := b.frame(); f.Origin != "null" || f.Storage != "SecurityError" {
					b.Errorf("the origin is %q, storage throws %q", f.Origin, f.Storage)
				}
			})
			b.step("joins", func() {
				f := b.frame()
				b.mouse(input.DispatchMouseEventTypeMousePressed, f.X, f.Y)
				b.mouse(input.DispatchMouseEventTypeMouseReleased, f.X, f.Y)
				until(b.T, "it plays", func() bool { return b.frame().Playing && b.frame().At != nil })
				b.picture("frame-" + name)
			})
			b.step("walks", func() {
				var before *place
				b.insist("a key moves the player", func(n int) {
					before = b.frame().At
					key := [][2]string{{"d", "KeyD"}, {"a", "KeyA"}}[n%2]
					b.press(key[0], key[1], 700*time.Millisecond)
				}, func() bool {
					now := b.frame().At
					return before != nil && now != nil && (before.X-now.X)*(before.X-now.X)+(before.Y-now.Y)*(before.Y-now.Y) > 0.25
				})
			})
			b.step("chats", func() {
				b.insist("the field is open", func(int) { b.enter() }, func() bool { return b.frame().Saying })
				b.insist("the line is there", func(int) {
					if _, err := chromedp.Call(b.ctx, input.InsertText, input.InsertTextParams{Text: "hello"}); err != nil {
						b.Fatal(err)
					}
					b.enter()
				}, func() bool { return strings.Contains(b.frame().Lines, "hello") })
			})
			if f := b.frame(); len(f.Wrong) > 0 {
				t.Errorf("the page reports %q", f.Wrong)
			}
		})
	}
}

// A site that -embed does not name shows no page in its frame.
func TestFrameOfAnotherSite(t *testing.T) {
	site := portal(t, func(string) string { return serve(t, arena(t), "-embed", "https://portal.example,null") })
	b := browse(t, 800, 500, 1, false)
	b.do(chromedp.Navigate(site))
	until(t, "the frame is loaded", func() bool { return ask[bool](b, `document.readyState === "complete"`) })
	time.Sleep(time.Second)
	if f := b.frame(); f.Origin != "" {
		t.Errorf("the frame has the page: %+v", f)
	}
}
