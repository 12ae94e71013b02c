package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The working folder of tests is inside the checkout, which the empty module uses.
func TestEmpty(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "game")
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-empty", dir, "example.com/game"}, &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "cd "+dir) {
		t.Errorf("no next step in\n%s", &out)
	}
	const program = "package main\n\nimport \"github.com/tactusgo/tactus/components\"\n\nfunc main() { _ = components.Owner{} }\n"
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "vet", ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("a program that imports Tactus: %v\n%s", err, out)
	}
}

// Wrong arguments are refused before anything is written.
func TestRefused(t *testing.T) {
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "mine.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	inside := filepath.Join("..", "new", "game")
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(mustAbs(t, ".."), link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	for _, args := range [][]string{
		{}, {"-nonsense", full + "/a", "example.com/a"}, {full + "/a"}, {full + "/a", "example.com/a", "b"},
		{full + "/a", "a b"}, {full + "/a", "/a"}, {full + "/a", "example.com/../a"}, {full + "/a", ""},
		{full, "example.com/a"}, {full + "/mine.txt", "example.com/a"},
		{inside, "example.com/a"}, {filepath.Join(link, "game"), "example.com/a"},
	} {
		if err := run(t.Context(), args, io.Discard); !errors.Is(err, errUsage) {
			t.Errorf("%q: %v", args, err)
		}
	}
	for _, name := range []string{full + "/a", inside, "../game"} {
		if _, err := os.Stat(name); err == nil {
			t.Errorf("%s was written", name)
		}
	}
}

// Without Node, -ts says what to install, and writes nothing.
func TestWithoutNode(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	dir := filepath.Join(t.TempDir(), "game")
	if err := run(t.Context(), []string{"-ts", dir, "example.com/game"}, io.Discard); err == nil || !strings.Contains(err.Error(), "Node 20.19") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the folder was written")
	}
}

// A copy has the files of the template under its own module path, without those of the other page and what was built there.
func TestCopyTemplate(t *testing.T) {
	from, to := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"go.mod":           "module old.example/a\n",
		"main.go":          "package main\n\nimport (\n\t_ \"old.example/a/game\"\n\t_ \"old.example/abc\"\n)\n",
		".github/ci.yml":   "on: push\n",
		".github/web.yml":  "on: push\n",
		"page/main.go":     "package main\n",
		"web/gen/out.js":   "built",
		"web/dist/a.html":  "built",
		"web/game.wasm":    "built",
		"web/wasm_exec.js": "built",
	} {
		file := filepath.Join(from, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o444)); err != nil {
			t.Fatal(err)
		}
	}
	if err := copyTemplate(to, from, "old.example/a", "new.example/b", []string{"page", ".github/web.yml"}); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(to, "main.go"))
	if want := "package main\n\nimport (\n\t_ \"new.example/b/game\"\n\t_ \"old.example/abc\"\n)\n"; string(b) != want || err != nil {
		t.Errorf("main.go is %q, %v", b, err)
	}
	if f, err := os.OpenFile(filepath.Join(to, "main.go"), os.O_WRONLY, 0); err != nil {
		t.Errorf("main.go cannot be changed: %v", err)
	} else {
		_ = f.Close()
	}
	if _, err := os.Stat(filepath.Join(to, ".github", "ci.yml")); err != nil {
		t.Error(err)
	}
	for _, built := range []string{"web/gen", "web/dist", "web/game.wasm", "web/wasm_exec.js", "page", ".github/web.yml"} {
		if _, err := os.Stat(filepath.Join(to, built)); err == nil {
			t.Errorf("%s was copied", built)
		}
	}
	for _, name := range slices.Concat(goPage, tsPage) {
		if _, err := os.Stat(filepath.Join("..", "starter", name)); err != nil {
			t.Errorf("a part of one page: %v", err)
		}
	}
}

func mustAbs(t *testing.T, name string) string {
	t.Helper()
	abs, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return abs
}
