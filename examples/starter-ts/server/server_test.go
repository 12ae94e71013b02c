package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/netsys"
	"github.com/tactusgo/tactus/systems"

	"github.com/tactusgo/tactus/examples/starter-ts/game"
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

// Told to end, the server refuses newcomers, says why, lets who plays go on, and ends when that one has gone.
func TestDrain(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	told, drain := context.WithCancel(ctx)
	defer drain()
	s := start(ctx, told, "-page", "")
	addr := s.until(t, "serving")["udp"].(string)
	dial := func() (*systems.Client, error) {
		return systems.Dial(ctx, addr, game.Protocol(), systems.ClientConfig{})
	}
	ann, err := dial()
	if err != nil {
		t.Fatal(err)
	}
	playing, leave := context.WithCancel(ctx)
	defer leave()
	seen, left := make(chan bool, 1), make(chan error, 1)
	go func() {
		left <- ann.Run(playing, func(c *systems.Client) {
			if _, ok := c.Own(c.View()); ok && len(seen) == 0 {
				seen <- true
			}
		})
	}()
	<-seen

	drain()
	s.until(t, "draining")
	if _, err := dial(); !errors.Is(err, netsys.ErrLogin) || !strings.Contains(err.Error(), errDraining.Error()) {
		t.Errorf("a newcomer is told %v", err)
	}
	select {
	case err := <-left:
		t.Fatalf("who plays was thrown out: %v", err)
	case err := <-s.done:
		t.Fatalf("the server has ended while somebody plays: %v", err)
	default:
	}
	leave()
	if err := errors.Join(<-left, <-s.done); err != nil {
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
