package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms"
	"github.com/tactusgo/tactus/systems/rooms/roomstest"
)

// quiet returns a handler in virtual time, whose rooms do not run.
func quiet(t testing.TB, c Config, addresses ...netip.AddrPort) (*Handler, *rooms.Server, error) {
	t.Helper()
	s, err := rooms.New(rooms.Config{
		Kinds:     []rooms.Kind{{Name: "field", Protocol: roomstest.Field, Capacity: 4, Server: systems.ServerConfig{TickRate: 20}}},
		Addresses: addresses, Random: netsys.SeededRandom(1),
	}, netsys.NewNetwork().Node(netip.AddrPort{}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(time.Now()) })
	h, err := New(c, rooms.Here(s))
	return h, s, err
}

// here are addresses on this machine.
var here = netip.MustParseAddrPort("127.0.0.1:7777")

// anyone authenticates everybody as player 1.
func anyone(*http.Request) (rooms.Player, error) { return rooms.Player{ID: 1}, nil }

// post returns a request as from this machine, changed.
func post(path, body string, change func(r *http.Request)) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8080"+path, strings.NewReader(body))
	r.RemoteAddr = "127.0.0.1:5555"
	r.Header.Set("Content-Type", "application/json")
	if change != nil {
		change(r)
	}
	return r
}

// Without authentication this machine alone is served; pages of other sites, and names that could lead here, are refused
// either way.
func TestGuard(t *testing.T) {
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	remote := func(r *http.Request) { r.RemoteAddr = "192.0.2.7:5555" }
	both := func(all ...func(*http.Request)) func(*http.Request) {
		return func(r *http.Request) {
			for _, f := range all {
				f(r)
			}
		}
	}
	host := func(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }
	open, known, behind := many(), many(), many()
	known.Authenticate, behind.Authenticate = anyone, anyone
	known.Hosts = []string{"play.example"}
	behind.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for _, c := range []struct {
		name   string
		config Config
		change func(*http.Request)
		code   string
	}{
		{"this machine", open, nil, ""},
		{"remote", open, remote, "forbidden"},
		{"remote that says it is not", open, both(remote, header("X-Forwarded-For", "127.0.0.1")), "forbidden"},
		{"through a proxy", open, header("X-Forwarded-For", "192.0.2.7"), "forbidden"},
		{"no address", open, func(r *http.Request) { r.RemoteAddr = "@" }, "forbidden"},
		{"another name", open, host("evil.example"), "forbidden"},
		{"another site", open, header("Sec-Fetch-Site", "cross-site"), "forbidden"},
		{"another port", open, header("Origin", "http://127.0.0.1:3000"), "forbidden"},
		{"our page", open, both(header("Sec-Fetch-Site", "same-origin"), header("Origin", "http://127.0.0.1:8080")), ""},
		{"rebound", open, both(host("evil.example:8080"), header("Origin", "http://evil.example:8080"), header("Sec-Fetch-Site", "same-origin")), "forbidden"},
		{"remote, authenticated", known, both(remote, host("play.example")), ""},
		{"under another name, authenticated", known, both(remote, host("evil.example")), "forbidden"},
		{"of another site, authenticated", known, both(remote, host("play.example"), header("Origin", "https://evil.example")), "forbidden"},
		{"of our name", known, both(host("127.0.0.1:8080"), header("Origin", "https://play.example")), ""},
		{"any name of the proxy", behind, both(func(r *http.Request) { r.RemoteAddr = "10.1.1.1:5" }, host("play.example")), ""},
		{"no JSON", open, header("Content-Type", "text/plain"), "no_json"},
		{"a form", open, header("Content-Type", "application/x-www-form-urlencoded"), "no_json"},
		{"no type", open, func(r *http.Request) { r.Header.Del("Content-Type") }, "no_json"},
		{"a player that is none", open, header("Player", "0"), "bad_player"},
	} {
		h, _, err := quiet(t, c.config, here)
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, post("/rooms/join", `{"kind":"field"}`, c.change))
		got := answer{w.Code, w.Header(), w.Body.Bytes()}
		if c.code == "" && w.Code != http.StatusOK || c.code != "" && (got.code() != c.code || w.Code != statuses[c.code]) {
			t.Errorf("%s: %d %s, want %s", c.name, w.Code, w.Body, c.code)
		}
		if w.Header().Get("Access-Control-Allow-Origin") != "" || w.Header().Get("Cache-Control") != "no-store" || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: headers %v", c.name, w.Header())
		}
	}
}

