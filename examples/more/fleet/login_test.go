package main

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/tactusgo/tactus/systems/rooms"
)

var quiet = slog.New(slog.DiscardHandler)

// A login is valid if the issuer has signed it for this game recently. Until the issuer's keys are known, no login is refused
// as wrong.
func TestLogin(t *testing.T) {
	var i *issuer
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { i.ServeHTTP(w, r) }))
	defer site.Close()
	i, err := newIssuer(site.URL)
	if err != nil {
		t.Fatal(err)
	}
	l, err := newLogin(site.URL, game, site.URL+"/keys", quiet)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	l.now = func() time.Time { return now }
	token := func(by *issuer, name, audience string, expires time.Time) string {
		t.Helper()
		text, err := by.token(name, audience, expires)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	login := func(header string) (rooms.Player, error) {
		r := httptest.NewRequest(http.MethodPost, "/rooms/join", nil)
		r.Header.Set("Authorization", header)
		return l.authenticate(r)
	}
	soon := now.Add(time.Hour)
	ada := "Bearer " + token(i, "ada", game, soon)
	if _, err := login(ada); !errors.Is(err, rooms.ErrUnavailable) {
		t.Errorf("before the keys are known: %v", err)
	}
	if err := l.fetch(t.Context()); err != nil {
		t.Fatal(err)
	}
	one, err := login(ada)
	if err != nil || one.ID == 0 {
		t.Fatalf("%+v, %v", one, err)
	}
	if again, err := login("bearer " + token(i, "ada", game, soon)); err != nil || again.ID != one.ID {
		t.Errorf("another login of ada: %+v, %v", again, err)
	}
	if other, err := login("Bearer " + token(i, "bob", game, soon)); err != nil || other.ID == one.ID {
		t.Errorf("bob: %+v, %v", other, err)
	}
	signed := func(key jose.SigningKey, options *jose.SignerOptions) string {
		t.Helper()
		signer, err := jose.NewSigner(key, options)
		if err != nil {
			t.Fatal(err)
		}
		return token(&issuer{url: site.URL, signer: signer}, "ada", game, soon)
	}
	elsewhere, err := newIssuer("https://login.example")
	if err != nil {
		t.Fatal(err)
	}
	forged, err := newIssuer(site.URL) // the same key id, another key
	if err != nil {
		t.Fatal(err)
	}
	endless, err := jwt.Signed(i.signer).Claims(jwt.Claims{Issuer: site.URL, Subject: "ada", Audience: jwt.Audience{game}}).Serialize()
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(strings.TrimPrefix(ada, "Bearer "), ".")
	for name, x := range map[string]struct {
		header string
		want   error
	}{
		"none":                  {"", errNoLogin},
		"of another kind":       {"Basic YWRhOmFkYQ==", errNoLogin},
		"no token":              {"Bearer ada", errBad},
		"too long":              {"Bearer " + strings.Repeat("a", maxToken+1), errBad},
		"expired":               {"Bearer " + token(i, "ada", game, now.Add(-clocksDiffer-time.Second)), errExpired},
		"without an end":        {"Bearer " + endless, errBad},
		"without a name":        {"Bearer " + token(i, "", game, soon), errBad},
		"for another game":      {"Bearer " + token(i, "ada", "squares", soon), errAudience},
		"of another issuer":     {"Bearer " + token(&issuer{url: elsewhere.url, signer: i.signer}, "ada", game, soon), errIssuer},
		"forged":                {"Bearer " + token(forged, "ada", game, soon), errBad},
		"without a signature":   {"Bearer eyJhbGciOiJub25lIn0." + parts[1] + ".", errBad},
		"of a secret in common": {"Bearer " + signed(jose.SigningKey{Algorithm: jose.HS256, Key: []byte(strings.Repeat("k", 32))}, (&jose.SignerOptions{}).WithHeader("kid", "1")), errBad},
		"without a key id":      {"Bearer " + strings.Join([]string{"eyJhbGciOiJFZERTQSJ9", parts[1], parts[2]}, "."), errKey},
	} {
		if who, err := login(x.header); !errors.Is(err, x.want) || who.ID != 0 {
			t.Errorf("%s: %+v, %v", name, who, err)
		}
	}
	// The issuer's key is replaced: a login with a key that is not known has the keys fetched.
	i = forged
	i.keys.Keys[0].KeyID = "2"
	if err := l.fetch(t.Context()); err != nil {
		t.Fatal(err)
	}
	select {
	case <-l.wanted: // of a login before
	default:
	}
	if _, err := login(ada); !errors.Is(err, errKey) || len(l.wanted) != 1 {
		t.Errorf("with a key that has gone: %v, the keys are asked for: %d", err, len(l.wanted))
	}
}
