package inspect

import (
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const secret = "a-secret-of-enough-letters"

func TestGuard(t *testing.T) {
	remote := func(r *http.Request) { r.RemoteAddr = "192.0.2.7:5555" }
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	both := func(all ...func(*http.Request)) func(*http.Request) {
		return func(r *http.Request) {
			for _, f := range all {
				f(r)
			}
		}
	}
	cookie := func(value string) func(*http.Request) {
		return func(r *http.Request) { r.AddCookie(&http.Cookie{Name: cookieName, Value: value}) }
	}
	fetch := func(site, mode, dest string) func(*http.Request) {
		return both(header("Sec-Fetch-Site", site), header("Sec-Fetch-Mode", mode), header("Sec-Fetch-Dest", dest))
	}
	good := newGuard(Config{Token: secret}).cookie
	for _, c := range []struct {
		name   string
		token  string
		path   string
		change func(*http.Request)
		code   int
		advice string
	}{
		{"this machine", "", "/", nil, 200, ""},
		{"this machine by IPv6", "", "/", func(r *http.Request) { r.RemoteAddr, r.Host = "[::1]:99", "[::1]:80" }, 200, ""},
		{"mapped", "", "/", func(r *http.Request) { r.RemoteAddr = "[::ffff:127.0.0.1]:99" }, 200, ""},
		{"localhost", "", "/", func(r *http.Request) { r.Host = "localhost:7780" }, 200, ""},
		{"remote", "", "/", remote, 403, adviseToken},
		{"remote on every path", "", "/debug/pprof/heap", remote, 403, adviseToken},
		{"remote metrics", "", "/metrics", remote, 403, adviseToken},
		{"remote, not there", "", "/nothing", remote, 403, adviseToken},
		{"no address", "", "/", func(r *http.Request) { r.RemoteAddr = "" }, 403, adviseToken},
		{"unix socket", "", "/", func(r *http.Request) { r.RemoteAddr = "@" }, 403, adviseToken},
		{"remote that says it is not", "", "/", both(remote, header("X-Forwarded-For", "127.0.0.1")), 403, adviseToken},
		{"through a proxy", "", "/", header("X-Forwarded-For", "192.0.2.7"), 403, adviseProxy},
		{"through a proxy, in the new way", "", "/", header("Forwarded", "for=192.0.2.7"), 403, adviseProxy},
		{"under another name", "", "/", func(r *http.Request) { r.Host = "example.org" }, 403, adviseName},
		{"under a name like ours", "", "/", func(r *http.Request) { r.Host = "127.0.0.1.example.org:7780" }, 403, adviseName},
		{"of another site", "", "/api/status", both(header("Sec-Fetch-Site", "cross-site"), header("Sec-Fetch-Mode", "no-cors")), 403, adviseOrigin},
		{"a link of another site", "", "/", both(fetch("cross-site", "navigate", "document")), 200, ""},
		{"a link with the token", secret, "/?token=" + secret, fetch("cross-site", "navigate", "document"), 303, ""},
		{"a link of another site to a profile", "", "/debug/pprof/profile?seconds=60", fetch("cross-site", "navigate", "document"), 403, adviseOrigin},
		{"a frame of another site", "", "/", fetch("cross-site", "navigate", "iframe"), 403, adviseOrigin},
		{"an image of another port", "", "/debug/pprof/heap", fetch("same-site", "no-cors", "image"), 403, adviseOrigin},
		{"of another site, with the cookie", secret, "/api/status", both(cookie(good), fetch("cross-site", "cors", "empty")), 403, adviseOrigin},
		{"of the page", "", "/api/status", fetch("same-origin", "cors", "empty"), 200, ""},
		{"from the address bar", "", "/metrics", fetch("none", "navigate", "document"), 200, ""},
		{"of the page, in an old browser", "", "/api/status", header("Origin", "http://127.0.0.1:7780"), 200, ""},
		{"of another site, in an old browser", "", "/api/status", header("Origin", "https://example.org"), 403, adviseOrigin},
		{"of another port, in an old browser", "", "/api/status", header("Origin", "http://127.0.0.1:3000"), 403, adviseOrigin},
		{"of nowhere, in an old browser", "", "/api/status", header("Origin", "null"), 403, adviseOrigin},
		{"rebound", "", "/api/status", both(func(r *http.Request) { r.Host = "rebound.example.org:7780" }, header("Origin", "http://rebound.example.org:7780"), fetch("same-origin", "cors", "empty")), 403, adviseName},
		{"rebound, with a token", secret, "/api/status", both(func(r *http.Request) { r.Host = "rebound.example.org:7780" }, fetch("same-origin", "cors", "empty")), 403, adviseWrong},

		{"token, none shown", secret, "/", remote, 403, adviseWrong},
		{"token, none shown here", secret, "/", nil, 403, adviseWrong},
		{"token", secret, "/", both(remote, header("Authorization", "Bearer "+secret)), 200, ""},
		{"token, other case of the kind", secret, "/", both(remote, header("Authorization", "bearer "+secret)), 200, ""},
		{"wrong token", secret, "/", both(remote, header("Authorization", "Bearer "+secret+"x")), 403, adviseWrong},
		{"shorter token", secret, "/", both(remote, header("Authorization", "Bearer "+secret[:5])), 403, adviseWrong},
		{"empty token", secret, "/", both(remote, header("Authorization", "Bearer ")), 403, adviseWrong},
		{"wrong in the address", secret, "/?token=wrong", remote, 403, adviseWrong},
		{"cookie", secret, "/", both(remote, cookie(good)), 200, ""},
		{"the token as cookie", secret, "/", both(remote, cookie(secret)), 403, adviseWrong},
		{"empty cookie", secret, "/", both(remote, cookie("")), 403, adviseWrong},
		{"token behind a proxy, under a name", secret, "/", both(header("Via", "x"), header("Authorization", "Bearer "+secret), func(r *http.Request) { r.Host = "example.org" }), 200, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			x, err := NewGate(Config{Token: c.token}, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), Posts{})
			if err != nil {
				t.Fatal(err)
			}
			w := httptest.NewRecorder()
			x.ServeHTTP(w, request(c.path, c.change))
			if w.Code != c.code || strings.TrimSpace(w.Body.String()) != c.advice {
				t.Errorf("%d %q, want %d %q", w.Code, w.Body, c.code, c.advice)
			}
			if csp := w.Header().Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'") {
				t.Errorf("policy %q", csp)
			}
		})
	}
}

