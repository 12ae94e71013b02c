package hostname

import (
	"net/http/httptest"
	"net/netip"
	"testing"
)

// Foreign recognizes requests of other sites' pages, in browsers that send Sec-Fetch-Site and in those that send only Origin.
func TestForeign(t *testing.T) {
	named := Guard{Hosts: []string{"game.example"}}
	for _, c := range []struct {
		guard                Guard
		site, origin, target string
		foreign              bool
	}{
		{Guard{}, "", "", "http://127.0.0.1:7780/", false},
		{Guard{}, "same-origin", "http://127.0.0.1:7780", "http://127.0.0.1:7780/", false},
		{Guard{}, "none", "", "http://127.0.0.1:7780/", false},
		{Guard{}, "cross-site", "", "http://127.0.0.1:7780/", true},
		{Guard{}, "same-site", "", "http://127.0.0.1:7780/", true},
		{Guard{}, "", "http://127.0.0.1:3000", "http://127.0.0.1:7780/", true},
		{Guard{}, "", "null", "http://127.0.0.1:7780/", true},
		{Guard{}, "", "https://evil.example", "http://127.0.0.1:7780/", true},
		{Guard{}, "", "https://game.example", "http://127.0.0.1:7780/", true},
		{named, "", "https://game.example", "http://127.0.0.1:7780/", false},
		{named, "", "https://Game.example:8443", "http://127.0.0.1:7780/", false},
		{named, "", "https://my.game.example", "http://127.0.0.1:7780/", true},
		{named, "cross-site", "https://game.example", "http://127.0.0.1:7780/", true},
	} {
		r := httptest.NewRequest("POST", c.target, nil)
		if c.site != "" {
			r.Header.Set("Sec-Fetch-Site", c.site)
		}
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		if got := c.guard.Foreign(r); got != c.foreign {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// Client returns the address of the connection, or the one that a configured proxy names.
func TestClient(t *testing.T) {
	behind := Guard{Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}
	for _, c := range []struct {
		guard               Guard
		remote, header, who string
	}{
		{Guard{}, "192.0.2.7:5555", "203.0.113.9", "192.0.2.7"},
		{Guard{}, "[::ffff:192.0.2.7]:5555", "", "192.0.2.7"},
		{behind, "192.0.2.7:5555", "203.0.113.9", "192.0.2.7"},
		{behind, "10.1.1.1:5555", "203.0.113.9", "203.0.113.9"},
		{behind, "10.1.1.1:5555", "1.2.3.4, 203.0.113.9, 10.2.2.2", "203.0.113.9"},
		{behind, "10.1.1.1:5555", "nobody", "10.1.1.1"},
		{behind, "10.1.1.1:5555", "", "10.1.1.1"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = c.remote
		r.Header.Set("X-Forwarded-For", c.header)
		if got, err := c.guard.Client(r); err != nil || got.String() != c.who {
			t.Errorf("%+v: %v %v", c, got, err)
		}
	}
}

// All addresses of a household's network count as one, and only those.
func TestNetworks(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"2001:db8::1", "2001:db8::ffff", true},
		{"2001:db8::1", "2001:db8:0:1::1", false},
		{"192.0.2.1", "192.0.2.2", false},
		{"192.0.2.1", "::ffff:192.0.2.1", true},
		{"fe80::1%a", "fe80::2%b", true},
		{"::1", "::2", false},
	} {
		if got := Network(netip.MustParseAddr(c.a)) == Network(netip.MustParseAddr(c.b)); got != c.same {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
	}
}
