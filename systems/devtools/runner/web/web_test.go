package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
)

// prebuilt returns a folder with something like a client.
func prebuilt(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"play.wasm": "\x00asm", "wasm_exec.js": "class Go {}"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func get(t *testing.T, s *Site, path, encoding string) *http.Response {
	t.Helper()
	r := httptest.NewRequest("GET", "http://127.0.0.1:7780"+path, nil)
	r.RemoteAddr = "127.0.0.1:5555"
	r.Header.Set("Accept-Encoding", encoding)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Result()
}

func body(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestPage(t *testing.T) {
	s := New(Config{Dir: prebuilt(t), Port: 7778, Args: []string{"-x"}})
	if r := get(t, s, "/play.wasm", ""); r.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("before there is a client: %v", r.Status)
	}
	if err := s.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	for path, kind := range map[string]string{
		"/": "text/html; charset=utf-8", "/start.js": "text/javascript; charset=utf-8", "/page.css": "text/css; charset=utf-8",
		"/icon.svg": "image/svg+xml", "/play.wasm": "application/wasm", "/wasm_exec.js": "text/javascript; charset=utf-8",
		"/build.json": "application/json", "/play.json": "application/json",
	} {
		r := get(t, s, path, "")
		if r.StatusCode != http.StatusOK || r.Header.Get("Content-Type") != kind {
			t.Errorf("%s: %v, %q", path, r.Status, r.Header.Get("Content-Type"))
		}
		policy := r.Header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "connect-src 'self' ws://127.0.0.1:7778;") {
			t.Errorf("%s: policy %q", path, policy)
		}
		text := body(t, r)
		for _, elsewhere := range []string{"http://", "https://", "//cdn"} {
			if rest := strings.ReplaceAll(text, "http://www.w3.org/2000/svg", ""); strings.Contains(rest, elsewhere) {
				t.Errorf("%s names another origin", path)
			}
		}
	}
	for _, path := range []string{"/other", "/../site.go", "/page/", "/play.wasm.gz"} {
		if r := get(t, s, path, ""); r.StatusCode == http.StatusOK {
			t.Errorf("%s: %v", path, r.Status)
		}
	}
	var told settings
	if err := json.Unmarshal([]byte(body(t, get(t, s, "/play.json", ""))), &told); err != nil || told.Port != 7778 || len(told.Args) != 1 {
		t.Errorf("settings %+v, %v", told, err)
	}
}