// A token in the address becomes a cookie, and leaves the address.
func TestGuardTokenInAddress(t *testing.T) {
	g := newGuard(Config{Token: secret}.filled())
	w := httptest.NewRecorder()
	if g.admit(w, request("/?token="+secret+"&a=b", nil)) {
		t.Fatal("the address keeps its token")
	}
	if to := w.Header().Get("Location"); w.Code != http.StatusSeeOther || to != "?a=b" {
		t.Errorf("%d to %q", w.Code, to)
	}
	all := w.Result().Cookies()
	if len(all) != 1 || !all[0].HttpOnly || all[0].SameSite != http.SameSiteStrictMode || strings.Contains(all[0].String(), secret) {
		t.Fatalf("cookies %v", all)
	}
	r := request("/", func(r *http.Request) { r.AddCookie(all[0]) })
	if w := httptest.NewRecorder(); !g.admit(w, r) {
		t.Errorf("the cookie is not enough: %d", w.Code)
	}
}

// The guard cannot be bypassed: every path and method is refused to other machines, and to all requests without the token if
// there is one.
func TestGuardStandsBeforeEverything(t *testing.T) {
	paths := []string{"/", "/app.js", "/view.js", "/app.css", "/metrics", "/debug/pprof/", "/debug/pprof/heap", "/debug/pprof/profile?seconds=1",
		"/debug/pprof/trace?seconds=1", "/api/status", "/api/clients", "/api/traffic", "/api/entities", "/api/entity?id=1",
		"/api/knows?client=1&entity=1", "/api/blame", "/nothing", "//metrics", "/./metrics", "/api/../metrics"}
	for _, c := range []struct {
		config Config
		remote string
	}{{Config{}, "192.0.2.7:5555"}, {Config{Token: secret}, "192.0.2.7:5555"}, {Config{Token: secret}, "127.0.0.1:5555"}} {
		m := newMatch(t, yardConfig(1, 1), c.config)
		for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodOptions} {
			for _, path := range paths {
				w := m.do(request(path, func(r *http.Request) { r.RemoteAddr, r.Method = c.remote, method }))
				h := w.Header()
				if w.Code != http.StatusForbidden || h.Get("Access-Control-Allow-Origin") != "" || len(h.Values("Set-Cookie")) > 0 || strings.Contains(w.Body.String(), "plaza") {
					t.Errorf("%s %s of %s: %d %.100s", method, path, c.remote, w.Code, w.Body)
				}
				for name, want := range map[string]string{"Content-Security-Policy": "default-src 'none'", "X-Content-Type-Options": "nosniff",
					"Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store"} {
					if !strings.HasPrefix(h.Get(name), want) {
						t.Errorf("%s: %s is %q", path, name, h.Get(name))
					}
				}
			}
		}
	}
}

