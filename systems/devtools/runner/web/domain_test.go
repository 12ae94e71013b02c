package web

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/crypto/acme"
)

// netFunc answers the requests of a client.
type netFunc func(r *http.Request) (*http.Response, error)

func (f netFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// newDomain returns a domain with the names play.example and www.play.example whose certificates an order function issues.
func newDomain(t *testing.T, network netFunc, order func(name string) error) *Domain {
	t.Helper()
	d, err := NewDomain(DomainConfig{Names: []string{"Play.example", "www.play.example"}, Folder: t.TempDir(), Client: &http.Client{Transport: network}})
	if err != nil {
		t.Fatal(err)
	}
	d.fetch = order
	return d
}

// here answers a check with what a server's plain handler answers.
func here(d **Domain) netFunc {
	return func(r *http.Request) (*http.Response, error) {
		w := httptest.NewRecorder()
		(*d).plain(http.NotFoundHandler()).ServeHTTP(w, r)
		return w.Result(), nil
	}
}

// While a name has no address, nothing is ordered, and the pauses between the checks double up to an hour. As soon as the name leads
// here, one order follows.
func TestGrowingPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var checks []time.Duration
		began, orders := time.Now(), 0
		var d *Domain
		d = newDomain(t, func(r *http.Request) (*http.Response, error) {
			if checks = append(checks, time.Since(began)); len(checks) < 9 {
				return nil, &net.DNSError{Err: "no such host", Name: r.URL.Host, IsNotFound: true}
			}
			return here(&d)(r)
		}, func(string) error { orders++; return nil })
		d.obtain(t.Context(), "play.example")
		want := []time.Duration{0}
		for _, pause := range []string{"1m30s", "3m", "6m", "12m", "24m", "48m", "1h", "1h"} {
			p, _ := time.ParseDuration(pause)
			want = append(want, want[len(want)-1]+p)
		}
		if fmt.Sprint(checks) != fmt.Sprint(want) || orders != 1 || !d.Ready("PLAY.example") {
			t.Errorf("checks at %v, want %v; %d orders, ready %v", checks, want, orders, d.Ready("play.example"))
		}
	})
}

// Orders that fail are at least half an hour apart, also if the process starts again and again. A process that starts after the
// failure waits for what is left of that time.
func TestFewOrders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var orders []time.Duration
		began := time.Now()
		var d *Domain
		d = newDomain(t, here(&d), nil)
		d.fetch = func(string) error {
			orders = append(orders, time.Since(began))
			return errors.New("denied")
		}
		for range 8 {
			ctx, kill := context.WithTimeout(t.Context(), 22*time.Minute)
			d.obtain(ctx, "play.example")
			kill()
		}
		for i := 1; i < len(orders); i++ {
			if orders[i]-orders[i-1] < orderInterval {
				t.Errorf("orders at %v", orders)
			}
		}
		if len(orders) < 4 {
			t.Errorf("%d orders in three hours", len(orders))
		}
		n := len(orders)
		time.Sleep(time.Hour)
		d.fetch = func(string) error { orders = append(orders, 0); return nil }
		if d.obtain(t.Context(), "play.example"); len(orders) != n+1 || !d.ordered(t.Context(), "play.example").IsZero() {
			t.Errorf("%d orders after the failure was repaired", len(orders)-n)
		}
	})
}

// A name that leads to another server gets an order only when the pause has reached an hour: a router may not let the machine reach
// itself.
func TestUnreached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, log := time.Now(), new(bytes.Buffer)
		d := newDomain(t, func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 404, Body: io.NopCloser(strings.NewReader("not here"))}, nil
		}, func(string) error { return nil })
		d.config.Logger = slog.New(slog.NewTextHandler(log, nil))
		d.obtain(t.Context(), "play.example")
		if after := time.Since(began); after < longestPause || after > 2*longestPause {
			t.Errorf("the order comes after %v", after)
		}
		if !strings.Contains(log.String(), "http://play.example does not lead to this server: point the name to this machine") || strings.Contains(log.String(), d.proof) {
			t.Errorf("the log: %s", log)
		}
	})
}

// Before the certificate, plain HTTP serves the page; afterwards it redirects, except on the machine itself. The check is always
// answered.
func TestRedirect(t *testing.T) {
	d := newDomain(t, nil, nil)
	h := d.plain(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "page") }))
	for _, c := range []struct{ host, path, before, after string }{
		{"play.example", "/a?b=c", "page", "https://play.example/a?b=c"},
		{"PLAY.example:80", "/", "page", "https://play.example/"},
		{"203.0.113.7", "/", "page", "https://play.example/"},
		{"evil.example", "/", "page", "https://play.example/"},
		{"www.play.example", "/", "page", "page"}, // it has no certificate yet
		{"127.0.0.1:80", "/", "page", "page"},
		{"play.example", checkPath + d.token, d.proof, d.proof},
		{"play.example", "/.well-known/acme-challenge/x", "acme/autocert: certificate cache miss\n", "acme/autocert: certificate cache miss\n"},
	} {
		for _, ready := range []bool{false, true} {
			d.ready["play.example"] = ready
			r := httptest.NewRequest("GET", c.path, nil)
			r.Host = c.host
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			got, want := w.Header().Get("Location"), map[bool]string{false: c.before, true: c.after}[ready]
			if got == "" {
				got = w.Body.String()
			}
			if got != want {
				t.Errorf("%s%s, ready %v: %q, want %q", c.host, c.path, ready, got, want)
			}
		}
	}
}

// Handshakes order nothing: those for other names, for names without a certificate, and challenges that nobody has set.
func TestHandshakes(t *testing.T) {
	d := newDomain(t, func(r *http.Request) (*http.Response, error) {
		t.Errorf("a request for %s", r.URL)
		return nil, errors.New("no network")
	}, nil)
	for _, name := range []string{"", "evil.example", "203.0.113.7", "play.example", "www.play.example."} {
		for _, protocols := range [][]string{nil, {"http/1.1"}, {acme.ALPNProto}} {
			if c, err := d.TLS().GetCertificate(&tls.ClientHelloInfo{ServerName: name, SupportedProtos: protocols}); err == nil {
				t.Errorf("%q, %q: %v", name, protocols, c)
			}
		}
	}
	if err := d.manager.HostPolicy(t.Context(), "evil.example"); !errors.Is(err, ErrDomain) {
		t.Error(err)
	}
	if err := d.manager.HostPolicy(t.Context(), "play.example:80"); err != nil {
		t.Error(err)
	}
}

// NewDomain refuses names without certificates, and authorities without TLS.
func TestWrongDomain(t *testing.T) {
	for _, c := range []DomainConfig{
		{}, {Names: make([]string, 21)}, {Names: []string{"localhost"}}, {Names: []string{"203.0.113.7"}}, {Names: []string{"play.example:443"}},
		{Names: []string{"play..example"}}, {Names: []string{"*.example"}}, {Names: []string{"spiel.müller.example"}},
		{Names: []string{"play.example"}, Directory: "http://ca.example/dir"}, {Names: []string{"play.example"}, Directory: "ca.example"},
	} {
		if _, err := NewDomain(c); !errors.Is(err, ErrDomain) {
			t.Errorf("%q, %q: %v", c.Names, c.Directory, err)
		}
	}
}