// A page in a sandboxed frame gets seats only if Embed has null. Its browser asks first, and reads the answer. Pages of other sites
// are refused as before.
func TestEmbed(t *testing.T) {
	header := func(r *http.Request, origin string) {
		r.Header.Set("Origin", origin)
		r.Header.Set("Sec-Fetch-Site", "cross-site")
	}
	for _, c := range []struct {
		embed             []string
		origin            string
		shared, ancestors string
	}{
		{nil, "null", "", "'none'"},
		{[]string{"https://portal.example"}, "null", "", "https://portal.example"},
		{[]string{"https://portal.example", "null"}, "null", "null", "https://portal.example"},
		{[]string{"https://portal.example", "null"}, "https://portal.example", "", "https://portal.example"},
		{[]string{"*", "null"}, "https://evil.example", "", "*"},
	} {
		config := many()
		config.Embed = c.embed
		h, _, err := quiet(t, config, here)
		if err != nil {
			t.Fatal(err)
		}
		asks, joins := httptest.NewRecorder(), httptest.NewRecorder()
		r := post("/rooms/join", "", func(r *http.Request) { header(r, c.origin) })
		r.Method = http.MethodOptions
		r.Header.Set("Access-Control-Request-Headers", "content-type,player")
		h.ServeHTTP(asks, r)
		h.ServeHTTP(joins, post("/rooms/join", `{"kind":"field"}`, func(r *http.Request) { header(r, c.origin) }))
		want := map[bool][2]int{true: {http.StatusNoContent, http.StatusOK}, false: {http.StatusForbidden, http.StatusForbidden}}[c.shared != ""]
		if asks.Code != want[0] || joins.Code != want[1] {
			t.Errorf("%q, %s: %d, then %d", c.embed, c.origin, asks.Code, joins.Code)
		}
		if got := asks.Header().Get("Access-Control-Allow-Headers"); (got == "content-type,player") != (c.shared != "") {
			t.Errorf("%q, %s: the headers %q", c.embed, c.origin, got)
		}
		for _, w := range []*httptest.ResponseRecorder{asks, joins} {
			if got := w.Header().Get("Access-Control-Allow-Origin"); got != c.shared || w.Header().Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("%q, %s: %v", c.embed, c.origin, w.Header())
			}
			if policy := w.Header().Get("Content-Security-Policy"); policy != "default-src 'none'; frame-ancestors "+c.ancestors {
				t.Errorf("%q: policy %q", c.embed, policy)
			}
		}
	}
}

// Each network and each player has a limited number of requests, and is told when to try again. Creating a room costs more.
func TestLimits(t *testing.T) {
	c := many()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	c.PerAddress, c.PerPlayer, c.Now = 600, 60, func() time.Time { return now }
	c.Authenticate = func(r *http.Request) (rooms.Player, error) {
		var id uint64
		_, err := fmt.Sscan(r.Header.Get("X-Id"), &id)
		return rooms.Player{ID: id}, err
	}
	c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	h, _, err := quiet(t, c, here)
	if err != nil {
		t.Fatal(err)
	}
	do := func(player int, from, path string) (code string, retry string) {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, post(path, `{"kind":"chess"}`, func(r *http.Request) {
			r.Header.Set("X-Id", fmt.Sprint(player))
			r.Header.Set("X-Forwarded-For", from)
		}))
		return answer{w.Code, w.Header(), w.Body.Bytes()}.code(), w.Header().Get("Retry-After")
	}
	for i := range 10 {
		if code, _ := do(1, fmt.Sprintf("192.0.2.%d", i), "/rooms/join"); code != "no_kind" {
			t.Fatalf("%d: %s", i, code)
		}
	}
	if code, retry := do(1, "192.0.2.99", "/rooms/join"); code != "limited" || retry != "1" {
		t.Errorf("%s after %q", code, retry)
	}
	for i := range 2 {
		if code, _ := do(2, "192.0.2.100", "/rooms/create"); code != "no_kind" {
			t.Fatalf("%d: %s", i, code)
		}
	}
	if code, retry := do(2, "192.0.2.100", "/rooms/create"); code != "limited" || retry != "5" {
		t.Errorf("%s after %q", code, retry)
	}
	for i := range 60 {
		if code, _ := do(100+i, fmt.Sprintf("2001:db8::%d", i), "/rooms/join"); code != "no_kind" {
			t.Fatalf("%d: %s", i, code)
		}
	}
	if code, _ := do(500, "2001:db8::ffff", "/rooms/join"); code != "limited" {
		t.Errorf("a network has no limit: %s", code)
	}
	if code, _ := do(500, "2001:db8:1::1", "/rooms/join"); code != "no_kind" {
		t.Errorf("another network: %s", code)
	}
	now = now.Add(time.Second)
	if code, _ := do(1, "192.0.2.99", "/rooms/join"); code != "no_kind" {
		t.Errorf("a second later: %s", code)
	}
}

// New refuses a configuration that would serve players by mistake, and names the missing fields.
func TestConfig(t *testing.T) {
	there := netip.MustParseAddrPort("203.0.113.7:7777")
	for want, c := range map[string]struct {
		change func(c *Config)
		at     netip.AddrPort
	}{
		"":                             {func(*Config) {}, here},
		"give Authenticate":            {func(*Config) {}, there},
		"no host name":                 {func(c *Config) { c.Authenticate, c.Hosts = anyone, []string{"a:80"} }, here},
		"is not scheme://host":         {func(c *Config) { c.Embed = []string{"portal.example"} }, here},
		"one that is not valid":        {func(c *Config) { c.Authenticate, c.TrustedProxies = anyone, []netip.Prefix{{}} }, here},
		"Hosts without Authenticate":   {func(c *Config) { c.Hosts = []string{"a"} }, here},
		"PerPlayer -1":                 {func(c *Config) { c.PerPlayer = -1 }, here},
		"Wait 1.5s is not in whole":    {func(c *Config) { c.Wait = 1500 * time.Millisecond }, here},
		"Wait 2m0s is not in whole":    {func(c *Config) { c.Wait = 2 * time.Minute }, here},
		"PerAddress 1048577 is not in": {func(c *Config) { c.PerAddress = mostPerMinute + 1 }, here},
	} {
		config := many()
		c.change(&config)
		_, _, err := quiet(t, config, c.at)
		if (err == nil) != (want == "") || err != nil && (!errors.Is(err, ErrConfig) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