// However many are refused, a reason is logged once, and the token never.
func TestGuardLog(t *testing.T) {
	var text strings.Builder
	g := newGuard(Config{Token: secret, Logger: slog.New(slog.NewTextHandler(&text, nil))})
	for range 10 {
		g.admit(httptest.NewRecorder(), request("/?token=guess", nil))
	}
	if n := strings.Count(text.String(), "refused"); n != 1 || strings.Contains(text.String(), secret) {
		t.Errorf("%d lines: %s", n, text.String())
	}
}

func TestConfigValidate(t *testing.T) {
	for _, c := range []struct {
		config Config
		ok     bool
	}{
		{Config{}, true},
		{Config{Token: secret}, true},
		{Config{Token: "short"}, false},
		{Config{Token: strings.Repeat("x", mostToken+1)}, false},
		{Config{Token: "with spaces in the middle"}, false},
		{Config{Wait: -1}, false},
		{Config{Wait: mostWait + 1}, false},
		{Config{Wait: mostWait}, true},
	} {
		err := c.config.Validate()
		if (err == nil) != c.ok || err != nil && !errors.Is(err, ErrConfig) {
			t.Errorf("%+v: %v", c.config, err)
		}
		if err != nil && c.config.Token != "" && strings.Contains(err.Error(), c.config.Token) {
			t.Errorf("the error names the token: %v", err)
		}
	}
}

// An address that others can reach is not even listened on without a token.
func TestServeRefusesOpenAddress(t *testing.T) {
	for _, c := range []struct {
		token, address string
		ok             bool
	}{
		{"", "127.0.0.1:80", true},
		{"", "[::1]:80", true},
		{"", "0.0.0.0:80", false},
		{"", "192.0.2.7:80", false},
		{secret, "0.0.0.0:80", true},
	} {
		x, err := NewGate(Config{Token: c.token}, nil, Posts{})
		if err != nil {
			t.Fatal(err)
		}
		a, err := net.ResolveTCPAddr("tcp", c.address)
		if err != nil {
			t.Fatal(err)
		}
		l := &closedListener{address: a}
		if err := x.Allows(a); (err == nil) != c.ok || err != nil && !errors.Is(err, ErrConfig) {
			t.Errorf("%s with token %q: %v", c.address, c.token, err)
		}
		if !c.ok {
			if err := x.Serve(t.Context(), l); !errors.Is(err, ErrConfig) || !l.closed {
				t.Errorf("%s: %v, closed %v", c.address, err, l.closed)
			}
		}
	}
}

// closedListener only has an address.
type closedListener struct {
	address net.Addr
	closed  bool
}

func (l *closedListener) Accept() (net.Conn, error) { return nil, net.ErrClosed }
func (l *closedListener) Close() error              { l.closed = true; return nil }
func (l *closedListener) Addr() net.Addr            { return l.address }
