package web

import (
	"compress/gzip"
	"crypto/tls"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tactusgo/tactus/netsys/eventloop"
)

// dist returns a checkout with a page that was built in it, which the test runs in.
func dist(t *testing.T) *Dist {
	t.Helper()
	root := t.TempDir()
	put := func(name, text string) {
		name = filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put("go.mod", "module x\n")
	put("secret", "secret")
	put("three/inner/go.mod", "module y\n")
	for name, text := range map[string]string{
		"duel.html": "<p>duel</p>", "duel.html.gz": "gz", "duel.html.br": "br", "assets/a.js": "js", "duel.wasm": "\x00asm", "duel.wasm.gz": "gz", "x.unheard": "x",
	} {
		put("three/dist/"+name, text)
	}
	t.Chdir(filepath.Join(root, "three", "inner"))
	return &Dist{Folder: "three/dist", Index: "duel.html", Command: "npm run build"}
}

// A page that a bundler has built is served, compressed where the browser takes it, and is told where the game is.
func TestDist(t *testing.T) {
	d := dist(t)
	s := New(Config{Port: 7778, Args: []string{"-x", insecure}, Dist: d})
	for _, c := range []struct{ path, accept, kind, encoding, body string }{
		{"/", "", "text/html; charset=utf-8", "", "<p>duel</p>"},
		{"/", "gzip, deflate", "text/html; charset=utf-8", "gzip", "gz"},
		{"/", "gzip, deflate, br", "text/html; charset=utf-8", "br", "br"},
		{"/", "gzip, br;q=0", "text/html; charset=utf-8", "gzip", "gz"},
		{"/duel.wasm", "br, gzip;q=0.5", "application/wasm", "gzip", "gz"},
		{"/assets/a.js", "br", script, "", "js"},
		{"/x.unheard", "", "application/octet-stream", "", "x"},
	} {
		r := get(t, s, c.path, c.accept)
		h := r.Header
		if text := body(t, r); r.StatusCode != http.StatusOK || text != c.body || h.Get("Content-Type") != c.kind || h.Get("Content-Encoding") != c.encoding || h.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s for %q: %s %q %v", c.path, c.accept, r.Status, text, h)
		}
		if p := h.Get("Content-Security-Policy"); !strings.Contains(p, "script-src 'self' 'wasm-unsafe-eval';") || !strings.Contains(p, "connect-src 'self' data: blob: ws://127.0.0.1:7778;") {
			t.Errorf("%s: the policy is %s", c.path, p)
		}
		if tag := h.Get("ETag"); tag == "" || h.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: %v", c.path, h)
		} else if again := ask(t, s, "GET", c.path, c.accept, tag); again.StatusCode != http.StatusNotModified {
			t.Errorf("%s again: %s", c.path, again.Status)
		}
	}
	var told map[string]any
	if err := json.Unmarshal([]byte(body(t, get(t, s, "/connect.json", ""))), &told); err != nil || len(told) != 2 || told["websocket"] != "ws://127.0.0.1:7778" || told["insecure"] != true {
		t.Errorf("%v: connect.json is %v", err, told)
	}
	for _, path := range []string{"/nothing", "/../secret", "/..%2f..%2fsecret", "/assets", "/assets/", "//etc/passwd"} {
		if r := get(t, s, path, ""); r.StatusCode == http.StatusOK || strings.Contains(body(t, r), "secret") {
			t.Errorf("%s: %s", path, r.Status)
		}
	}
	if r := ask(t, s, "POST", "/", "", ""); r.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST: %s", r.Status)
	}
}

// While the folder does not exist, the page says how to build it, from any working directory. Once it is built, it is served.
func TestDistThatIsMissing(t *testing.T) {
	d := dist(t)
	d.Folder = "three/other"
	root, err := filepath.EvalSymlinks("../..")
	if err == nil {
		root, err = filepath.Abs(root)
	}
	if err != nil {
		t.Fatal(err)
	}
	s := New(Config{Dir: prebuilt(t), Dist: d})
	advice := "the page is not built: run npm run build in "
	if r := get(t, s, "/", ""); r.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body(t, r), advice) {
		t.Errorf("the page: %s", r.Status)
	}
	t.Chdir(root)
	if text := body(t, get(t, s, "/", "")); !strings.Contains(text, "run npm run build.") {
		t.Errorf("in the folder where it runs: %s", text)
	}
	if err := os.Rename("three/dist", "three/other"); err != nil {
		t.Fatal(err)
	}
	if text := body(t, get(t, s, "/", "")); text != "<p>duel</p>" {
		t.Errorf("built meanwhile: %s", text)
	}
	if _, err := (&Dist{Folder: "in-no-module/dist"}).find(); err == nil || !strings.Contains(err.Error(), "in-no-module is in no module around the working directory: run the command in a checkout") {
		t.Errorf("elsewhere: %v", err)
	}
}