func TestCompressedClient(t *testing.T) {
	dir := prebuilt(t)
	if err := compressFile(filepath.Join(dir, "play.wasm")); err != nil {
		t.Fatal(err)
	}
	s := New(Config{Dir: dir})
	if err := s.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r := get(t, s, "/play.wasm", ""); body(t, r) != "\x00asm" || r.Header.Get("Content-Encoding") != "" {
		t.Error("who takes nothing compressed gets something else than the client")
	}
	for _, way := range []struct {
		accepts, gets string
		reader        func(io.Reader) (io.Reader, error)
	}{
		{"gzip, br", "br", func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil }},
		{"gzip", "gzip", func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
	} {
		r := get(t, s, "/play.wasm", way.accepts)
		z, err := way.reader(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(z); err != nil || string(b) != "\x00asm" || r.Header.Get("Content-Type") != "application/wasm" || r.Header.Get("Content-Encoding") != way.gets {
			t.Errorf("%q, %v, %v", b, err, r.Header)
		}
	}
}

// A page of a foreign name that leads here gets nothing, and says what to do; a host from a request cannot add to the
// policy.
func TestForeignNameGetsNothing(t *testing.T) {
	s := New(Config{Dir: prebuilt(t), Port: 7778, Hosts: []string{"game.example"}})
	if err := s.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	for host, status := range map[string]int{
		"127.0.0.1:7780": 200, "localhost:7780": 200, "game.example:7780": 200, "[::1]": 200,
		"evil.example:7780": 403, "evil.example": 403, "127.0.0.1.evil.example": 403, "": 403, "a; script-src *": 403, "[::1%; script-src *]": 403,
	} {
		for _, path := range []string{"/", "/play.wasm", "/play.json", "/nothing"} {
			r := httptest.NewRequest("GET", path, nil)
			r.Host, r.RemoteAddr = host, "127.0.0.1:5555"
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if w.Code != status && (w.Code != 404 || path != "/nothing" || status != 200) || status == 403 && !strings.Contains(w.Body.String(), "-names") {
				t.Errorf("%q%s: %d %.100q", host, path, w.Code, w.Body)
			}
			if p := w.Header().Get("Content-Security-Policy"); strings.Count(p, "script-src ") > 1 {
				t.Errorf("policy %q", p)
			}
		}
	}
}

// A page of a game's own is served as it is, and what stands in it is all that its policy lets in beside the site's own.
func TestPageOfOnesOwn(t *testing.T) {
	const html = `<!doctype html><style>body { margin: 0 }</style><p id="status"></p><script>let x = 1;</script><SCRIPT src="/start.js"></SCRIPT>`
	s := New(Config{Dir: prebuilt(t), Port: 7778, Page: html})
	r := get(t, s, "/", "")
	if got := body(t, r); got != html {
		t.Errorf("the page is %q", got)
	}
	policy := r.Header.Get("Content-Security-Policy")
	for _, want := range []string{
		"script-src 'self' 'wasm-unsafe-eval' 'sha256-" + hash("let x = 1;") + "';", "style-src 'self' 'sha256-" + hash("body { margin: 0 }") + "';",
	} {
		if !strings.Contains(policy, want) {
			t.Errorf("policy %q is without %q", policy, want)
		}
	}
	if r := get(t, s, "/start.js", ""); !strings.Contains(body(t, r), "play.wasm") {
		t.Errorf("%v is not what starts the client", r.Status)
	}
	ours := New(Config{Package: "examples/play", Title: "Tactus <arena>", Rules: "Run & hide.", Keys: [][2]string{{"W & S", "move"}}})
	text := body(t, get(t, ours, "/", ""))
	for _, want := range []string{"<title>Tactus &lt;arena&gt;</title>", "<h1>Tactus <span>&lt;arena&gt;</span></h1>", "Run &amp; hide.", "<dt>W &amp; S</dt><dd>move</dd>"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page is without %s:\n%s", want, text)
		}
	}
	if strings.Contains(text, `class="touch"`) || strings.Contains(text, `class="mouse"`) {
		t.Errorf("fingers have nothing to read:\n%s", text)
	}
}

func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base64.StdEncoding.EncodeToString(sum[:])
}

func TestWhyThereIsNoClient(t *testing.T) {
	why := func(s *Site) string {
		err := s.Prepare(t.Context())
		if !errors.Is(err, ErrClient) {
			t.Fatalf("error %v", err)
		}
		var told state
		if e := json.Unmarshal([]byte(body(t, get(t, s, "/build.json", ""))), &told); e != nil || told.State != "failed" || told.Error != err.Error() {
			t.Errorf("the page is told %+v of %v", told, err)
		}
		return err.Error()
	}
	if text := why(New(Config{Dir: t.TempDir(), Package: "examples/play"})); !strings.Contains(text, "GOARCH=wasm go build -C examples/play") {
		t.Errorf("a folder without a client: %s", text)
	}
	t.Chdir(t.TempDir())
	if text := why(New(Config{Package: "examples/play"})); !strings.Contains(text, "checkout") || !strings.Contains(text, "-web") {
		t.Errorf("outside of a checkout: %s", text)
	}
}

