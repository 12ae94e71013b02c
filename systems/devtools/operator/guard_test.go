package operator

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems/rooms"
)

// still returns a site with one room that does not run. Requests reach it without a network.
func still(t testing.TB, c Config) (*Page, *rooms.Room) {
	t.Helper()
	wire := netsys.NewNetwork().Node(netip.AddrPort{})
	s, err := rooms.New(rooms.Config{Kinds: []rooms.Kind{fields("field", 4, nil)}, Process: "here"}, wire)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Create("field", rooms.Creation{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(s, c)
	if err != nil {
		t.Fatal(err)
	}
	return p, r
}

// post returns a request of this machine to lock a room, changed by change.
func post(r *rooms.Room, change func(r *http.Request)) *http.Request {
	x := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:7780"+path(r, "lock"), strings.NewReader("{}"))
	x.RemoteAddr = "127.0.0.1:5555"
	x.Header.Set("Content-Type", "application/json")
	if change != nil {
		change(x)
	}
	return x
}

// An action needs an operator's token in the header Authorization, and must not come from a page of another site. Refusals are
// logged without the token.
func TestWhoActs(t *testing.T) {
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
	cookie := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.AddCookie(&http.Cookie{Name: name, Value: value}) }
	}
	query := func(raw string) func(*http.Request) { return func(r *http.Request) { r.URL.RawQuery = raw } }
	remote := func(r *http.Request) { r.RemoteAddr = "192.0.2.7:5555" }
	here, seen, off := acting(), acting(), Config{}
	seen.Token = eyeToken
	for _, c := range []struct {
		name   string
		config Config
		change func(*http.Request)
		status int
		code   string // in the log; "": it was done
	}{
		{"a token", here, bearer(adaToken), 200, ""},
		{"the other token", here, bearer(bobToken), 200, ""},
		{"another case of the kind", here, header("Authorization", "bearer "+adaToken), 200, ""},
		{"of the page", here, both(bearer(adaToken), header("Origin", "http://127.0.0.1:7780"), header("Sec-Fetch-Site", "same-origin")), 200, ""},
		{"none", here, nil, 401, "unauthorized"},
		{"an empty one", here, header("Authorization", "Bearer "), 401, "unauthorized"},
		{"no kind", here, header("Authorization", adaToken), 401, "unauthorized"},
		{"another kind", here, header("Authorization", "Basic "+adaToken), 401, "unauthorized"},
		{"a wrong one", here, bearer("guess-guess-guess-guess"), 401, "unauthorized"},
		{"a part", here, bearer(adaToken[:20]), 401, "unauthorized"},
		{"more", here, bearer(adaToken + "x"), 401, "unauthorized"},
		{"two", here, bearer(adaToken + " " + bobToken), 401, "unauthorized"},
		{"the name", here, bearer("ada"), 401, "unauthorized"},
		{"in a cookie", here, cookie("tactus-inspect", adaToken), 401, "unauthorized"},
		{"in another cookie", here, cookie("Authorization", "Bearer "+adaToken), 401, "unauthorized"},
		{"in the address", here, query("token=" + adaToken), 400, "bad_query"},
		{"in the address, too", here, both(bearer(adaToken), query("token="+adaToken)), 400, "bad_query"},
		{"as an old browser's password", here, func(r *http.Request) { r.SetBasicAuth("ada", adaToken) }, 401, "unauthorized"},
		{"of another site", here, both(bearer(adaToken), header("Origin", "https://example.org")), 403, "forbidden"},
		{"of another site, which the browser tells", here, both(bearer(adaToken), header("Sec-Fetch-Site", "cross-site")), 403, "forbidden"},
		{"of another port", here, both(bearer(adaToken), header("Origin", "http://127.0.0.1:3000")), 403, "forbidden"},
		{"of nowhere", here, both(bearer(adaToken), header("Origin", "null")), 403, "forbidden"},
		{"under another name", here, both(bearer(adaToken), func(r *http.Request) { r.Host = "rebound.example.org" }), 403, "forbidden"},
		{"remote, where nobody remote looks", here, both(bearer(adaToken), remote), 403, "forbidden"},
		{"through a proxy", here, both(bearer(adaToken), header("X-Forwarded-For", "192.0.2.7")), 403, "forbidden"},
		{"remote, where others look", seen, both(bearer(adaToken), remote), 200, ""},
		{"remote, by the token to look", seen, both(bearer(eyeToken), remote), 401, "unauthorized"},
		{"remote, by the cookie to look", seen, both(remote, func(r *http.Request) {
			p, _ := still(t, seen)
			w := httptest.NewRecorder()
			p.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1/?token="+eyeToken, nil))
			for _, c := range w.Result().Cookies() {
				r.AddCookie(c)
			}
			if r.Header.Get("Cookie") == "" {
				t.Error("no cookie")
			}
		}), 401, "unauthorized"},
		{"of another site, where others look", seen, both(bearer(adaToken), header("Sec-Fetch-Site", "cross-site")), 403, "forbidden"},
		{"where nobody may", off, bearer(adaToken), 403, "off"},
		{"where nobody may, with nothing", off, header("Authorization", "Bearer "), 403, "off"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var log text
			c.config.Audit = NewAudit(&log)
			p, r := still(t, c.config)
			w := httptest.NewRecorder()
			p.ServeHTTP(w, post(r, c.change))
			locked := r.Info().State == rooms.Locked
			if w.Code != c.status || locked != (c.code == "") {
				t.Errorf("%d %s, locked: %v", w.Code, w.Body, locked)
			}
			all := p.config.Audit.Entries(0, 0, 10)
			if len(all) != 1 || all[0].What != "lock" || all[0].Room != r.ID() || all[0].Code != c.code || (all[0].Outcome == Done) != (c.code == "") || (all[0].Who == "") != (c.code != "") {
				t.Errorf("the log says %+v", all)
			}
			p.config.Audit.Flush()
			for _, token := range []string{adaToken, bobToken, eyeToken, "guess-guess"} {
				if strings.Contains(log.String()+w.Body.String(), token) || w.Header().Get("Set-Cookie") != "" {
					t.Errorf("a token got out: %s %s %v", log.String(), w.Body, w.Header())
				}
			}
			if (w.Code == 401) != (w.Header().Get("WWW-Authenticate") == "Bearer") {
				t.Errorf("%d with %v", w.Code, w.Header())
			}
		})
	}
}

