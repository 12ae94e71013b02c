package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
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

// A world that did not build, or whose program has ended, starts again when it is opened again.
func TestFrontStartsAgain(t *testing.T) {
	root := t.TempDir()
	folder := filepath.Join(root, "examples", "world")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOWORK", "off")
	f := newFront(t.Context(), root, []pages.World{{Name: "world", Command: "go run ./examples/world"}})
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module world\n\ngo 1.26\n")
	for _, c := range []struct{ program, says string }{
		{"package main\nfunc main() { no }\n", "undefined: no"},
		{"package main\nfunc main() { println(`first`) }\n", "first"},
		{"package main\nfunc main() { println(`second`) }\n", "second"},
	} {
		write("main.go", c.program)
		for _, method := range []string{"POST", "GET"} {
			r := httptest.NewRequest(method, "http://127.0.0.1:7770/worlds/world", nil)
			r.Header.Set("Sec-Fetch-Site", "same-origin")
			w := httptest.NewRecorder()
			f.ServeHTTP(w, r)
			f.close() // waits until the program has ended
			if body := w.Body.String(); method == "GET" && (!strings.Contains(body, `"failed"`) || !strings.Contains(body, c.says)) {
				t.Errorf("the state of a program that says %q is %s", c.says, body)
			}
		}
	}
}
