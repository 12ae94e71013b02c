//go:build !js

package main

import (
	"bufio"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/netsys/netcode"
	"github.com/tactusgo/tactus/systems"

	"github.com/tactusgo/tactus/examples/starter/game"
)

// server is the command while it runs, with what it logs.
type server struct {
	log  chan map[string]any
	done chan error
}

func start(ctx, drain context.Context, args ...string) *server {
	s := &server{log: make(chan map[string]any, 1000), done: make(chan error, 1)}
	r, w := io.Pipe()
	go func() {
		s.done <- run(ctx, drain, append(args, "-listen", "127.0.0.1:0", "-websocket", "127.0.0.1:0"), w)
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

// client is the configuration of a client, with a token or nil.
func client(token *netcode.ConnectToken) systems.ClientConfig {
	c := systems.ClientConfig{Session: systems.ClientSession{Token: token}}
	game.Listen(&c, func(string) {})
	return c
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

// A server with a key lets in who has a token, under the name in it. Told to end, it refuses newcomers, says why, lets
// who plays go on, and ends when that one has gone.
func TestDrain(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	told, drain := context.WithCancel(ctx)
	defer drain()
	key := netcode.GenerateKey(nil)
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte(hex.EncodeToString(key[:])+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(ctx, told, "-key", "@"+file, "-page", "")
	addr := netip.MustParseAddrPort(s.until(t, "serving")["udp"].(string))

	dial := func(id uint64, name string) (*systems.Client, error) {
		token, err := netcode.TokenConfig{Key: key, ClientID: id, Servers: []netip.AddrPort{addr}, UserData: []byte(name)}.Issue(time.Now())
		if err != nil {
			t.Fatal(err)
		}
		return systems.Dial(ctx, "", game.Protocol(), client(token))
	}
	ann, err := dial(1, "Ann")
	if err != nil {
		t.Fatal(err)
	}
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

	drain()
	s.until(t, "draining")
	if _, err := dial(2, "Bob"); !errors.Is(err, netsys.ErrLogin) || !strings.Contains(err.Error(), errDraining.Error()) {
		t.Errorf("a newcomer is told %v", err)
	}
	select {
	case err := <-left:
		t.Errorf("who plays was thrown out: %v", err)
	case err := <-s.done:
		t.Errorf("the server has ended while somebody plays: %v", err)
	default:
	}
	leave()
	if err := errors.Join(<-left, <-s.done); err != nil {
		t.Error(err)
	}
}

// Draining has an end: who plays on until then is told goodbye.
func TestDrainIsBounded(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	told, drain := context.WithCancel(ctx)
	defer drain()
	s := start(ctx, told, "-page", "", "-drain", "1ms")
	c, err := systems.Dial(ctx, s.until(t, "serving")["udp"].(string), game.Protocol(), client(nil))
	if err != nil {
		t.Fatal(err)
	}
	drain()
	if err := c.Run(ctx, nil); !errors.Is(err, netsys.ErrClosed) {
		t.Errorf("the client ends with %v", err)
	}
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
	} {
		if err := run(t.Context(), t.Context(), strings.Fields(args), io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", args, err)
		}
	}
}

// The page is told where the game is, and where nobody has built it, it says how.
func TestPage(t *testing.T) {
	ctx, end := context.WithTimeout(t.Context(), time.Minute)
	defer end()
	files := t.TempDir()
	s := start(ctx, t.Context(), "-page", "127.0.0.1:0", "-files", files)
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
	end()
	if err := <-s.done; err != nil {
		t.Error(err)
	}
}
