//go:build !js

package playtest

import (
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/systems/devtools/runner/web"
)

// Root is the folder of the module that games are made with.
func Root() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/tactusgo/tactus").Output()
	return strings.TrimSpace(string(out)), err
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
