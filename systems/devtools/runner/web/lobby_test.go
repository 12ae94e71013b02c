package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tactusgo/tactus/systems/internal/testgame"
)

// echo answers with the request.
var echo = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Method, " ", r.URL.Path) })

// A site with rooms passes requests for them on, beside both kinds of pages, and tells the page about them. A site without
// rooms has nothing there.
func TestLobby(t *testing.T) {
	lobby := &Lobby{Rooms: echo, Kind: "field", Schema: "abc"}
	for name, c := range map[string]Config{
		"a custom page":       {Page: "<p>lobby</p>", Lobby: lobby},
		"a page of a bundler": {Dist: &Dist{Files: fstest.MapFS{"index.html": {Data: []byte("<p>lobby</p>")}}}, Lobby: lobby},
		"no rooms":            {},
	} {
		c.Dir = prebuilt(t)
		s := New(c)
		for path, want := range map[string]string{
			"/": "<p>lobby</p>", "/play.json": `"kind":"field","schema":"abc"`,
			"/rooms": "GET /rooms", "/rooms/openapi.json": "GET /rooms/openapi.json", "/rooms/abc/join": "GET /rooms/abc/join",
		} {
			if text := body(t, get(t, s, path, "")); strings.Contains(text, want) != (c.Lobby != nil) {
				t.Errorf("%s: %s is %q", name, path, text)
			}
		}
		r := httptest.NewRequest("GET", "/rooms", nil)
		r.Host, r.RemoteAddr = "evil.example", "127.0.0.1:5555"
		w := httptest.NewRecorder()
		if s.ServeHTTP(w, r); w.Code != http.StatusForbidden {
			t.Errorf("%s: %d under the name of another site", name, w.Code)
		}
	}
}

// New panics if there is nothing to join, or no page to join from.
func TestWrongLobby(t *testing.T) {
	for what, c := range map[string]Config{
		"without rooms":  {Page: "<p>lobby</p>", Lobby: &Lobby{Kind: "field"}},
		"without a kind": {Page: "<p>lobby</p>", Lobby: &Lobby{Rooms: echo}},
		"without a page": {Lobby: &Lobby{Rooms: echo, Kind: "field"}},
	} {
		testgame.MustPanic(t, what, "Config.Lobby needs Rooms", func() { New(c) })
	}
}
