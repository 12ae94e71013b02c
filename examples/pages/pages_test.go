package pages_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/examples/pages"
)

// Every world whose command is made here is named, with the command that runs it, and no other is.
func TestWorlds(t *testing.T) {
	mains, _ := filepath.Glob("../*/main.go")
	more, _ := filepath.Glob("../more/*/main.go")
	if len(mains) == 0 || len(more) == 0 {
		t.Fatalf("there are no examples: %q, %q", mains, more)
	}
	named, ports := map[string]string{}, map[uint16]bool{}
	for _, o := range pages.Worlds() {
		named[o.Name] = o.Command
		for port := o.GamePort; port < o.GamePort+4; port++ { // UDP, WebSocket, and three above the page
			if ports[port] {
				t.Errorf("%s is at port %d, where another world is", o.Name, port)
			}
			ports[port] = true
		}
	}
	for _, file := range slices.Concat(mains, more) {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(b), "pages.Main(") {
			continue // no page, or one of its own that is the first thing that somebody writes
		}
		name := filepath.Base(filepath.Dir(file))
		command := "go run ./examples/" + name
		if slices.Contains(more, file) {
			command = "go -C examples/more run ./" + name
		}
		if named[name] != command {
			t.Errorf("%s is run by %s: Worlds says %q", file, command, named[name])
		}
		delete(named, name)
	}
	for name := range named {
		t.Errorf("examples/%s is named, and has no page", name)
	}
}

// Every world has a page in examples/stage and a client for it, except bodies, which has a page of its own.
func TestPages(t *testing.T) {
	for _, o := range pages.Worlds() {
		if o.Name == "bodies" {
			continue
		}
		d := pages.Page(o.Name)
		for _, file := range []string{d.Index, "assets/" + o.Name + ".js"} {
			if _, err := fs.Stat(d.Files, file); err != nil {
				t.Errorf("the stage has no page for %s: %v", o.Name, err)
			}
		}
		if _, err := os.Stat("../../" + o.Folder() + "/wasm/main.go"); err != nil {
			t.Error(err)
		}
	}
}
