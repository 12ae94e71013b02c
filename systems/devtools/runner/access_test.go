package runner

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/devtools/internal/tokens"
)

func newToken(t *testing.T, id uint64) (*netcode.ConnectToken, []byte) {
	t.Helper()
	token, err := netcode.TokenConfig{Key: netcode.GenerateKey(nil), ClientID: id,
		Servers: []netip.AddrPort{netip.MustParseAddrPort("127.0.0.1:7777")}}.Issue(time.Unix(1_700_000_000, 0))
	if err != nil {
		t.Fatal(err)
	}
	return token, token.Append(nil)
}

func TestTokensComeFromFiles(t *testing.T) {
	token, raw := newToken(t, 1)
	text := base64.StdEncoding.EncodeToString(raw)
	var names []string
	for i, content := range [][]byte{raw, []byte(" " + text + "\n"), fmt.Appendf(nil, `{"token": %q, "client_id": "1"}`+"\n", text)} {
		names = append(names, filepath.Join(t.TempDir(), fmt.Sprint(i)))
		if err := os.WriteFile(names[i], content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := Options{Clients: 8, Token: strings.Join(names, ", ")}
	if err := o.access.collect(t.Context(), &o); err != nil || o.Clients != len(names) {
		t.Fatalf("%v; %d clients", err, o.Clients)
	}
	for n := range names {
		if got, _ := o.access.token(n, &o, netip.AddrPort{}, time.Time{}); got == nil || !bytes.Equal(got.Append(nil), token.Append(nil)) {
			t.Errorf("token %d is another one", n)
		}
	}
	for _, content := range []string{"", "?", "{", `{"token": 1}`, text[:100], string(raw[1:]), strings.Repeat("x", 64<<10+1)} {
		if _, err := tokens.Parse([]byte(content)); !errors.Is(err, netcode.ErrToken) {
			t.Errorf("%.20q: %v is no netcode.ErrToken", content, err)
		}
	}
	if err := new(access).collect(t.Context(), &Options{Token: filepath.Join(t.TempDir(), "none")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

func TestTokensComeFromAService(t *testing.T) {
	_, raw := newToken(t, 2)
	var bodies []map[string]string
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]string
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %v: %v", r.Method, r.Header, err)
		}
		switch bodies = append(bodies, body); body["name"] {
		case "mallory":
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"error": "wrong name or password"}`)
		case "elsewhere":
			http.Redirect(w, r, "/other", http.StatusTemporaryRedirect)
		default:
			_, _ = fmt.Fprintf(w, `{"token": %q}`, base64.StdEncoding.EncodeToString(raw))
		}
	}))
	defer service.Close()
	t.Setenv(tokens.PasswordVariable, "swordfish")
	o := Options{Token: service.URL, Login: "alice, bob"}
	if err := o.access.collect(t.Context(), &o); err != nil || o.Clients != 2 || len(o.access.tokens) != 2 {
		t.Fatalf("%v; %d clients", err, o.Clients)
	}
	if len(bodies) != 2 || bodies[1]["name"] != "bob" || bodies[1]["password"] != "swordfish" {
		t.Errorf("asked for %v", bodies)
	}
	for name, want := range map[string]string{"mallory": "wrong name or password", "elsewhere": "307"} {
		bodies = nil
		err := new(access).collect(t.Context(), &Options{Token: service.URL, Login: name})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "swordfish") || len(bodies) != 1 {
			t.Errorf("%s: %v after %d requests, want %q after one", name, err, len(bodies), want)
		}
	}
	for _, url := range []string{"http://example.com/token", "http://192.0.2.1/", "ftp://127.0.0.1/", "http://%zz"} {
		if _, err := tokens.LogIn(t.Context(), url, "alice"); err == nil {
			t.Errorf("%s: a password goes there", url)
		}
	}
	t.Setenv(tokens.PasswordVariable, "")
	if _, err := tokens.LogIn(t.Context(), service.URL, "alice"); err == nil || !strings.Contains(err.Error(), tokens.PasswordVariable) {
		t.Errorf("without a password: %v", err)
	}
}

// With a key, each bot gets its own token. Without one there are no tokens.
func TestBotsIssueTheirOwnTokens(t *testing.T) {
	server := netip.MustParseAddrPort("127.0.0.1:7777")
	var none Options
	if token, err := none.access.token(0, &none, server, time.Now()); token != nil || err != nil {
		t.Errorf("without a key: %v, %v", token, err)
	}
	o := Options{Key: strings.Repeat("ab", netcode.KeySize), Public: "192.0.2.1:7777, [2001:db8::1]:7777"}
	if err := o.access.open(&o); err != nil {
		t.Fatal(err)
	}
	first, err := o.access.token(0, &o, server, time.Now())
	second, err2 := o.access.token(1, &o, server, time.Now())
	if err != nil || err2 != nil || first.Servers[0] != server || first.ClientToServer == second.ClientToServer {
		t.Errorf("%v, %v, %v", err, err2, first)
	}
	for _, bad := range []Options{{Key: "ab"}, {Public: "nowhere"}} {
		if err := bad.access.open(&bad); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}
