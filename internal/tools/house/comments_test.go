package house

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"strings"
	"testing"
)

var (
	goFile = regexp.MustCompile(`(^|[\s(,])([a-z_0-9]+\.go)\b`)
	word   = regexp.MustCompile(`^[a-z][A-Za-z]*$`)
)

// Comments name files that exist. A comment of a function begins with its name, if it begins with a name at all.
func TestNamesInComments(t *testing.T) {
	all := files(t, isGo)
	names := map[string]bool{}
	for _, name := range all {
		names[path.Base(name)] = true
	}
	for _, name := range all {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, name, read(t, name), parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range f.Comments {
			for _, m := range goFile.FindAllStringSubmatch(c.Text(), -1) {
				if !names[m[2]] {
					t.Errorf("%v: there is no file %s", set.Position(c.Pos()), m[2])
				}
			}
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Doc == nil || strings.HasPrefix(fn.Name.Name, "Test") || strings.HasPrefix(fn.Name.Name, "Fuzz") {
				continue
			}
			if first, _, _ := strings.Cut(fn.Doc.Text(), " "); word.MatchString(first) && first != fn.Name.Name {
				t.Errorf("%v: the comment of %s begins with %s", set.Position(fn.Pos()), fn.Name.Name, first)
			}
		}
	}
}
