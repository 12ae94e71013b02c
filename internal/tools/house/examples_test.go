package house

import (
	"bytes"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// ownTools are the examples that are also tools of this repository. Only these may import internal packages. All others can be
// copied and built elsewhere.
var ownTools = []string{"examples/arena", "examples/compare", "examples/more/fleet/bench", "examples/more/browsers", "examples/swarm", "examples/tokens"}

// Examples import no internal packages, so that users can copy them.
func TestExamplesCanBeCopied(t *testing.T) {
	looked := 0
	for _, name := range files(t, func(name string) bool {
		return isGo(name) && inFolder(name, "examples") && !slices.ContainsFunc(ownTools, func(own string) bool { return inFolder(name, own) })
	}) {
		looked++
		for _, to := range internals(t, read(t, name)) {
			t.Errorf("%s imports %s, which nobody can who copies the example: what it needs belongs into a public package", name, to)
		}
	}
	if looked == 0 {
		t.Error("there are no examples")
	}
	if got := internals(t, []byte("package a\nimport (\n\"fmt\"\n_ \""+module+"/internal/race\"\n\""+module+"/internals\"\n)\n")); len(got) != 1 || got[0] != "internal/race" {
		t.Errorf("of imports of internal one is found as %v", got)
	}
}

// The template's page in TypeScript has copies of parts of the stage.
func TestCopiesOfTheStage(t *testing.T) {
	copies := files(t, func(name string) bool { return inFolder(name, "examples/starter/web/src/stage") })
	for _, name := range copies {
		original := "examples/stage/src/stage/" + path.Base(name)
		if !bytes.Equal(read(t, name), read(t, original)) {
			t.Errorf("%s differs from %s: copy it", name, original)
		}
	}
	if len(copies) == 0 {
		t.Error("there are no copies")
	}
}

// internals returns the packages in the repository's folder internal that a file imports.
func internals(t *testing.T, src []byte) (all []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "", src, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range f.Imports {
		to, _ := strconv.Unquote(spec.Path.Value)
		if rel, ours := strings.CutPrefix(to, module+"/"); ours && inFolder(rel, "internal") {
			all = append(all, rel)
		}
	}
	return all
}
