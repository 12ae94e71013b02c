package pagetest

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tactusgo/tactus/systems/devtools/runner"
	"github.com/tactusgo/tactus/systems/devtools/runner/web"
)

// patience is how long the page may take to get its title.
const patience = 2 * time.Minute

// Open plays a world, opens its page in Chromium and waits until the page's title matches a pattern. c is the configuration of
// the page. Open fails the test if the title never matches or if the page writes to the browser's console, and skips it without
// Chromium and with -short.
func Open(t *testing.T, world runner.Game, c web.Config, title string) {
	t.Helper()
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("there is no Chromium: apt-get install chromium")
	}
	if testing.Short() {
		t.Skip("it builds a client for browsers: without -short it runs")
	}
	if err := web.New(c).Prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer stop()
	out, in := io.Pipe()
	running.Go(func() {
		if code := runner.Main(ctx, world, []string{"-http", "127.0.0.1:0"}, in, io.Discard); code != 0 {
			t.Errorf("exit code %d", code)
		}
		_ = in.Close()
	})
	profile, err := os.MkdirTemp("", "page")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(profile) // not t.TempDir: a child of the browser may still write
	address := find(out, `http://127\.0\.0\.1:\d+`, func(string) {})
	browser := exec.CommandContext(ctx, chromium, "--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
		"--enable-logging=stderr", "--user-data-dir="+profile, "--remote-debugging-port=0", receive(t, address))
	stderr, err := browser.StderrPipe()
	if err == nil {
		err = browser.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	debugger := find(stderr, `ws://127\.0\.0\.1:\d+`, func(line string) {
		if strings.Contains(line, ":CONSOLE") {
			t.Error(line)
		}
	})
	defer func() {
		stop()
		for range debugger { // until the browser has ended
		}
		_ = browser.Wait()
	}()
	pages := strings.Replace(receive(t, debugger), "ws:", "http:", 1) + "/json"
	wanted := regexp.MustCompile(`"title": "` + title + `"`)
	var list []byte
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if r, err := http.Get(pages); err == nil {
			list, _ = io.ReadAll(r.Body)
			_ = r.Body.Close()
		}
		if wanted.Match(list) {
			return
		}
	}
	t.Errorf("no page has the title %s: %s", title, list)
}

// find returns a channel for the first match of a pattern in a program's output. It reads the whole output, passes the other
// lines to rest, and closes the channel at the end.
func find(out io.Reader, pattern string, rest func(line string)) <-chan string {
	found := make(chan string, 1)
	go func() {
		defer close(found)
		wanted, sent := regexp.MustCompile(pattern), false
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if match := wanted.FindString(lines.Text()); match != "" && !sent {
				sent = true
				found <- match
				continue
			}
			rest(lines.Text())
		}
	}()
	return found
}

// receive returns the match of find.
func receive(t *testing.T, found <-chan string) string {
	t.Helper()
	select {
	case match, ok := <-found:
		if ok {
			return match
		}
	case <-time.After(patience):
	}
	t.Fatal("a program did not print its address")
	return ""
}
