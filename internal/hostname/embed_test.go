package hostname

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"testing"
)

// Embed accepts sites only, and null only beside a site, because an entry becomes a part of a policy.
func TestEmbed(t *testing.T) {
	for _, c := range []struct {
		embed     Embed
		ancestors string
		valid     bool
	}{
		{nil, "'none'", true},
		{Embed{"https://portal.example"}, "https://portal.example", true},
		{Embed{"https://portal.example", "http://127.0.0.1:8000"}, "https://portal.example http://127.0.0.1:8000", true},
		{Embed{"https://*.portal.example", "null"}, "https://*.portal.example", true},
		{Embed{"*"}, "*", true},
		{Embed{"null"}, "'none'", false},
		{Embed{""}, "", false},
		{Embed{"portal.example"}, "", false},
		{Embed{"https://portal.example/"}, "", false},
		{Embed{"https://a.*.example"}, "", false},
		{Embed{"https://"}, "", false},
		{Embed{"https://:80"}, "", false},
		{Embed{"ftp://portal.example"}, "", false},
		{Embed{"https://portal.example;script-src"}, "", false},
		{Embed{"https://portal.example 'self'"}, "", false},
		{Embed{"https://portal.example,https://b.example"}, "", false},
		{Embed{"https://user@portal.example"}, "", false},
	} {
		if err := c.embed.Validate(); (err == nil) != c.valid {
			t.Errorf("%q: %v", c.embed, err)
		}
		if got := c.embed.Ancestors(); c.valid && got != c.ancestors {
			t.Errorf("%q: the ancestors are %q", c.embed, got)
		}
	}
}

// Only a page with the origin null can read an answer, and only if the list has null.
func TestShare(t *testing.T) {
	for _, c := range []struct {
		embed        Embed
		origin, want string
		vary         bool
	}{
		{nil, "null", "", false},
		{Embed{"https://portal.example"}, "null", "", false},
		{Embed{"https://portal.example", "null"}, "null", "null", true},
		{Embed{"https://portal.example", "null"}, "https://portal.example", "", true},
		{Embed{"*", "null"}, "https://evil.example", "", true},
		{Embed{"*", "null"}, "", "", true},
	} {
		r, h := httptest.NewRequest("GET", "/", nil), http.Header{}
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		shared := c.embed.Share(h, r)
		if got := h.Get("Access-Control-Allow-Origin"); got != c.want || shared != (c.want != "") || slices.Contains(h.Values("Vary"), "Origin") != c.vary {
			t.Errorf("%q, %q: %v %v", c.embed, c.origin, shared, h)
		}
	}
}

// A page with the origin null connects only if the server says so, and only under a name of the server.
func TestSandboxedPages(t *testing.T) {
	local := netip.MustParseAddr("127.0.0.1")
	for _, c := range []struct {
		pages      Pages
		from, host string
		want       error
	}{
		{Pages{}, "null", "127.0.0.1:7778", ErrOrigin},
		{Pages{Sandboxed: true}, "null", "127.0.0.1:7778", nil},
		{Pages{Sandboxed: true}, "null", "evil.example", ErrHost},
		{Pages{Sandboxed: true}, "http://127.0.0.1:7780", "127.0.0.1:7778", nil},
		{Pages{Sandboxed: true}, "https://evil.example", "127.0.0.1:7778", ErrOrigin},
		{Pages{Origins: []string{"https://game.example"}}, "null", "game.example", ErrOrigin},
		{Pages{Origins: []string{"https://game.example"}, Sandboxed: true}, "null", "game.example", nil},
		{Pages{Origins: []string{"https://game.example"}, Sandboxed: true}, "https://evil.example", "game.example", ErrOrigin},
	} {
		if got := c.pages.Check(c.from, c.host, local); got != c.want {
			t.Errorf("%+v, %q at %q: %v", c.pages, c.from, c.host, got)
		}
	}
}
