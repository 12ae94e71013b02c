//go:build !js

package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/devtools/runner"
	"github.com/tactusgo/tactus/systems/devtools/runner/web"
)

// The page joins a team, which its title names.
func TestPage(t *testing.T) {
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("there is no Chromium: apt-get install chromium")
	}
	if testing.Short() {
		t.Skip("it builds a client for browsers: without -short it runs")
	}
	if err := web.New(web.Config{Package: "examples/fog", Page: page}).Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan int)
	go func() {
		code := runner.Main(ctx, world(), []string{"-http", "127.0.0.1:0"}, in, io.Discard)
		_ = in.Close()
		ended <- code
	}()
	defer func() {
		stop()
		if code := <-ended; code != 0 {
			t.Errorf("exit code %d", code)
		}
	}()
	profile, err := os.MkdirTemp("", "fog")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(profile) // not t.TempDir: a child of the browser may still write
	browser := exec.CommandContext(ctx, chromium, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+profile,
		"--remote-debugging-port=0", find(t, out, `(http://127\.0\.0\.1:\d+)`))
	said, err := browser.StderrPipe()
	if err == nil {
		err = browser.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() { stop(); _ = browser.Wait() }()
	pages := "http://" + find(t, said, `ws://(127\.0\.0\.1:\d+)`) + "/json"
	var titles []byte
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if r, err := http.Get(pages); err == nil {
			titles, _ = io.ReadAll(r.Body)
			_ = r.Body.Close()
		}
		if regexp.MustCompile(`"Fog: (blue|red)"`).Match(titles) {
			return
		}
	}
	t.Errorf("the page has not joined: %s", titles)
}

// find returns the part of a program's output that matches a pattern, and reads the rest in the background.
func find(t *testing.T, out io.Reader, pattern string) string {
	t.Helper()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if m := regexp.MustCompile(pattern).FindStringSubmatch(lines.Text()); m != nil {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return m[1]
		}
	}
	t.Fatalf("the output does not contain %s", pattern)
	return ""
}
