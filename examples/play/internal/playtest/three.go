//go:build !js

package playtest

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tactusgo/tactus/systems/devtools/runner/web"
)

// three is what npm has made of examples/three, for all tests of a package.
var three struct {
	once sync.Once
	dir  string
	said []byte
	err  error
}

// Three returns the folder of the three.js pages: THREE_DIST if set, otherwise npm builds it. Without npm it skips the
// test.
func Three(t *testing.T) (dist string) {
	t.Helper()
	if dir := os.Getenv("THREE_DIST"); dir != "" {
		return dir
	}
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("there is no npm: apt-get install npm, and Node from 20.19 on")
	}
	three.once.Do(func() {
		var root string
		if root, three.err = Root(); three.err != nil {
			return
		}
		three.dir = filepath.Join(root, "examples", "three")
		steps := [][]string{{"run", "build"}}
		if newer(filepath.Join(three.dir, "package-lock.json"), filepath.Join(three.dir, "node_modules", ".package-lock.json")) {
			steps = [][]string{{"ci"}, steps[0]}
		}
		for _, args := range steps {
			cmd := exec.Command("npm", args...)
			cmd.Dir, cmd.Env = three.dir, append(os.Environ(), "GOFLAGS=", "GOWORK=") // ignore the flags and the workspace of the surrounding module
			if three.said, three.err = cmd.CombinedOutput(); three.err != nil {
				return
			}
		}
	})
	if three.err != nil {
		t.Fatalf("npm in %s: %v\n%s", three.dir, three.err, three.said)
	}
	return filepath.Join(three.dir, "dist")
}

// Root is the folder of the module that games are made with.
func Root() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/tactusgo/tactus").Output()
	return strings.TrimSpace(string(out)), err
}

// newer reports whether a file is newer than another, or the other is missing.
func newer(file, than string) bool {
	a, err := os.Stat(file)
	if err != nil {
		return false
	}
	b, err := os.Stat(than)
	return err != nil || a.ModTime().After(b.ModTime())
}

// Three serves the arena's page in three.js as the arena does: beside the usual one, whose client is never built.
func (m *Match) Three(t *testing.T) {
	t.Helper()
	dist := &web.Dist{Folder: Three(t), Index: "arena.html", Path: "/three/", Name: "three.js"}
	m.Proxy = newProxy(t, m.wire.WebSocketAddr().String())
	page := httptest.NewServer(web.New(web.Config{Package: "examples/play", Title: "Tactus arena", Port: m.Proxy.port(), Dist: dist}))
	t.Cleanup(page.Close)
	m.URL = page.URL
}

// Serve serves a page that was built by a bundler.
func (m *Match) Serve(t *testing.T, d *web.Dist) {
	t.Helper()
	m.Proxy = newProxy(t, m.wire.WebSocketAddr().String())
	d.Port = m.Proxy.port()
	page := httptest.NewServer(apart(d))
	t.Cleanup(page.Close)
	m.URL = page.URL
}

// apart isolates a page in the browser, which then offers a clock with a resolution of 5 µs instead of 100 µs.
func apart(page http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
		w.Header().Set("Cross-Origin-Embedder-Policy", "require-corp")
		page.ServeHTTP(w, r)
	})
}