// Alone it is a handler for all paths, which knows WebTransport, answers to no foreign name, and is for no other origin.
func TestDistAlone(t *testing.T) {
	d := dist(t)
	d.Port, d.WebTransport, d.Hashes = 1, ":2/play", [][]byte{{1, 2, 3}}
	r := httptest.NewRequest("GET", "http://[::1]:80/connect.json", nil)
	r.RemoteAddr = "[::1]:5555"
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	if want := `{"websocket":"ws://[::1]:1","webtransport":"https://[::1]:2/play","hashes":["AQID"]}` + "\n"; w.Body.String() != want {
		t.Errorf("%s, want %s", w.Body, want)
	}
	if p := w.Header().Get("Content-Security-Policy"); !strings.Contains(p, "connect-src 'self' data: blob: ws://[::1]:1 https://[::1]:2;") {
		t.Error(p)
	}
	r.TLS = &tls.ConnectionState{}
	w = httptest.NewRecorder()
	if d.ServeHTTP(w, r); !strings.Contains(w.Body.String(), `"wss://[::1]:1"`) || !strings.Contains(w.Header().Get("Content-Security-Policy"), "connect-src 'self' data: blob: wss://[::1]:1 ") {
		t.Errorf("a page by HTTPS is told %s", w.Body)
	}
	r = httptest.NewRequest("GET", "http://evil.example/connect.json", nil)
	r.RemoteAddr = "127.0.0.1:5555"
	w = httptest.NewRecorder()
	if d.ServeHTTP(w, r); w.Code != http.StatusForbidden {
		t.Errorf("under a foreign name: %d", w.Code)
	}
	d.Hosts, d.WebSocket = []string{"evil.example"}, "wss://game.example/play"
	w = httptest.NewRecorder()
	if d.ServeHTTP(w, r); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"websocket":"wss://game.example/play"`) {
		t.Errorf("under a name of its own, behind a proxy: %d %s", w.Code, w.Body)
	}
	if p := w.Header().Get("Content-Security-Policy"); !strings.Contains(p, "connect-src 'self' data: blob: wss://game.example https://evil.example:2;") {
		t.Error(p)
	}
}

// The page of a site has the client that the site builds beside it. Its files can be in the program.
func TestMainDist(t *testing.T) {
	files := fstest.MapFS{"duel.html": {Data: []byte("<p>duel</p>")}, "assets/a.js": {Data: []byte("js")}}
	s := New(Config{Dir: prebuilt(t), Package: "client", Port: 7778, Dist: &Dist{Files: files, Index: "duel.html"}})
	if err := s.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"/": "<p>duel</p>", "/assets/a.js": "js", "/connect.json": "ws://127.0.0.1:7778", "/build.json": `"ready"`, "/play.wasm": "asm"} {
		if r := get(t, s, path, ""); !strings.Contains(body(t, r), want) {
			t.Errorf("%s: %s", path, r.Status)
		}
	}
	r := get(t, s, "/assets/a.js", "gzip")
	z, err := gzip.NewReader(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(z); string(text) != "js" || r.Header.Get("Content-Encoding") != "gzip" {
		t.Errorf("compressed: %q, %v, %v", text, err, r.Header)
	}
	if again := ask(t, s, "GET", "/assets/a.js", "gzip", r.Header.Get("ETag")); again.StatusCode != http.StatusNotModified {
		t.Errorf("again: %s", again.Status)
	}
	for _, path := range []string{"/nothing", "/assets", "/../secret"} {
		if r := get(t, s, path, ""); r.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s", path, r.Status)
		}
	}
}

// countingFiles counts the files that are read.
type countingFiles struct {
	fstest.MapFS
	read int
}

func (c *countingFiles) ReadFile(name string) ([]byte, error) {
	c.read++
	return c.MapFS.ReadFile(name)
}

// A file in the program is read and compressed once, however it is asked for, and again when it has changed.
func TestDistCompressesOnce(t *testing.T) {
	files := &countingFiles{MapFS: fstest.MapFS{"index.html": {Data: []byte("<p>duel</p>")}, "a.js": {Data: []byte("js")}}}
	s := New(Config{Port: 7778, Dist: &Dist{Files: files}})
	if err := s.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	first := get(t, s, "/a.js", "gzip")
	for range 3 {
		get(t, s, "/a.js", "gzip")
		ask(t, s, "HEAD", "/a.js", "gzip", "")
		if r := ask(t, s, "GET", "/a.js", "gzip", first.Header.Get("ETag")); r.StatusCode != http.StatusNotModified {
			t.Errorf("again: %s", r.Status)
		}
	}
	if files.read != 1 {
		t.Errorf("it was read %d times", files.read)
	}
	plain := get(t, s, "/a.js", "")
	if text := body(t, plain); text != "js" || plain.Header.Get("ETag") == first.Header.Get("ETag") {
		t.Errorf("%q, %v", text, plain.Header)
	}
	files.MapFS["a.js"] = &fstest.MapFile{Data: []byte("jsx")}
	if r := ask(t, s, "GET", "/a.js", "gzip", first.Header.Get("ETag")); r.StatusCode != http.StatusOK {
		t.Errorf("after a change: %s", r.Status)
	}
	if text := body(t, get(t, s, "/a.js", "")); text != "jsx" {
		t.Errorf("after a change: %q", text)
	}
}

// ask makes a request by any method, for what has changed since a tag.
func ask(t *testing.T, s *Site, method, path, encoding, tag string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, "http://127.0.0.1:7780"+path, nil)
	r.RemoteAddr = "127.0.0.1:5555"
	r.Header.Set("Accept-Encoding", encoding)
	r.Header.Set("If-None-Match", tag)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Result()
}

// A page that a bundler has built can be the only one: then no client is built from Go for a page of the site's own.
func TestOnlyDist(t *testing.T) {
	d := dist(t)
	s := New(Config{Port: 7778, Dist: d})
	if err := s.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"/": "<p>duel</p>", "/assets/a.js": "js", "/connect.json": `{"websocket":"ws://127.0.0.1:7778"}` + "\n"} {
		if r := get(t, s, path, ""); body(t, r) != want {
			t.Errorf("%s: %s", path, r.Status)
		}
	}

	world := plaza()
	Beside(&world, eventloop.ListenBoth, Config{Dist: d})
	out := start(t, world, "-http 127.0.0.1:0 -clients 1")
	if text := fetch(t, out.Find(t, `browser: +(http://\S+)\n`)+"/assets/a.js"); text != "js" {
		t.Errorf("the script is %q", text)
	}
}

