package inspect

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// The gate lets actions through by their address, host name and origin. It does not check their tokens, because the handler of the
// actions does. Refusals are reported.
func TestGateOfPosts(t *testing.T) {
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	remote := func(r *http.Request) { r.RemoteAddr = "192.0.2.7:5555" }
	for _, c := range []struct {
		name, token, path string
		change            func(*http.Request)
		advice            string
	}{
		{"this machine", "", "/do", nil, ""},
		{"of the page", "", "/do", header("Origin", "http://127.0.0.1:7780"), ""},
		{"remote", "", "/do", remote, adviseToken},
		{"through a proxy", "", "/do", header("X-Forwarded-For", "192.0.2.7"), adviseProxy},
		{"under another name", "", "/do", func(r *http.Request) { r.Host = "example.org" }, adviseName},
		{"of another site", "", "/do", header("Sec-Fetch-Site", "cross-site"), adviseOrigin},
		{"of another site, in an old browser", "", "/do", header("Origin", "https://example.org"), adviseOrigin},
		{"a form of another site, to the page", "", "/", func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Sec-Fetch-Mode", "navigate")
			r.Header.Set("Sec-Fetch-Dest", "document")
		}, adviseOrigin},
		{"remote, where there is a token", secret, "/do", remote, ""},
		{"of another site, where there is a token", secret, "/do", header("Origin", "https://example.org"), adviseOrigin},
	} {
		t.Run(c.name, func(t *testing.T) {
			done, told := 0, []string(nil)
			g, err := NewGate(Config{Token: c.token}, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the page answers") }), Posts{
				Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { done++ }),
				Refused: func(_ *http.Request, advice string) { told = append(told, advice) },
			})
			if err != nil {
				t.Fatal(err)
			}
			w := httptest.NewRecorder()
			g.ServeHTTP(w, request(c.path, func(r *http.Request) {
				r.Method = http.MethodPost
				if c.change != nil {
					c.change(r)
				}
			}))
			if c.advice == "" {
				if done != 1 || w.Code != http.StatusOK || told != nil {
					t.Errorf("done %d times, %d %q, told %q", done, w.Code, w.Body, told)
				}
				return
			}
			if done != 0 || w.Code != http.StatusForbidden || strings.TrimSpace(w.Body.String()) != c.advice || len(told) != 1 || told[0] != c.advice {
				t.Errorf("done %d times, %d %q, told %q, want %q", done, w.Code, w.Body, told, c.advice)
			}
		})
	}
}

// Without a handler for them, posts are requests like all others: they need the token.
func TestGateWithoutPosts(t *testing.T) {
	g, err := NewGate(Config{Token: secret}, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("answered") }), Posts{})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	if g.ServeHTTP(w, request("/", func(r *http.Request) { r.Method = http.MethodPost })); w.Code != http.StatusForbidden {
		t.Errorf("%d", w.Code)
	}
}

// Pages of several servers are given the files of the page.
func TestFiles(t *testing.T) {
	for _, name := range []string{"app.css", "app.js", "view.js", "icon.svg"} {
		if b, err := fs.ReadFile(Files(), name); err != nil || len(b) == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
