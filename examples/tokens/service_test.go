package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
)

// epoch is the time of day in tests.
var epoch = time.Unix(1_700_000_000, 0)

// lab is a service with its log.
type lab struct {
	http.Handler
	key netcode.Key
	mu  sync.Mutex
	now time.Time
	log bytes.Buffer
}

// labUsers are users whose passwords take little time.
func labUsers() (all []user) {
	for i, name := range []string{"alice", "bob"} {
		all = append(all, user{uint64(i + 1), name, 1000, "salt", hex.EncodeToString(hash("swordfish", "salt", 1000))})
	}
	return all
}

func newLab(t *testing.T, change func(*serviceConfig)) *lab {
	t.Helper()
	l := &lab{key: netcode.GenerateKey(nil), now: epoch}
	c := serviceConfig{
		token:     netcode.TokenConfig{Key: l.key, ProtocolID: 0x11, Servers: []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:7777")}},
		users:     labUsers(),
		perMinute: 600, accountPerMinute: 600,
		log: slog.New(slog.NewTextHandler(&l.log, nil)),
		now: func() time.Time {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.now = l.now.Add(time.Second)
			return l.now
		},
	}
	if change != nil {
		change(&c)
	}
	l.Handler = newService(c)
	return l
}

// post sends a body as JSON and returns the answer, which is JSON too and must not be kept by anybody.
func (l *lab) post(t *testing.T, body string, change func(*http.Request)) (status int, answer map[string]any, header http.Header) {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/token", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Host = "192.0.2.2:8080"
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	l.ServeHTTP(w, r)
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
		t.Fatalf("%q is answered by %q: %v", body, w.Body, err)
	}
	if h := w.Header(); h.Get("Content-Type") != "application/json" || h.Get("Cache-Control") != "no-store" {
		t.Errorf("%q is answered with the header %v", body, h)
	}
	return w.Code, answer, w.Header()
}

const alice = `{"name": "alice", "password": "swordfish"}`

// The same player has the same id each time, and each token is another one.
func TestTokensAreForPlayers(t *testing.T) {
	l := newLab(t, nil)
	seen := map[string]bool{}
	for _, c := range []struct{ body, id string }{
		{alice, "1"}, {`{"name":"bob","password":"swordfish"}`, "2"}, {alice, "1"},
	} {
		status, answer, _ := l.post(t, c.body, nil)
		if status != http.StatusOK || answer["client_id"] != c.id || answer["expires_in"] != 45.0 {
			t.Fatalf("%s: %d %v", c.body, status, answer)
		}
		text, _ := answer["token"].(string)
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		token, err := netcode.ParseToken(raw)
		if err != nil || token.ProtocolID != 0x11 || token.Expire != token.Create+45 || token.Timeout != 10 || seen[text] {
			t.Errorf("%s: token of %x, %d to %d, timeout %d; seen before: %v, %v",
				c.body, token.ProtocolID, token.Create, token.Expire, token.Timeout, seen[text], err)
		}
		seen[text] = true
		if strings.Contains(l.log.String(), text) {
			t.Error("the token is in the log")
		}
	}
	for _, secret := range []string{"swordfish", "alice"} {
		if strings.Contains(l.log.String(), secret) {
			t.Errorf("%s is in the log:\n%s", secret, &l.log)
		}
	}
}

