package house

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
)

// statePage is the page whose tables of states are compared with packages netsys and netcode.
const statePage = "docs/state-machine.md"

// firstColumn returns the cells of the first column of the table whose first head is head, without code marks.
func firstColumn(t *testing.T, page, head string) (cells []string) {
	t.Helper()
	inTable := false
	for line := range strings.Lines(string(read(t, page))) {
		first, _, isRow := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "|"), "|")
		first = strings.TrimSpace(strings.ReplaceAll(first, "`", ""))
		switch {
		case !isRow:
			inTable = false
		case first == head:
			inTable = true
		case inTable && !strings.HasPrefix(first, "--"):
			cells = append(cells, first)
		}
	}
	return cells
}

// constants returns the names of the constants of a type in a package, in order.
func constants(t *testing.T, folder, typ string) (names []string) {
	t.Helper()
	for _, name := range files(t, func(name string) bool {
		return path.Dir(name) == folder && isGo(name) && !strings.HasSuffix(name, "_test.go")
	}) {
		f := parse(t, name)
		if f == nil {
			t.Fatalf("%s does not parse", name)
		}
		for _, decl := range f.Decls {
			d, ok := decl.(*ast.GenDecl)
			if !ok || d.Tok != token.CONST {
				continue
			}
			in := false
			for _, spec := range d.Specs {
				v := spec.(*ast.ValueSpec)
				if id, ok := v.Type.(*ast.Ident); ok {
					in = id.Name == typ
				} else if v.Type != nil || v.Values != nil {
					in = false
				}
				for _, n := range v.Names {
					if in {
						names = append(names, n.Name)
					}
				}
			}
		}
	}
	return names
}

// docs/state-machine.md lists the states of the code.
func TestStateMachinePage(t *testing.T) {
	for _, c := range []struct{ head, folder, typ string }{
		{"client state", "netsys/netcode", "ClientState"},
		{"session state", "netsys", "state"},
	} {
		got, want := firstColumn(t, statePage, c.head), constants(t, c.folder, c.typ)
		if len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("the table %q of %s has\n%v, the code\n%v", c.head, statePage, got, want)
		}
	}
}