// A client in the cache is used until one of its sources changes.
func TestCache(t *testing.T) {
	root, cache := t.TempDir(), t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module example.com/game\n\ngo 1.26\n")
	write("a.go", "package a\n")
	write("play/go.mod", "module play\n\ngo 1.26\n\nrequire example.com/game v0.0.0\n\nreplace example.com/game => ..\n")
	write("play/main.go", "package main\n\nimport (\n\t_ \"embed\"\n\t_ \"example.com/game\"\n)\n\n//go:embed level.txt\nvar level string\n\nfunc main() { println(level) }\n")
	write("play/level.txt", "one")
	play := filepath.Join(root, "play")
	t.Chdir(play)
	name := func(version string) string {
		t.Helper()
		id, packages, err := fingerprint(t.Context(), play, version)
		if err != nil || packages < 2 {
			t.Fatalf("%d packages, %v", packages, err)
		}
		return id
	}
	first := name("go1")
	for what, change := range map[string]func(){
		"a test":             func() { write("a_test.go", "package a\n") },
		"an image":           func() { write("x.png", "x") },
		"another package":    func() { write("server/b.go", "package b\n") },
		"another platform's": func() { write("play/a_linux.go", "package main\n") },
	} {
		change()
		if name("go1") != first {
			t.Errorf("%s changes the build", what)
		}
	}
	if name("go2") == first {
		t.Error("another compiler does not change the build")
	}
	for what, change := range map[string]func(){
		"a source beside":      func() { write("a.go", "package a // changed\n") },
		"a file that is in it": func() { write("play/level.txt", "two") },
	} {
		change()
		now := name("go1")
		if now == first {
			t.Errorf("%s does not change the build", what)
		}
		first = now
	}

	for what, c := range map[string]struct{ path, cache string }{
		"Go compiler": {path: "", cache: cache},
		"cache":       {path: os.Getenv("PATH"), cache: filepath.Join(root, "a.go", "cache")}, // below a file
	} {
		t.Run("without "+what, func(t *testing.T) {
			t.Setenv("PATH", c.path)
			var told bytes.Buffer
			err := New(Config{Package: "play", Cache: c.cache, Progress: &told}).Prepare(t.Context())
			if !errors.Is(err, ErrClient) || !strings.Contains(err.Error(), what) || !strings.Contains(err.Error(), "-web") || told.Len() > 0 {
				t.Errorf("%v, after %q", err, &told)
			}
		})
	}

	var told bytes.Buffer
	s := New(Config{Package: "play", Cache: cache, Progress: &told})
	if err := s.Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r := get(t, s, "/play.wasm", ""); !strings.HasPrefix(body(t, r), "\x00asm") {
		t.Errorf("%v is no client", r.Status)
	}
	if r := get(t, s, "/wasm_exec.js", ""); !strings.Contains(body(t, r), "Go") {
		t.Errorf("%v is not what starts it", r.Status)
	}
	if !strings.Contains(told.String(), "building") {
		t.Errorf("progress %q", told.String())
	}
	told.Reset()
	if err := New(Config{Package: "play", Cache: cache, Progress: &told}).Prepare(t.Context()); err != nil || told.Len() > 0 {
		t.Errorf("the second time: %v, %q", err, told.String())
	}
	write("play/main.go", "package main\n\nfunc main() { nonsense }\n")
	if err := New(Config{Package: "play", Cache: cache}).Prepare(t.Context()); err == nil || !strings.Contains(err.Error(), "nonsense") {
		t.Errorf("what does not compile: %v", err)
	}
}

func TestPrune(t *testing.T) {
	cache := t.TempDir()
	for i := range kept + 3 {
		dir := filepath.Join(cache, string(rune('a'+i)))
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		at := time.Unix(int64(1000+i), 0)
		if err := os.Chtimes(dir, at, at); err != nil {
			t.Fatal(err)
		}
	}
	removeOldBuilds(cache)
	left, err := os.ReadDir(cache)
	if err != nil || len(left) != kept || left[0].Name() != "d" {
		t.Errorf("%v left, %v", left, err)
	}
}

// Canceling ends a build.
func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := New(Config{Package: "examples/play", Cache: t.TempDir()}).Prepare(ctx); !errors.Is(err, ErrClient) {
		t.Error(err)
	}
}
