package newgame

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/internal/printed"
)

// Folder is where commands run.
type Folder struct {
	// Dir is the folder.
	Dir string
	// Made is the line of the template's README that created the folder.
	Made string

	t *testing.T
}

// Make creates a game from the template in the checkout at root, with the command in the template's README that has these
// flags: "" or "-ts". The command also builds and tests the game. Make skips the test unless TACTUS_NEWGAME is set, because
// it is slow, and if -ts needs a missing npm.
func Make(t *testing.T, root, flags string) *Folder {
	t.Helper()
	if os.Getenv("TACTUS_NEWGAME") == "" {
		t.Skip("it builds a game with all that this needs, for half a minute and more: set TACTUS_NEWGAME=1")
	}
	readme, err := os.ReadFile(filepath.Join(root, "examples", "starter", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	command := strings.TrimSpace("go run ./examples/new " + flags)
	made := command + " ../mygame example.com/mygame"
	if !strings.Contains(string(readme), "\n    "+made+"\n") {
		t.Fatalf("the README of the template does not say %s", made)
	}
	if _, err := exec.LookPath("npm"); flags == "-ts" && err != nil {
		t.Skip("there is no npm: apt-get install npm")
	}
	game := &Folder{t: t, Dir: root, Made: made}
	dir := filepath.Join(t.TempDir(), "mygame")
	says := game.Run("go", append(strings.Fields(command)[1:], dir, "example.com/mygame")...)
	if !strings.Contains(says, "example.com/mygame is ready in "+dir) {
		t.Errorf("it says\n%s", says)
	}
	game.Dir = dir
	return game
}

// In returns a folder inside the folder.
func (f *Folder) In(folder string) *Folder {
	inside := *f
	inside.Dir = filepath.Join(f.Dir, folder)
	return &inside
}

// Run runs a command and returns its output.
func (f *Folder) Run(name string, args ...string) string {
	f.t.Helper()
	cmd := exec.CommandContext(f.t.Context(), name, args...)
	cmd.Dir, cmd.Env = f.Dir, append(os.Environ(), "GOWORK=")
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
	cmd.Dir, cmd.Stdout, cmd.Stderr = f.Dir, text, text
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	return cmd, text
}

// Change replaces a text that occurs exactly once in a file.
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