// Actions are POST requests. Requests with other methods change nothing.
func TestActionsArePosts(t *testing.T) {
	p, r := still(t, acting())
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPut, http.MethodDelete, http.MethodPatch, http.MethodOptions} {
		for _, name := range []string{"lock", "drain", "end"} {
			w := httptest.NewRecorder()
			p.ServeHTTP(w, post(r, func(x *http.Request) {
				bearer(adaToken)(x)
				x.Method, x.URL.Path = method, path(r, name)
			}))
			if w.Code != http.StatusNotFound && w.Code != http.StatusMethodNotAllowed || r.Info().State != rooms.Open || w.Header().Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s %s: %d, %v", method, name, w.Code, r.Info().State)
			}
		}
	}
}

// The pages are protected by package inspect's guard.
func TestWhoLooks(t *testing.T) {
	for _, c := range []struct {
		config Config
		change func(*http.Request)
		ok     bool
	}{
		{Config{}, nil, true},
		{Config{}, func(r *http.Request) { r.RemoteAddr = "192.0.2.7:1" }, false},
		{Config{}, func(r *http.Request) { r.Host = "rebound.example.org" }, false},
		{Config{}, func(r *http.Request) { r.Header.Set("Origin", "https://example.org") }, false},
		{Config{Token: eyeToken}, nil, false},
		{Config{Token: eyeToken}, bearer(eyeToken), true},
		{acting(), func(r *http.Request) { r.RemoteAddr = "192.0.2.7:1"; bearer(adaToken)(r) }, false},
	} {
		p, r := still(t, c.config)
		for _, to := range []string{"/", "/rooms.js", "/app.js", "/api/rooms", "/api/log", "/metrics", "/debug/pprof/", path(r, ""), path(r, "api/room")} {
			w := httptest.NewRecorder()
			p.ServeHTTP(w, post(r, func(x *http.Request) {
				x.Method, x.URL.Path = http.MethodGet, to
				if c.change != nil {
					c.change(x)
				}
			}))
			if (w.Code == http.StatusOK) != c.ok || !c.ok && w.Code != http.StatusForbidden {
				t.Errorf("%v: %s: %d %.100s", c.config, to, w.Code, w.Body)
			}
			if !strings.HasPrefix(w.Header().Get("Content-Security-Policy"), "default-src 'none'") {
				t.Errorf("%s: %v", to, w.Header())
			}
		}
	}
}