// The policy is the game's own where it gives one, with the addresses of the match in it.
func TestDistPolicy(t *testing.T) {
	d := Dist{Folder: t.TempDir(), Port: 7778, Policy: "connect-src https://login.example " + GameSockets + "; frame-ancestors https://portal.example"}
	r, w := httptest.NewRequest("GET", "http://127.0.0.1:8080/", nil), httptest.NewRecorder()
	r.RemoteAddr = "127.0.0.1:1"
	d.ServeHTTP(w, r)
	if got, want := w.Header().Get("Content-Security-Policy"), "connect-src https://login.example ws://127.0.0.1:7778; frame-ancestors https://portal.example"; got != want {
		t.Errorf("the policy is %q, want %q", got, want)
	}
}

// Files whose names have a hash of their content are kept by browsers for ever, and no others.
func TestDistImmutable(t *testing.T) {
	d, folder := Dist{}, t.TempDir()
	d.Folder = folder
	if err := os.MkdirAll(filepath.Join(folder, "assets"), 0o755); err != nil {
		t.Fatal(err)
	}
	files := map[string]bool{
		"assets/index-D4x_9fQa.js": true, "assets/game-B0kHLZ-k.wasm": true, "assets/a-b-12ab34cd.css": true,
		"assets/player-standing.png": false, "assets/level-20261122.json": false, "assets/index.js": false, "index-D4x_9fQa.html": false, "index.html": false,
	}
	for name := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range files {
		r, w := httptest.NewRequest("GET", "http://127.0.0.1:8080/"+name, nil), httptest.NewRecorder()
		r.RemoteAddr = "127.0.0.1:1"
		d.ServeHTTP(w, r)
		if got := w.Header().Get("Cache-Control"); strings.Contains(got, "immutable") != want || !want && got != "no-cache" {
			t.Errorf("%s: Cache-Control %q", name, got)
		}
	}
}
