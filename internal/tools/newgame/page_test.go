package newgame

import (
	"compress/gzip"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The game with a page that the README's command creates is complete: its bindings are those of its protocol, the page
// compiles strictly and is built, tests pass, and the server serves the page compressed, with the address of the game.
func TestNewPage(t *testing.T) {
	game := Make(t, root, "-ts")
	for _, name := range []string{"README.md", "docs/guide/binaries.md"} {
		if b, err := os.ReadFile(filepath.Join(root, name)); err != nil || !strings.Contains(string(b), game.Made) {
			t.Errorf("%s does not say %q: %v", name, game.Made, err)
		}
	}
	web := game.In("web")
	lock, err := os.ReadFile(filepath.Join(web.Dir, "package-lock.json"))
	if err != nil || strings.Contains(string(lock), `"resolved": "http`) {
		t.Errorf("the lock file says where packages come from, which others may not have: %v", err)
	}

	before := contents(t, filepath.Join(game.Dir, "bindings"))
	game.Run("go", "generate", "./...")
	for name, text := range contents(t, filepath.Join(game.Dir, "bindings")) {
		if before[name] != text {
			t.Errorf("go generate changes bindings/%s", name)
		}
	}
	game.Run("go", "vet", "./...")

	_, log := game.Start(filepath.Join(game.Dir, "web", "gen", "server"), "-listen", "127.0.0.1:0", "-websocket", "127.0.0.1:0", "-page", "127.0.0.1:0")
	socket := log.Find(t, `"websocket":"([^"]+)"`)
	page := log.Find(t, `"msg":"page","url":"([^"]+)"`)
	if text := fetch(t, page+"connect.json"); !strings.Contains(text, `"ws://`+socket+`"`) {
		t.Errorf("the game is at %s, the page is told %s", socket, text)
	}
	if text := fetch(t, page); !strings.Contains(text, "<canvas") {
		t.Errorf("the page is %.200s", text)
	}
	built, err := filepath.Glob(filepath.Join(game.Dir, "dist", "assets", "*.wasm"))
	if err != nil || len(built) != 1 {
		t.Fatalf("modules are %v, %v", built, err)
	}
	if module := fetch(t, page+"assets/"+filepath.Base(built[0])); !strings.HasPrefix(module, "\x00asm") {
		t.Errorf("the module begins with %.8q", module)
	}

	// A component more is in the page's tables, with its type.
	for _, c := range anotherComponent {
		c.make(game)
	}
	game.Run("go", "generate", "./...")
	web.Change("src/draw.ts", "    const { Place,", "    const angle: number | undefined = t.Heading?.Angle(0);\n    if (angle) c.rotate(0);\n    const { Place,")
	web.Run("npm", "run", "check")
}

// contents returns the files of a folder.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		b, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[f.Name()] = string(b)
	}
	return all
}

// fetch returns the content at a URL. All files except connect.json must be compressed.
func fetch(t *testing.T, url string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept-Encoding", "gzip")
	client := http.Client{Timeout: time.Minute}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var body io.Reader = answer.Body
	switch encoding := answer.Header.Get("Content-Encoding"); {
	case encoding == "gzip":
		if body, err = gzip.NewReader(body); err != nil {
			t.Fatal(err)
		}
	case !strings.HasSuffix(url, ".json"):
		t.Errorf("%s comes as it is, encoding %q", url, encoding)
	}
	text, err := io.ReadAll(body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %v", url, answer.Status, err)
	}
	return string(text)
}
