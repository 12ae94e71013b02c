package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys/webtransport"
)

// output is the output of a running command.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// running is a command that runs until the end of the test.
type running struct {
	*output
	page, webtransport, socket string
}

// start runs the command at free ports.
func start(t *testing.T, args ...string) running {
	t.Helper()
	r := running{output: new(output)}
	var wg sync.WaitGroup
	t.Cleanup(wg.Wait)
	ctx := t.Context() // it ends before what is to be cleaned up is
	wg.Go(func() {
		free := []string{"-http", "127.0.0.1:0", "-udp", "127.0.0.1:0", "-socket", "127.0.0.1:0", "-webtransport", "127.0.0.1:0", "-npcs", "20", "-dist", t.TempDir()}
		if code := run(ctx, append(free, args...), r, r); code != 0 {
			t.Errorf("exit code %d: %v", code, r)
		}
	})
	at := regexp.MustCompile(`browser: +(\S+)\nWebTransport at (\S+), WebSocket at (\S+), UDP at \S+\n`)
	until(t, "it says where it is", func() bool {
		found := at.FindStringSubmatch(r.String())
		if found != nil {
			r.page, r.webtransport, r.socket = found[1], found[2], found[3]
		}
		return found != nil
	})
	return r
}

// until waits until a condition holds.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("never happened: %s", what)
}

// get fetches a page, with any certificate.
func get(t *testing.T, url string) (status int, body string) {
	t.Helper()
	c := http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
	r, err := c.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(b)
}

// connectJSON is the configuration that pages get.
type connectJSON struct {
	WebSocket    string   `json:"websocket"`
	WebTransport string   `json:"webtransport"`
	Hashes       [][]byte `json:"hashes"`
	Insecure     bool     `json:"insecure"`
}

// dials connects to a WebTransport URL with the hashes that a page gets.
func dials(t *testing.T, url string, hashes [][]byte) error {
	t.Helper()
	var c webtransport.DialConfig
	for _, h := range hashes {
		c.Hashes = append(c.Hashes, [32]byte(h))
	}
	w, err := c.Dial(t.Context(), url)
	if err == nil {
		err = w.Close()
	}
	return err
}

// Without a certificate the server creates one, and gives pages its hash.
func TestDevelopment(t *testing.T) {
	r := start(t)
	_, body := get(t, r.page+"connect.json")
	var c connectJSON
	if err := json.Unmarshal([]byte(body), &c); err != nil {
		t.Fatal(err)
	}
	if c.WebSocket != "ws://"+r.socket || c.WebTransport != "https://"+r.webtransport+"/" || len(c.Hashes) != 1 {
		t.Errorf("pages are told %s", body)
	}
	if err := dials(t, c.WebTransport, c.Hashes); err != nil {
		t.Error(err)
	}
}

// upgrade asks for a WebSocket over TLS, and returns the status.
func upgrade(t *testing.T, at, host, origin string) int {
	t.Helper()
	conn, err := tls.Dial("tcp", at, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n", host, origin)
	r, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Body.Close()
	return r.StatusCode
}

// With a configured certificate, the page is served over HTTPS and WebSockets over TLS, with the same rules. Pages get no
// hash.
func TestCertificate(t *testing.T) {
	c, err := webtransport.DevelopmentCertificate(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	key, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	cert, private := filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	for name, b := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: c.Certificate[0]}, private: {Type: "PRIVATE KEY", Bytes: key}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(b), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := start(t, "-cert", cert, "-key", private, "-names", "game.example")
	page := strings.TrimSuffix(strings.TrimPrefix(r.page, "https://"), "/")
	_, body := get(t, r.page+"connect.json")
	var told connectJSON
	if err := json.Unmarshal([]byte(body), &told); err != nil || told.WebSocket != "wss://"+page || told.WebTransport != "https://"+r.webtransport+"/" || told.Hashes != nil {
		t.Errorf("%v: pages are told %s", err, body)
	}
	for _, x := range []struct {
		host, origin string
		want         int
	}{
		{page, "https://" + page, http.StatusSwitchingProtocols},
		{"game.example", "https://game.example", http.StatusSwitchingProtocols},
		{"game.example", "https://evil.example", http.StatusForbidden},
		{"evil.example", "https://evil.example", http.StatusForbidden},
	} {
		if got := upgrade(t, page, x.host, x.origin); got != x.want {
			t.Errorf("a page of %s asks for %s: %d, want %d", x.origin, x.host, got, x.want)
		}
	}
}

// Invalid flags are refused with advice, and -h explains all flags.
func TestFlags(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	free := []string{"-http", "127.0.0.1:0", "-udp", "127.0.0.1:0", "-socket", "127.0.0.1:0", "-webtransport", "127.0.0.1:0"}
	for _, x := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"-h"}, 0, "ten days"},
		{[]string{"-cert", "x"}, 2, "go together"},
		{[]string{"-cert", "x", "-key", "x"}, 2, "-cert needs -names"},
		{[]string{"-npcs", "-1"}, 2, "negative"},
		{[]string{"more"}, 2, "only flags"},
		{[]string{"-nothing"}, 2, "not defined"},
		{[]string{"-cert", "none", "-key", "none", "-names", "game.example"}, 1, "none"},
		{[]string{"-http", taken.Addr().String()}, 1, "-http takes another"},
		{[]string{"-socket", taken.Addr().String()}, 1, "take other addresses"},
		{[]string{"-names", "a b"}, 1, "host name"},
		{[]string{"-webtransport", "0.0.0.0:0"}, 1, "-insecure-anyone-can-join"},
	} {
		var out bytes.Buffer
		if code := run(t.Context(), slices.Concat(free, x.args), &out, &out); code != x.code || !strings.Contains(out.String(), x.want) {
			t.Errorf("%q: exit code %d, %q; want %d and %q", x.args, code, &out, x.code, x.want)
		}
	}
}
