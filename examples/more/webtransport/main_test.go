package main

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/devtools/runner"
	"github.com/tactusgo/tactus/systems/devtools/runner/web"
)

// start runs the command with a page, and the client in a folder, until the end of the test. It returns the URL of the page.
func start(t *testing.T, page *web.Dist, client string, args ...string) string {
	t.Helper()
	in, out := io.Pipe()
	var wg sync.WaitGroup
	t.Cleanup(wg.Wait)
	ctx := t.Context() // it ends before what is to be cleaned up is
	wg.Go(func() {
		defer out.Close()
		if code := runner.Main(ctx, world(page), append([]string{"-http", "127.0.0.1:0", "-web", client, "-npcs", "20"}, args...), out, t.Output()); code != 0 {
			t.Errorf("exit code %d", code)
		}
	})
	at := regexp.MustCompile(`in a browser: +(\S+)$`)
	for lines := bufio.NewScanner(in); lines.Scan(); {
		if found := at.FindStringSubmatch(lines.Text()); found != nil {
			go func() { _, _ = io.Copy(io.Discard, in) }()
			return found[1] + "/"
		}
		t.Log(lines.Text())
	}
	t.Fatal("it does not say where the page is")
	return ""
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

// connectJSON is the configuration that pages get.
type connectJSON struct {
	WebSocket    string   `json:"websocket"`
	WebTransport string   `json:"webtransport"`
	Hashes       [][]byte `json:"hashes"`
	Insecure     bool     `json:"insecure"`
}

// told returns the configuration of a page.
func told(t *testing.T, page string) (c connectJSON) {
	t.Helper()
	r, err := http.Get(page + "connect.json")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
		t.Fatal(err)
	}
	return c
}