// Each address may try so often a minute without a token, and each operator may act so often, from wherever. An operator at
// an address that has tried too often acts all the same. Clients of trusted proxies are counted one by one.
func TestActionLimits(t *testing.T) {
	c := acting()
	c.PerMinute = 12 // two at once
	c.Token, c.TrustedProxies = eyeToken, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	p, r := still(t, c)
	const guess = "guess-guess-guess-guess"
	forwarded := ""
	try := func(from, token string) int {
		w := httptest.NewRecorder()
		p.ServeHTTP(w, post(r, func(x *http.Request) {
			x.RemoteAddr = from
			if forwarded != "" {
				x.Header.Set("X-Forwarded-For", forwarded)
			}
			bearer(token)(x)
		}))
		if (w.Code == 429) != (w.Header().Get("Retry-After") != "") {
			t.Errorf("%d with %v", w.Code, w.Header())
		}
		return w.Code
	}
	for i, want := range []int{401, 401, 429} {
		if got := try("127.0.0.1:5555", guess); got != want {
			t.Errorf("guess %d: %d, want %d", i, got, want)
		}
	}
	if got := try("127.0.0.1:6666", adaToken); got != 200 {
		t.Errorf("the right token from there: %d", got)
	}
	for i, want := range []int{200, 429} {
		if got := try(fmt.Sprintf("127.0.0.%d:1", 2+i), adaToken); got != want {
			t.Errorf("Ada, time %d: %d, want %d", i, got, want)
		}
	}
	if got := try("127.0.0.9:1", bobToken); got != 200 {
		t.Errorf("Bob: %d", got)
	}
	for _, test := range []struct {
		from, forwarded string
		want            int
	}{
		{"10.0.0.1:1", "192.0.2.1", 401}, {"10.0.0.2:1", "192.0.2.1", 401}, {"10.0.0.1:1", "192.0.2.1", 429},
		{"10.0.0.1:1", "192.0.2.1, 192.0.2.2", 401},                                                             // the proxy says .2; what that says is not trusted
		{"192.0.2.3:1", "192.0.2.4", 401}, {"192.0.2.3:1", "192.0.2.5", 401}, {"192.0.2.3:1", "192.0.2.6", 429}, // no proxy
	} {
		if forwarded = test.forwarded; try(test.from, guess) != test.want {
			t.Errorf("a guess from %s for %s: want %d", test.from, test.forwarded, test.want)
		}
		if e := p.config.Audit.Entries(0, 0, 1); len(e) != 1 || test.from[:2] == "10" && e[0].From != test.forwarded[max(len(test.forwarded)-9, 0):] {
			t.Errorf("the log says %+v", e)
		}
	}
}

func TestConfigValidate(t *testing.T) {
	one := func(name, token string) Config { return Config{Operators: []Operator{{name, token}}} }
	for _, c := range []struct {
		config Config
		ok     bool
	}{
		{Config{}, true},
		{acting(), true},
		{one("ada", ""), false},
		{one("", adaToken), false},
		{one("a b", adaToken), false},
		{one(strings.Repeat("a", mostName+1), adaToken), false},
		{one("ada", "short"), false},
		{one("ada", "with spaces and more of them"), false},
		{Config{Token: adaToken, Operators: []Operator{{"ada", adaToken}}}, false},
		{Config{Operators: []Operator{{"ada", adaToken}, {"bob", adaToken}}}, false},
		{Config{Operators: []Operator{{"ada", adaToken}, {"ada", bobToken}}}, false},
		{Config{Operators: make([]Operator, mostOperators+1)}, false},
		{Config{Token: "short"}, false},
		{Config{PerMinute: -1}, false},
		{Config{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}, false},
		{Config{Token: eyeToken, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}, true},
		{Config{Token: eyeToken, TrustedProxies: make([]netip.Prefix, 1)}, false},
		{Config{PerMinute: mostPerMinute + 1}, false},
		{Config{Wait: -1}, false},
	} {
		err := c.config.Validate()
		if (err == nil) != c.ok || err != nil && !errors.Is(err, ErrConfig) {
			t.Errorf("%v: %v", c.config, err)
		}
		if err != nil && (strings.Contains(err.Error(), adaToken) || strings.Contains(err.Error(), "short:")) {
			t.Errorf("the error names a token: %v", err)
		}
	}
}

func TestParseOperators(t *testing.T) {
	all, err := ParseOperators(" ada=" + adaToken + "\tbob=" + bobToken + "\n")
	if err != nil || len(all) != 2 || all[0] != (Operator{"ada", adaToken}) || all[1] != (Operator{"bob", bobToken}) {
		t.Errorf("%v %v", all, err)
	}
	if all, err := ParseOperators(""); err != nil || len(all) != 0 {
		t.Errorf("%v %v", all, err)
	}
	for _, text := range []string{adaToken, "ada=short", "=" + adaToken, "ada=" + adaToken + " ada=" + bobToken} {
		if _, err := ParseOperators(text); !errors.Is(err, ErrConfig) || strings.Contains(err.Error(), adaToken) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// However a configuration is printed or logged, tokens are not.
func TestTokensAreNotPrinted(t *testing.T) {
	c := acting()
	c.Token = eyeToken
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "operator", c.Operators[0])
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "operator", c.Operators[0], "config", c)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d", "%q", "%x"} {
		fmt.Fprintf(&log, verb+verb+verb, c, c.Operators, c.Operators[0])
	}
	for _, token := range []string{adaToken, bobToken, eyeToken, fmt.Sprintf("%x", adaToken)} {
		if strings.Contains(log.String(), token) {
			t.Errorf("%s is in %s", token, log.String())
		}
	}
}
