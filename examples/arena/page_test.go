package main

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// defaultPage is the address of the page if it is free.
const defaultPage = "127.0.0.1:7780"

// client returns a folder with files that a server accepts as a built client.
func client(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"play.wasm", "wasm_exec.js"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("client"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// The page is served beside the match, with snapshots and with relayed inputs: bots play, the output names the page, and the
// client can be fetched under an address or a configured name.
func TestPageBesideTheMatch(t *testing.T) {
	for _, preset := range []string{"LocalSync", "Rollback"} {
		t.Run(preset, func(t *testing.T) {
			t.Parallel()
			out := start(t, "-http 127.0.0.1:0 -inspect 127.0.0.1:0 -clients 3 -npcs 10 -names game.example,other.example -model "+preset+" -web "+client(t))
			url := out.Find(t, `browser: +(http://\S+)`)
			for path, want := range map[string]string{
				"": "<title>", "/play.wasm": "client", "/build.json": `"ready"`,
				"/connect.json": `{"websocket":"ws://127.0.0.1:`, "/assets/arena.js": "import",
			} {
				if s := get(t, url+path); !strings.Contains(s, want) {
					t.Errorf("at %q is %q", path, s)
				}
			}
			for host, status := range map[string]int{"": 200, "localhost": 200, "other.example:7780": 200, "evil.example:7780": 403} {
				q, err := http.NewRequest(http.MethodGet, url, nil)
				if err != nil {
					t.Fatal(err)
				}
				q.Host = host
				r, err := http.DefaultClient.Do(q)
				if err != nil {
					t.Fatal(err)
				}
				_ = r.Body.Close()
				if r.StatusCode != status {
					t.Errorf("as %q: %s", host, r.Status)
				}
			}
			counted(t, out, consumed)
			out.Find(t, `(tick \d+, \d+ dropped; inputs consumed \d+)`)
		})
	}
}

// The page moves on from the usual address where that is taken, unless it was asked for.
func TestUsualPageIsTaken(t *testing.T) {
	ln, err := net.Listen("tcp", defaultPage)
	if err != nil {
		t.Skip("somebody else has it, for how long nobody knows: ", err)
	}
	defer ln.Close()
	code, _, errs := run(t, "-http "+defaultPage)
	if want := "set -http to another address, to port 0 for a free port, or to none"; code != 1 || !strings.Contains(errs, defaultPage) || !strings.Contains(errs, want) {
		t.Errorf("arena -http %s: exit code %d, %q; want %q", defaultPage, code, errs, want)
	}
	url := start(t, "-clients 1 -npcs 1 -web "+client(t)).Find(t, `browser: +(http://\S+)`)
	if s := get(t, url); url == "http://"+defaultPage || !strings.Contains(s, "<title>") {
		t.Errorf("at %s is %q", url, s)
	}
}

// A match without a page says why.
func TestWithoutAPage(t *testing.T) {
	for args, want := range map[string]string{
		"-http none": "-http none",
		"-key " + strings.Repeat("0123456789abcdef", 4): "the page has none",
	} {
		start(t, args+" -clients 1 -npcs 1").Find(t, `no page to play on: (.*`+want+`)`)
	}
}
