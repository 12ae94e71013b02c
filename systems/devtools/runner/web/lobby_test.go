package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// echo answers with what it was asked for.
var echo = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, r.Method, " ", r.URL.Path) })

// A page with a lobby passes on what is asked of rooms, and lets the client connect to their sockets; one without does not.
func TestLobby(t *testing.T) {
	lobby := &Lobby{Rooms: echo, Kind: "field", Schema: "abc", Sockets: []string{"wss://play.example/ws", "ws://127.0.0.1:7778"}}
	with, without := New(Config{Dir: prebuilt(t), Port: 1, Lobby: lobby}), New(Config{Dir: prebuilt(t), Port: 1})
	for path, want := range map[string]string{"/rooms": "GET /rooms", "/rooms/openapi.json": "GET /rooms/openapi.json", "/rooms/abc/join": "GET /rooms/abc/join"} {
		if s := body(t, get(t, with, path, "")); s != want {
			t.Errorf("%s is answered with %q", path, s)
		}
		if r := get(t, without, path, ""); r.StatusCode != http.StatusNotFound {
			t.Errorf("without rooms %s: %v", path, r.Status)
		}
	}
	for _, id := range []string{`id="lobby"`, `id="rooms"`, `id="code"`, `id="seat"`, `src="/lobby.js"`, `href="/lobby.css"`} {
		if !strings.Contains(body(t, get(t, with, "/", "")), id) || strings.Contains(body(t, get(t, without, "/", "")), id) {
			t.Errorf("%s is not on the page with rooms, or on the other one", id)
		}
	}
	const sockets = "connect-src 'self' ws://127.0.0.1:1 wss://play.example ws://127.0.0.1:7778;"
	if policy := get(t, with, "/", "").Header.Get("Content-Security-Policy"); !strings.Contains(policy, sockets) {
		t.Errorf("policy %q", policy)
	}
	if s := body(t, get(t, with, "/play.json", "")); !strings.Contains(s, `"kind":"field","schema":"abc"`) {
		t.Errorf("the page is told %s", s)
	}
	for path, kind := range map[string]string{"/lobby.js": script, "/lobby.css": "text/css; charset=utf-8"} {
		r := get(t, with, path, "")
		if text := body(t, r); r.Header.Get("Content-Type") != kind || strings.Contains(text, "http://") || strings.Contains(text, "https://") {
			t.Errorf("%s: %q, or it names another origin", path, r.Header.Get("Content-Type"))
		}
	}
	r := httptest.NewRequest("GET", "/rooms", nil)
	r.Host, r.RemoteAddr = "evil.example", "127.0.0.1:5555"
	w := httptest.NewRecorder()
	if with.ServeHTTP(w, r); w.Code != http.StatusForbidden {
		t.Errorf("under a foreign name: %d", w.Code)
	}
}

// A lobby that cannot work is a mistake of the program's.
func TestWrongLobby(t *testing.T) {
	for want, l := range map[string]Lobby{
		"needs Rooms":           {Kind: "field"},
		"and Kind":              {Rooms: echo},
		"such as wss://":        {Rooms: echo, Kind: "field", Sockets: []string{"play.example:7778"}},
		"play.example; default": {Rooms: echo, Kind: "field", Sockets: []string{"wss://play.example; default-src *"}},
	} {
		func() {
			defer func() {
				if said := fmt.Sprint(recover()); !strings.Contains(said, want) {
					t.Errorf("%+v: %s", l, said)
				}
			}()
			New(Config{Lobby: &l})
		}()
	}
}
