package newgame

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/internal/printed"
)

const (
	tactus = "github.com/tactusgo/tactus"
	gonew  = "golang.org/x/tools/cmd/gonew" // internal/lint pins it
)

// Folder is where commands run, and with which environment.
type Folder struct {
	// Dir is the folder.
	Dir string
	// Env is the environment.
	Env []string
	// Made is the line of the template's README that made it.
	Made []byte

	t *testing.T
}

// Make makes a game from the template in a folder under examples of the checkout at root, by the line of its README that
// says how. It skips the test unless TACTUS_NEWGAME asks for it, as this takes a while.
func Make(t *testing.T, root, template string) *Folder {
	t.Helper()
	if os.Getenv("TACTUS_NEWGAME") == "" {
		t.Skip("it builds a game with all that this needs, for half a minute and more: set TACTUS_NEWGAME=1")
	}
	root, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(root, "examples", template)
	readme, err := os.ReadFile(filepath.Join(folder, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^    go run (` + regexp.QuoteMeta(gonew) + `@v[0-9.]+) (` + regexp.QuoteMeta(tactus+"/examples/"+template) + `) (\S+)$`)
	says := line.FindSubmatch(readme)
	if says == nil {
		t.Fatalf("the README has no line like %v", line)
	}
	tool, from, module := string(says[1]), string(says[2]), string(says[3])

	tmp := t.TempDir()
	pins := Folder{t: t, Dir: filepath.Join(root, "internal", "lint"), Env: append(os.Environ(), "GOWORK=off")}
	get := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(tmp, "gonew"), gonew)
	get.Dir, get.Env = pins.Dir, pins.Env
	if out, err := get.CombinedOutput(); err != nil && os.Getenv("CI") == "" {
		t.Skipf("%s cannot be had here, as there is neither a registry nor a copy: %v\n%s", tool, err, out)
	} else if err != nil {
		t.Fatalf("%s: %v\n%s", tool, err, out)
	}
	if pinned := pins.Run("go", "list", "-f", "{{.ImportPath}}@{{.Module.Version}}", gonew); strings.TrimSpace(pinned) != tool {
		t.Errorf("the README has %s, internal/lint %s", tool, pinned)
	}

	// What is released comes from the checkout, all else from what this machine has, or from where it usually comes.
	proxy := filepath.Join(tmp, "proxy")
	release(t, proxy, tactus, root, unneeded)
	release(t, proxy, from, folder, built)
	usual := strings.Fields(pins.Run("go", "env", "GOMODCACHE", "GOPROXY"))
	game := &Folder{t: t, Dir: tmp, Made: says[0], Env: append(os.Environ(),
		"GOPROXY="+fileURL(proxy)+","+fileURL(filepath.Join(usual[0], "cache", "download"))+","+usual[1],
		"GOMODCACHE="+filepath.Join(tmp, "mod"), "GONOSUMDB="+tactus, "GOPRIVATE=", "GONOPROXY=", "GOWORK=off",
		"GOFLAGS=-modcacherw -trimpath -buildvcs=false", // without its folders, so that what is compiled is found again
	)}
	game.Run(filepath.Join(tmp, "gonew"), from, module)
	game.Dir = filepath.Join(tmp, module[strings.LastIndexByte(module, '/')+1:])
	game.Run("go", "mod", "tidy")
	if used := game.Run("go", "list", "-m", tactus); strings.TrimSpace(used) != tactus+" "+version {
		t.Errorf("the game uses %s", used)
	}
	return game
}

// In is a folder inside, with the same environment.
func (f *Folder) In(folder string) *Folder {
	inside := *f
	inside.Dir = filepath.Join(f.Dir, folder)
	return &inside
}

// Run runs a command to its end, and returns what it has printed.
func (f *Folder) Run(name string, args ...string) string {
	f.t.Helper()
	cmd := exec.CommandContext(f.t.Context(), name, args...)
	cmd.Dir, cmd.Env = f.Dir, f.Env
	var errs strings.Builder
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		f.t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, &errs)
	}
	return string(out)
}

// Start starts a program of the folder. It ends with the test.
func (f *Folder) Start(name string, args ...string) (*exec.Cmd, *printed.Text) {
	f.t.Helper()
	cmd, text := exec.CommandContext(f.t.Context(), name, args...), new(printed.Text)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = f.Dir, f.Env, text, text
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	return cmd, text
}

// Change replaces lines that are in a file once.
func (f *Folder) Change(file, from, to string) {
	f.t.Helper()
	name := filepath.Join(f.Dir, filepath.FromSlash(file))
	b, err := os.ReadFile(name)
	if err != nil {
		f.t.Fatal(err)
	}
	if n := bytes.Count(b, []byte(from)); n != 1 {
		f.t.Fatalf("%s has %d times:\n%s", file, n, from)
	}
	if err := os.WriteFile(name, bytes.Replace(b, []byte(from), []byte(to), 1), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

// fileURL is a folder as GOPROXY names it.
func fileURL(dir string) string {
	dir = filepath.ToSlash(dir)
	if !strings.HasPrefix(dir, "/") {
		dir = "/" + dir
	}
	return "file://" + dir
}
