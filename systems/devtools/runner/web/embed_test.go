package web

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tactusgo/tactus/systems/internal/testgame"
)

// asked returns the answer of a handler to a request of a page with an origin.
func asked(h http.Handler, path, origin string) *http.Response {
	r, w := httptest.NewRequest("GET", "http://127.0.0.1:7780"+path, nil), httptest.NewRecorder()
	r.RemoteAddr = "127.0.0.1:5555"
	r.Header.Set("Accept-Encoding", "gzip")
	if origin != "" {
		r.Header.Set("Origin", origin)
	}
	h.ServeHTTP(w, r)
	return w.Result()
}

// Sites and pages of bundlers name the same sites in their policies, and let only the sandboxed pages read their files that Embed
// allows.
func TestEmbed(t *testing.T) {
	files := &Dist{Files: fstest.MapFS{"index.html": {Data: []byte("<p>field</p>")}, "a.js": {Data: []byte("js")}}}
	for _, c := range []struct {
		embed             []string
		ancestors, shared string
	}{
		{nil, "'none'", ""},
		{[]string{"https://portal.example"}, "https://portal.example", ""},
		{[]string{"https://portal.example", "https://b.example", "null"}, "https://portal.example https://b.example", "null"},
	} {
		alone := &Dist{Files: files.Files, Embed: c.embed}
		site := New(Config{Dir: prebuilt(t), Embed: c.embed})
		both := New(Config{Dir: prebuilt(t), Embed: c.embed, Dist: files})
		for _, s := range []*Site{site, both} {
			if err := s.Prepare(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for path, h := range map[string]http.Handler{"/": site, "/play.wasm": site, "/play.json": both, "/a.js": both, "/connect.json": alone, "/index.html": alone} {
			r := asked(h, path, "null")
			if policy := r.Header.Get("Content-Security-Policy"); r.StatusCode != http.StatusOK || !strings.HasSuffix(policy, "; frame-ancestors "+c.ancestors) {
				t.Errorf("%q, %s: %s, policy %q", c.embed, path, r.Status, policy)
			}
			if got := r.Header.Get("Access-Control-Allow-Origin"); got != c.shared {
				t.Errorf("%q, %s: shared with %q", c.embed, path, got)
			}
			if vary := r.Header.Values("Vary"); c.shared != "" && !slices.Contains(vary, "Origin") || path == "/a.js" && !slices.Contains(vary, "Accept-Encoding") {
				t.Errorf("%q, %s: varies with %q", c.embed, path, vary)
			}
			for _, other := range []string{"", "https://portal.example", "https://evil.example"} {
				if got := asked(h, path, other).Header.Get("Access-Control-Allow-Origin"); got != "" {
					t.Errorf("%q, %s: the origin %q is shared with %q", c.embed, path, other, got)
				}
			}
		}
	}
}

// A list with something else than sites is refused: it would change the policy.
func TestWrongEmbed(t *testing.T) {
	bad := []string{"https://portal.example; script-src *"}
	testgame.MustPanic(t, "a site", "Config.Embed", func() { New(Config{Embed: bad}) })
	if r := asked(&Dist{Files: fstest.MapFS{}, Embed: bad}, "/", ""); r.StatusCode != http.StatusInternalServerError || !strings.Contains(body(t, r), "Dist.Embed") {
		t.Error(r.Status)
	}
}

// absolute matches a path from the root in a page or a script.
var absolute = regexp.MustCompile("[\"'`(]/[a-z]\\S*")

// The page has no absolute paths, so it works under a prefix, which a proxy removes or http.StripPrefix does.
func TestPrefix(t *testing.T) {
	lobby := &Lobby{Rooms: echo, Kind: "field"}
	pages := map[string]http.Handler{
		"a site":          New(Config{Dir: prebuilt(t), Title: "Field"}),
		"a site of rooms": New(Config{Dir: prebuilt(t), Dist: &Dist{Files: fstest.MapFS{"index.html": {Data: []byte("<p>field</p>")}}}, Lobby: lobby}),
	}
	for name, page := range pages {
		under := http.NewServeMux()
		under.Handle("/games/field/", http.StripPrefix("/games/field", page))
		for _, path := range []string{"/", "/build.json", "/play.json", "/start.js", "/page.css", "/rooms/abc/join"} {
			there, here := asked(under, "/games/field"+path, ""), asked(page, path, "")
			text := body(t, there)
			if there.StatusCode != here.StatusCode || text != body(t, here) {
				t.Errorf("%s: %s is %s under a prefix, and %s without", name, path, there.Status, here.Status)
			}
			if found := absolute.FindString(text); found != "" {
				t.Errorf("%s: %s has the path %s", name, path, found)
			}
		}
	}
}
