//go:build !js

package main

import (
	"bufio"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"
	"github.com/tactusgo/tactus/systems/rooms/serve"

	"github.com/tactusgo/tactus/examples/starter/game"
)

// server is the command while it runs, with what it logs.
type server struct {
	log   chan map[string]any
	drain chan os.Signal
	done  chan error
}

func start(ctx context.Context, args ...string) *server {
	s := &server{log: make(chan map[string]any, 1000), drain: make(chan os.Signal, 1), done: make(chan error, 1)}
	r, w := io.Pipe()
	go func() {
		s.done <- run(ctx, s.drain, append([]string{"-listen", "127.0.0.1:0", "-websocket", "127.0.0.1:0", "-page", "127.0.0.1:0"}, args...), w)
		_ = w.Close()
	}()
	go func() {
		defer close(s.log)
		for lines := bufio.NewScanner(r); lines.Scan(); {
			var line map[string]any
			if json.Unmarshal(lines.Bytes(), &line) == nil {
				s.log <- line
			}
		}
	}()
	return s
}

// failure is a refusal of a seat.
type failure struct{ code string }

func (f failure) Error() string { return f.code }

// seat requests a seat: a connect token and the code of the room, or a failure. login is the token of the login service, or the number
// of a guest.
func seat(t *testing.T, page, room, login string) (*netcode.ConnectToken, string, error) {
	t.Helper()
	path, body := "rooms/join", `{"kind":"game"}`
	if room != "" {
		path, body = "rooms/"+room+"/join", "{}"
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, page+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if strings.Contains(login, ".") {
		r.Header.Set("Authorization", "Bearer "+login)
	} else {
		r.Header.Set("Player", login)
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer got.Body.Close()
	var a struct {
		Token []byte
		Code  string
	}
	if err := json.NewDecoder(got.Body).Decode(&a); err != nil {
		t.Fatal(err)
	}
	if got.StatusCode != http.StatusOK {
		return nil, "", failure{a.Code}
	}
	token, err := netcode.ParseToken(a.Token)
	if err != nil {
		t.Fatal(err)
	}
	return token, a.Code, nil
}

// dial plays on a seat.
func dial(t *testing.T, token *netcode.ConnectToken) *systems.Client {
	t.Helper()
	c := systems.ClientConfig{Session: systems.ClientSession{Token: token}}
	game.Listen(&c, func(string) {})
	client, err := systems.Dial(t.Context(), "", game.Protocol(), c)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// signed returns a token of a login service that has a key.
func signed(key []byte, claims string) string {
	text := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + base64.RawURLEncoding.EncodeToString([]byte(claims))
	m := hmac.New(sha256.New, key)
	m.Write([]byte(text))
	return text + "." + base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

// until is the next line of the log with a message.
func (s *server) until(t *testing.T, message string) map[string]any {
	t.Helper()
	for line := range s.log {
		if line["msg"] == message {
			return line
		}
	}
	t.Fatalf("the server has ended, and never said %q: %v", message, <-s.done)
	return nil
}

// A server with a key gives seats to players with a token of the login service, under the name in it. Once it drains, it refuses
// new players. Players continue, and the server ends when the last one has left.
func TestDrain(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	key := sha256.Sum256([]byte("key"))
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte(hex.EncodeToString(key[:])+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(ctx, "-key", "@"+file)
	page := s.until(t, "page")["url"].(string)
	claims := func(name string, exp time.Time) string {
		return fmt.Sprintf(`{"sub":"account of %s","name":%q,"exp":%d}`, name, name, exp.Unix())
	}
	good := signed(key[:], claims("Ann", time.Now().Add(time.Hour)))
	for what, login := range map[string]string{
		"no token":                   "17",
		"a token under another key":  signed(make([]byte, 32), claims("Ann", time.Now().Add(time.Hour))),
		"an old token":               signed(key[:], claims("Ann", time.Now().Add(-time.Second))),
		"a token that never expires": signed(key[:], `{"sub":"Ann"}`),
		"a token without a player":   signed(key[:], `{"exp":1e12}`),
		"a token with other claims":  strings.Replace(good, ".", ".e30", 1),
		"a token that is cut":        good[:len(good)-2],
		"no signature":               "a.b",
	} {
		if _, _, err := seat(t, page, "", login); !errors.Is(err, failure{"unauthenticated"}) {
			t.Errorf("%s gets %v", what, err)
		}
	}
	token, _, err := seat(t, page, "", good)
	if err != nil {
		t.Fatal(err)
	}
	ann := dial(t, token)
	playing, leave := context.WithCancel(ctx)
	defer leave()
	seen, left := make(chan string, 1), make(chan error, 1)
	go func() {
		left <- ann.Run(playing, func(c *systems.Client) {
			for d := range game.Look(c) {
				if d.Own && len(seen) == 0 {
					seen <- d.Name
				}
			}
		})
	}()
	if name := <-seen; name != "Ann 0" {
		t.Errorf("the player of the token sees itself as %q", name)
	}

	s.drain <- syscall.SIGTERM
	s.until(t, "draining: no new players; a second signal ends at once")
	if _, _, err := seat(t, page, "", signed(key[:], claims("Bob", time.Now().Add(time.Hour)))); !errors.Is(err, failure{"draining"}) {
		t.Errorf("a new player gets %v", err)
	}
	select {
	case err := <-left:
		t.Errorf("a player was thrown out: %v", err)
	case err := <-s.done:
		t.Errorf("the server has ended while somebody plays: %v", err)
	default:
	}
	leave()
	if err := errors.Join(<-left, <-s.done); err != nil {
		t.Error(err)
	}
}

// A drain has an end: the sessions of the players who are left are closed, and the error says so.
func TestDrainIsBounded(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	s := start(ctx, "-drain", "1ms")
	token, _, err := seat(t, s.until(t, "page")["url"].(string), "", "1")
	if err != nil {
		t.Fatal(err)
	}
	c := dial(t, token)
	s.drain <- syscall.SIGTERM
	if err := c.Run(ctx, nil); !errors.Is(err, netsys.ErrClosed) {
		t.Errorf("the client ends with %v", err)
	}
	if err := <-s.done; !errors.Is(err, serve.ErrCut) {
		t.Error(err)
	}
}

// Guests play in the open room until it is full. The code of a room leads into it.
func TestRooms(t *testing.T) {
	ctx, end := context.WithTimeout(t.Context(), time.Minute)
	defer end()
	s := start(ctx, "-guests")
	page := s.until(t, "page")["url"].(string)
	first := ""
	for n := range game.Capacity + 1 {
		_, code, err := seat(t, page, "", fmt.Sprint(n+1))
		if n == 0 {
			first = code
		}
		if err != nil || (code == first) != (n < game.Capacity) {
			t.Errorf("player %d: room %q, the first one is %q, %v", n+1, code, first, err)
		}
	}
	if _, _, err := seat(t, page, first, "100"); !errors.Is(err, failure{"full"}) {
		t.Errorf("a full room answers %v", err)
	}
	if _, code, err := seat(t, page, first, "1"); err != nil || code != first {
		t.Errorf("a player who returns to room %s gets %q, %v", first, code, err)
	}
	if _, _, err := seat(t, page, "nowhere", "100"); !errors.Is(err, failure{"no_room"}) {
		t.Errorf("a code without a room answers %v", err)
	}
	if _, _, err := seat(t, page, "", "0"); !errors.Is(err, failure{"unauthenticated"}) {
		t.Errorf("a guest without a number gets %v", err)
	}
	end()
	if err := <-s.done; err != nil {
		t.Error(err)
	}
}

// Flags that are wrong are errors, each with its name.
func TestFlags(t *testing.T) {
	for want, args := range map[string]string{
		"-key: open":             "-key @/none/at/all",
		"64 hexadecimal":         "-key @main.go",
		"-public":                "-public nowhere",
		"only flags are allowed": "now",
		"set one of them":        "-guests -key @main.go",
		"set -key, or -guests":   "-listen 127.0.0.1:0 -websocket 127.0.0.1:0 -page 127.0.0.1:0 -public 192.0.2.1:7777",
		"set -public":            "-listen 0.0.0.0:0 -websocket 127.0.0.1:0 -page 127.0.0.1:0 -guests",
		"a path is allowed":      "-domain play.example/stars",
		"allowed with -domain":   "-proxy 127.0.0.1",
		"-embed":                 "-embed portal.example",
		"-saves":                 "-listen 127.0.0.1:0 -websocket 127.0.0.1:0 -page 127.0.0.1:0 -saves main.go",
		"-page":                  "-listen 127.0.0.1:0 -websocket 127.0.0.1:0 -page nowhere",
		"-inspect":               "-listen 127.0.0.1:0 -websocket 127.0.0.1:0 -page 127.0.0.1:0 -inspect nowhere",
	} {
		if err := run(t.Context(), nil, strings.Fields(args), io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// The page is told where the game is, and where nobody has built it, it says how.
func TestPage(t *testing.T) {
	ctx, end := context.WithTimeout(t.Context(), time.Minute)
	defer end()
	files := t.TempDir()
	s := start(ctx, "-files", files, "-inspect", "127.0.0.1:0", "-embed", "https://portal.example")
	socket := s.until(t, "serving")["websocket"].(string)
	url := s.until(t, "page")["url"].(string)
	get := func(path string) string {
		t.Helper()
		r, err := http.Get(url + path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r.Body)
		if err = errors.Join(err, r.Body.Close()); err != nil {
			t.Fatal(err)
		}
		if policy := r.Header.Get("Content-Security-Policy"); !strings.HasSuffix(policy, "frame-ancestors https://portal.example") {
			t.Errorf("the policy of %q is %s", path, policy)
		}
		return string(text)
	}
	if text := get(""); !strings.Contains(text, build) {
		t.Errorf("nobody is told how to build the page: %s", text)
	}
	if err := os.WriteFile(filepath.Join(files, "index.html"), []byte("<canvas>"), 0o644); err != nil {
		t.Fatal(err)
	}
	if text := get(""); text != "<canvas>" {
		t.Errorf("the page is %s", text)
	}
	if text := get("connect.json"); !strings.Contains(text, `"websocket":"ws://`+socket+`"`) {
		t.Errorf("the game is at %s, and the page is told %s", socket, text)
	}
	office, err := http.Get(s.until(t, "operator")["url"].(string) + "api/rooms")
	if err != nil || office.Body.Close() != nil || office.StatusCode != http.StatusOK {
		t.Errorf("the operator page answers %+v, %v", office, err)
	}
	end()
	if err := <-s.done; err != nil {
		t.Error(err)
	}
}
