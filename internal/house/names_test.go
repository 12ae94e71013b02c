package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// refused are words that nothing below systems and ecs is called by, and the field's words for it:
// docs/glossary.md has these.
var refused = map[string]string{
	"advice": "report", "advised": "reported", "ages": "baselineAges", "holding": "baseline.Group", "split": "perSlot",
	"spoken": "everSent", "veiled": "hidden", "goneAt": "removedTick", "absence": "tombstones", "steer": "Steering",
	"vacant": "toNeutral", "heldChange": "ownedValue", "eager": "priority", "pinned": "joinSnapshot", "playout": "lockstepBuffer",
	"proven": "confirmedInput", "unheard": "unacked", "parked": "suspended", "parcel": "delayed", "ghost": "Confirmed",
	"unit": "candidate", "blame": "Causes",
}

// spared are declarations that mean something else by such a word.
var spared = []string{
	"systems/overlay/figures.go unit",    // of a figure
	"systems/overlay/graphs.go unit",     // of an axis
	"systems/overlay/sliders.go unit",    // of a slider
	"systems/overlay/overlay.go holding", // the mouse holds a slider
}

// declared yields the names that a file declares: types, functions, methods, fields, parameters,
// variables and constants outside functions.
func declared(f *ast.File, yield func(*ast.Ident)) {
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			yield(d.Name)
		case *ast.GenDecl:
			ast.Inspect(d, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.TypeSpec:
					yield(n.Name)
				case *ast.ValueSpec:
					for _, id := range n.Names {
						yield(id)
					}
				case *ast.Field:
					for _, id := range n.Names {
						yield(id)
					}
				}
				return true
			})
		}
	}
}

func TestTheFieldsWords(t *testing.T) {
	product := func(name string) bool {
		return isGo(name) && !strings.HasSuffix(name, "_test.go") && (inFolder(name, "systems") || inFolder(name, "ecs"))
	}
	for _, name := range files(t, product) {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, read(t, name), 0)
		if err != nil {
			t.Fatal(err)
		}
		declared(f, func(id *ast.Ident) {
			for old, field := range refused {
				if strings.EqualFold(id.Name, old) && !slices.Contains(spared, name+" "+id.Name) {
					t.Errorf("%v: %s is called %s in this field", fset.Position(id.Pos()), id.Name, field)
				}
			}
		})
	}
}
