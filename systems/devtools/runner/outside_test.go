package runner_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/tactusgo/tactus/internal/printed"
)

// checkout is the repository, seen from this folder.
const checkout = "../../.."

// ours is the prefix of this repository's import paths.
const ours = "github.com/tactusgo/tactus"

// outside creates a module elsewhere that requires this repository as it is here, and builds the command in its root from
// files, which are contents by name. The module requires the same as module examples,
// so the build needs no go.mod file that building the workspace does not need: other files may be missing on this machine.
func outside(t *testing.T, files map[string]string) (binary string) {
	t.Helper()
	if testing.Short() {
		t.Skip("it builds a command")
	}
	root, err := filepath.Abs(checkout)
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "examples", "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "examples", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	var replace strings.Builder
	replace.WriteString("module example.com/x\n\nrequire " + ours + "/examples v0.1.0\n\nreplace " + ours + " => " + root + "\n")
	for _, module := range []string{"/examples", "/systems/devtools", "/systems/host", "/systems/rooms"} {
		replace.WriteString("\nreplace " + ours + module + " => " + root + module + "\n")
	}
	write("go.mod", strings.Replace(string(mod), "module "+ours+"/examples\n", replace.String(), 1))
	write("go.sum", string(sums))
	for name, text := range files {
		write(name, text)
	}
	binary = filepath.Join(dir, "x.exe")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".")
	build.Dir, build.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("outside of the repository: %v\n%s", err, out)
	}
	return binary
}

// long skips a test that builds another command, unless the long forms of tests are asked for.
func long(t *testing.T) {
	t.Helper()
	if os.Getenv("TACTUS_LONG") == "" {
		t.Skip("TestCustomPlaysElsewhere builds a command as well: set TACTUS_LONG=1")
	}
}

// copied returns a user's copy of an example, whose packages belong to the user's module.
func copied(t *testing.T, example string) map[string]string {
	t.Helper()
	files := map[string]string{}
	top := filepath.Join(checkout, "examples", example)
	err := filepath.WalkDir(top, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(top, name)
		files[filepath.ToSlash(rel)] = string(bytes.ReplaceAll(b, []byte(ours+"/examples/"+example), []byte("example.com/x")))
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files of examples/%s, %v", len(files), example, err)
	}
	return files
}

// An example that was copied out builds, and plays.
func TestCustomPlaysElsewhere(t *testing.T) {
	t.Parallel()
	play := exec.CommandContext(t.Context(), outside(t, copied(t, "custom")), strings.Fields("-headless -virtual -duration 3s -warmup 1s -json")...)
	out, err := play.Output()
	if err != nil || !strings.Contains(string(out), `"converged":true`) {
		t.Errorf("%v: %s", err, out)
	}
}

// The smallest game prints where its dots are.
func TestDotsPlaysElsewhere(t *testing.T) {
	long(t)
	t.Parallel()
	binary := outside(t, copied(t, "dots"))
	said, stderr, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	play := exec.CommandContext(t.Context(), binary)
	play.Stdout, play.Stderr = stderr, stderr
	if err := errors.Join(play.Start(), stderr.Close()); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = play.Process.Kill(); _ = play.Wait() }()
	if err := said.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	var text []byte
	b := make([]byte, 4096)
	other := regexp.MustCompile(`client 1 sees the dot of client [2-4] at +-?\d`)
	for !other.Match(text) {
		n, err := said.Read(b)
		text = append(text, b[:n]...)
		if bytes.Contains(text, []byte("address already in use")) {
			t.Skip("somebody else has the port, for how long nobody knows")
		}
		if err != nil {
			t.Fatalf("no client has seen another: %v\n%s", err, text)
		}
	}
}