func TestBadRequests(t *testing.T) {
	l := newLab(t, nil)
	for _, c := range []struct {
		name, body string
		change     func(*http.Request)
		status     int
		want       string
	}{
		{"nothing", "", nil, 400, "name"},
		{"no JSON", "name=alice", nil, 400, "name"},
		{"no object", `["alice"]`, nil, 400, "name"},
		{"another field", `{"name":"alice","password":"swordfish","admin":true}`, nil, 400, "name"},
		{"two objects", alice + alice, nil, 400, "name"},
		{"rubbish behind", alice + "}", nil, 400, "name"},
		{"no name", `{"password":"swordfish"}`, nil, 400, "1 to 32"},
		{"no password", `{"name":"alice"}`, nil, 400, "1 to 128"},
		{"long name", `{"name":"` + strings.Repeat("a", 33) + `","password":"swordfish"}`, nil, 400, "1 to 32"},
		{"long password", `{"name":"alice","password":"` + strings.Repeat("a", 129) + `"}`, nil, 400, "1 to 128"},
		{"too long", strings.Repeat(" ", maxBody+1), nil, 413, "4096"},
		{"too long behind", alice + strings.Repeat(" ", maxBody), nil, 413, "4096"},
		{"other type", alice, func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, 415, "application/json"},
		{"no type", alice, func(r *http.Request) { r.Header.Del("Content-Type") }, 415, "application/json"},
		{"other method", alice, func(r *http.Request) { r.Method = http.MethodGet }, 405, "POST"},
		{"elsewhere", alice, func(r *http.Request) { r.URL.Path = "/tokens" }, 404, "/token"},
		{"wrong password", `{"name":"alice","password":"Swordfish"}`, nil, 401, "wrong"},
		{"nobody", `{"name":"mallory","password":"swordfish"}`, nil, 401, "wrong"},
	} {
		status, answer, _ := l.post(t, c.body, c.change)
		text, _ := answer["error"].(string)
		if status != c.status || !strings.Contains(text, c.want) || len(answer) != 1 {
			t.Errorf("%s: %d %v, want %d and %q", c.name, status, answer, c.status, c.want)
		}
	}
	for _, typed := range []string{"Swordfish", "mallory"} {
		if strings.Contains(l.log.String(), typed) {
			t.Errorf("what a player typed is in the log:\n%s", &l.log)
		}
	}
}

// An address that asks too often waits, also through a proxy that is believed; others do not.
func TestRateOfAnAddress(t *testing.T) {
	l := newLab(t, func(c *serviceConfig) {
		c.perMinute = 1
		c.names.Proxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	})
	try := func(remote, forwarded string) int {
		status, _, header := l.post(t, "?", func(r *http.Request) {
			r.RemoteAddr = remote
			r.Header.Set("X-Forwarded-For", forwarded)
		})
		if limited := status == http.StatusTooManyRequests; limited != (header.Get("Retry-After") != "") {
			t.Errorf("%d with the header %v", status, header)
		}
		return status
	}
	for i := range 2 * burst {
		want := http.StatusBadRequest
		if i >= burst {
			want = http.StatusTooManyRequests
		}
		if got := try("192.0.2.1:1000", "198.51.100.7"); got != want {
			t.Errorf("request %d: %d, want %d", i, got, want)
		}
		if got := try("10.0.0.1:2000", "forged, 203.0.113.9, 10.0.0.2"); got != want {
			t.Errorf("request %d through a proxy: %d, want %d", i, got, want)
		}
	}
	if got := try("10.0.0.1:2000", "203.0.113.10"); got != http.StatusBadRequest {
		t.Errorf("another address through the proxy: %d", got)
	}
}

// The demo users have the password that the command prints.
func TestDemoUsers(t *testing.T) {
	ids := map[uint64]bool{}
	for _, u := range demoUsers {
		if found, ok := find(demoUsers, u.name, "swordfish"); !ok || found.id != u.id || ids[u.id] || u.id == 0 {
			t.Errorf("%s: found %v, id %d", u.name, ok, found.id)
		}
		ids[u.id] = true
	}
}

// A broken configuration is not the client's fault, and no business of its either.
func TestFailureInside(t *testing.T) {
	l := newLab(t, func(c *serviceConfig) { c.token.Servers = nil })
	status, answer, _ := l.post(t, alice, nil)
	if text, _ := answer["error"].(string); status != http.StatusInternalServerError || strings.Contains(text, "Servers") {
		t.Errorf("%d %v", status, answer)
	}
}

// over posts to a service over HTTP. The service hangs up after ten seconds, which the hash of a password may take on a
// busy machine, so there are several tries.
func over(t *testing.T, url string) []byte {
	t.Helper()
	r, err := http.Post(url, "application/json", strings.NewReader(alice))
	for n := 0; err != nil && n < 20; n++ {
		r, err = http.Post(url, "application/json", strings.NewReader(alice))
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	var a admission
	if err := json.NewDecoder(io.LimitReader(r.Body, 1<<16)).Decode(&a); err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("status %s, %v", r.Status, err)
	}
	raw, err := base64.StdEncoding.DecodeString(a.Token)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
