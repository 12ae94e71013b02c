package web

import (
	"bytes"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tactusgo/tactus/netsys/eventloop"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems/devtools/runner"
	"github.com/tactusgo/tactus/systems/rooms"
)

// freeAddress returns an address of loopback that nobody has.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// The flags accept the names of a domain with a path behind proxies, and refuse what does not fit together.
func TestPublicFlags(t *testing.T) {
	parse := func(args string) (*Public, error) {
		p, fs := new(Public), flag.NewFlagSet("", flag.ContinueOnError)
		fs.SetOutput(io.Discard)
		p.Flags(fs)
		return p, errors.Join(fs.Parse(strings.Fields(args)), p.validate())
	}
	p, err := parse("-domain Play.Example/arena -proxy 127.0.0.1,10.1.0.0/16 -saves here")
	if err != nil || !slices.Equal(p.Names(), []string{"play.example"}) || fmt.Sprint(p.Proxies()) != "[127.0.0.1/32 10.1.0.0/16]" || !p.Saves() {
		t.Errorf("%v, %v behind %v", err, p.Names(), p.Proxies())
	}
	for _, args := range []string{
		"-domain https://play.example", "-domain play.example:443", "-domain play.example/arena", "-domain a.example,b.example -proxy 127.0.0.1",
		"-https :443", "-proxy 127.0.0.1", "-domain play.example -proxy localhost", "-domain play.example -https 443",
	} {
		if _, err := parse(args); err == nil {
			t.Errorf("%s is accepted", args)
		}
	}
}

// Before the name leads here, the page, the seats and the WebSockets come by HTTP, under the name and under addresses. Nothing is
// ordered, and HTTPS refuses handshakes.
func TestBeforeTheCertificate(t *testing.T) {
	plain, secure := freeAddress(t), freeAddress(t)
	world := plaza()
	world.Rooms = &runner.Rooms{Seats: 4}
	Beside(&world, eventloop.ListenBoth, Config{
		Dist: &Dist{Files: fstest.MapFS{"index.html": {Data: []byte("lobby")}}},
		Domain: DomainConfig{Client: &http.Client{Transport: netFunc(func(r *http.Request) (*http.Response, error) {
			if r.URL.Host != "play.example" {
				t.Errorf("a request for %s", r.URL)
			}
			return nil, &net.DNSError{Err: "no such host", Name: r.URL.Host, IsNotFound: true}
		})}},
	})
	out := start(t, world, fmt.Sprintf("-rooms -domain play.example -http %s -https %s -certificates %s", plain, secure, t.TempDir()))
	out.Find(t, `no certificate yet: the name has no address: give it (an A or AAAA record)`)
	ask := func(method, path, body string) string {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, "http://"+plain+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = "play.example"
		r.Header.Set("Player", "17")
		r.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		b, err := io.ReadAll(answer.Body)
		if err != nil || answer.StatusCode >= 300 {
			t.Fatalf("%s: %s %v", path, answer.Status, err)
		}
		return string(b)
	}
	if got := ask("GET", "/", ""); got != "lobby" {
		t.Errorf("the page is %q", got)
	}
	if got := ask("GET", "/connect.json", ""); !strings.Contains(got, `"websocket":"ws://play.example/play"`) {
		t.Errorf("connect.json: %s", got)
	}
	var a struct {
		Token     string          `json:"token"`
		Endpoints rooms.Endpoints `json:"endpoints"`
	}
	if err := json.Unmarshal([]byte(ask("POST", "/rooms/create", `{"kind":"plaza"}`)), &a); err != nil || a.Endpoints.WS != "" || a.Endpoints.UDP == "" {
		t.Errorf("the admission has %+v, %v", a.Endpoints, err)
	}
	b, err := base64.StdEncoding.DecodeString(a.Token)
	if err == nil {
		_, err = netcode.ParseToken(b)
	}
	if err != nil {
		t.Error(err)
	}
	if _, _, status := upgrade(t, plain, "play.example", "Origin: http://play.example\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"); status != http.StatusSwitchingProtocols {
		t.Errorf("the game's WebSocket: status %d", status)
	}
	if c, err := tls.Dial("tcp", secure, &tls.Config{ServerName: "play.example", InsecureSkipVerify: true}); err == nil {
		t.Errorf("HTTPS answers with %v", c.ConnectionState().PeerCertificates)
	}
}

// The key of a folder stays, and only its owner reads it. A folder with another file in its place is refused.
func TestSavesFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "saves")
	store, key, err := openSaves(folder)
	if err != nil || key == (netcode.Key{}) || store == nil {
		t.Fatal(err)
	}
	if _, again, err := openSaves(folder); again != key || err != nil {
		t.Errorf("another key, %v", err)
	}
	file := filepath.Join(folder, "key")
	if at, err := os.Stat(file); err != nil || at.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v %v", at.Mode(), err)
	}
	if err := os.WriteFile(file, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := openSaves(folder); !errors.Is(err, netcode.ErrKey) || strings.Contains(err.Error(), "secret") {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "file"), bytes.Repeat([]byte("x"), 8), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := openSaves(filepath.Join(folder, "file")); err == nil {
		t.Error("a file is taken for a folder")
	}
}