// A game in another module, here the example, gets a command with one line.
func TestGameElsewhere(t *testing.T) {
	long(t)
	t.Parallel()
	game, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	binary := outside(t, map[string]string{
		"hop.go": strings.Replace(string(game), "package runner_test\n", "package main\n", 1),
		"main.go": "package main\n\nimport (\n\t\"context\"\n\t\"os\"\n\n\t\"" + ours + "/systems/devtools/runner\"\n)\n\n" +
			"func main() { os.Exit(runner.Main(context.Background(), hop(), os.Args[1:], os.Stdout, os.Stderr)) }\n",
	})
	for _, preset := range []string{"LocalSync", "Rollback"} {
		out, err := exec.CommandContext(t.Context(), binary, strings.Fields("-headless -virtual -duration 5s -json -model "+preset)...).Output()
		if err != nil || !strings.Contains(string(out), `"converged":true`) || !strings.Contains(string(out), `"world":{"players":8,"hopped":true}`) {
			t.Errorf("-model %s: %v: %s", preset, err, out)
		}
	}
	var exit *exec.ExitError
	out, err := exec.CommandContext(t.Context(), binary, "-headless", "-clients", "0").CombinedOutput()
	if !errors.As(err, &exit) || exit.ExitCode() != 2 || string(out) != "hop: -clients 0: 1 to 10000 are allowed\n" {
		t.Errorf("%v: %s", err, out)
	}
}

// A game in another module serves its own page beside the match, with a client that is built there.
func TestPageElsewhere(t *testing.T) {
	long(t)
	t.Parallel()
	game, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	const page = `<!doctype html><title>hop</title><style>p { color: teal }</style><p id="status"></p><p id="said"></p><p id="own"></p>` +
		`<script>document.getElementById("own").textContent = "our script";</script><script src="start.js"></script>`
	binary := outside(t, map[string]string{
		"hop.go":           strings.Replace(string(game), "package runner_test\n", "package main\n", 1),
		"client/page.html": page,
		"client/main.go": "package main\n\nimport (\n\t\"os\"\n\t\"strings\"\n\t\"syscall/js\"\n)\n\nfunc main() {\n" +
			"\tjs.Global().Get(\"document\").Call(\"getElementById\", \"said\").Set(\"textContent\", strings.Join(os.Args[1:], \" \"))\n\tselect {}\n}\n",
		"main.go": "package main\n\nimport (\n\t\"context\"\n\t_ \"embed\"\n\t\"os\"\n\t\"os/signal\"\n\n\t\"" + ours + "/netsys/eventloop\"\n\t\"" + ours +
			"/systems/devtools/runner\"\n\t\"" + ours + "/systems/devtools/runner/web\"\n)\n\n//go:embed client/page.html\nvar page string\n\nfunc main() {\n" +
			"\tctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)\n\tdefer stop()\n\tw := hop()\n" +
			"\tweb.Beside(&w, eventloop.ListenBoth, web.Config{Package: \"client\", Args: []string{\"-fast\"}, Page: page})\n" +
			"\tos.Exit(runner.Main(ctx, w, os.Args[1:], os.Stdout, os.Stderr))\n}\n",
	})
	compiled, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	play := exec.CommandContext(t.Context(), binary, "-clients", "1")
	play.Dir = filepath.Dir(binary)
	play.Env = append(os.Environ(), "GOPROXY=off", "GOCACHE="+strings.TrimSpace(string(compiled)), "XDG_CACHE_HOME="+t.TempDir())
	out := new(printed.Text)
	play.Stdout, play.Stderr = out, out
	if err := play.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = play.Process.Kill(); _ = play.Wait() }()
	url := out.Find(t, `browser: +(http://127\.0\.0\.1:\d+)\n`)
	if text := get(t, url+"/"); text != page {
		t.Errorf("the page is %s", text)
	}
	state := ""
	for range 1200 { // of 50 ms, at least
		if state = get(t, url+"/build.json"); !strings.Contains(state, `"building"`) {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if !strings.Contains(state, `"ready"`) || !strings.HasPrefix(get(t, url+"/play.wasm"), "\x00asm") {
		t.Fatalf("there is no client: %s\n%s", state, out)
	}
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Skip("there is no Chromium: apt-get install chromium")
	}
	dom, err := exec.CommandContext(t.Context(), chromium, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(),
		"--virtual-time-budget=10000", "--dump-dom", url).CombinedOutput()
	port := regexp.MustCompile(`"port":(\d+)`).FindStringSubmatch(get(t, url+"/play.json"))
	if err != nil || port == nil || !strings.Contains(string(dom), "-fast -connect ws://127.0.0.1:"+port[1]+"<") || !strings.Contains(string(dom), ">our script<") {
		t.Errorf("%v: the client has not been started:\n%s", err, dom)
	}
}

// get returns a server's response.
func get(t *testing.T, url string) string {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Body.Close() }()
	b, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %v", url, r.Status, err)
	}
	return string(b)
}
