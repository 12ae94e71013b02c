package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/examples/pages"
)

// The page lists the worlds. It starts no program for another web site, and none that is not a world.
func TestFront(t *testing.T) {
	root, err := checkout()
	if err != nil {
		t.Fatal(err)
	}
	f := newFront(t.Context(), root, pages.Worlds())
	ask := func(method, path, host, site string) (int, string) {
		r := httptest.NewRequest(method, "http://"+host+path, nil)
		r.RemoteAddr = "127.0.0.1:5555"
		r.Header.Set("Sec-Fetch-Site", site)
		w := httptest.NewRecorder()
		f.ServeHTTP(w, r)
		return w.Code, w.Body.String()
	}
	const here, own = "127.0.0.1:7770", "same-origin"
	for _, c := range []struct {
		method, path, host, site string
		status                   int
		body                     string
	}{
		{"GET", "/", here, own, http.StatusOK, "Worlds to play"},
		{"GET", "/worlds.json", here, own, http.StatusOK, `"command":"go run ./examples/snake"`},
		{"GET", "/worlds/snake", here, own, http.StatusOK, `"state":""`},
		{"POST", "/worlds/snake", here, "cross-site", http.StatusNotFound, ""},
		{"POST", "/worlds/nothing", here, own, http.StatusNotFound, ""},
		{"POST", "/worlds/snake", "evil.example", own, http.StatusForbidden, "127.0.0.1"},
	} {
		if status, body := ask(c.method, c.path, c.host, c.site); status != c.status || !strings.Contains(body, c.body) {
			t.Errorf("%s %s at %s from %s: %d %.200s", c.method, c.path, c.host, c.site, status, body)
		}
	}
	f.close()
}
