package pages_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tactusgo/tactus/examples/pages"
)

// Every world that is played by the common page is named with its port and its command, and names the others.
func TestOthers(t *testing.T) {
	mains, err := filepath.Glob("../*/main.go")
	if err != nil || len(mains) == 0 {
		t.Fatalf("there are no examples: %v", err)
	}
	named := map[string]string{}
	for _, o := range pages.Others() {
		named[o.Name] = fmt.Sprintf("GamePort: %d, %s", o.GamePort, o.Command)
	}
	for _, file := range mains {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(filepath.Dir(file))
		port := regexp.MustCompile(`GamePort: \d+`).Find(b)
		if !strings.Contains(string(b), "web.Beside(") || !strings.Contains(string(b), `Package: "examples/play"`) {
			continue // no page, or one of its own that is the first thing that somebody writes
		}
		command := "go run ./examples/" + name
		if _, err := os.Stat(filepath.Join(filepath.Dir(file), "go.mod")); err == nil {
			command = "go -C examples/" + name + " run ."
		}
		if want := string(port) + ", " + command; named[name] != want {
			t.Errorf("%s has a page, with %s: examples/pages says %q", file, want, named[name])
		}
		if !regexp.MustCompile(`Others: +pages\.Others\(\)`).Match(b) {
			t.Errorf("%s has a page that names no others: Others: pages.Others()", file)
		}
		delete(named, name)
	}
	for name := range named {
		t.Errorf("examples/%s is named, and has no page", name)
	}
}
