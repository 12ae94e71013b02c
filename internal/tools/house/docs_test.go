package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
)

// TestPackagesHaveDoc wants a doc.go with the package comment in every package,
// so that the reader knows where to look. A command may say what it does at the
// top of its main.go instead.
func TestPackagesHaveDoc(t *testing.T) {
	documented := map[string]bool{}
	for _, name := range files(t, isGo) {
		dir := path.Dir(name)
		documented[dir] = documented[dir] || false
		switch f := parse(t, name); {
		case f == nil || f.Doc == nil:
		case path.Base(name) == "doc.go", path.Base(name) == "main.go" && f.Name.Name == "main":
			documented[dir] = true
		}
	}
	for dir, ok := range documented {
		if !ok {
			t.Errorf("%s: no doc.go with a package comment", dir)
		}
	}
}

// TestExportedIsDocumented wants a doc comment on whatever a package exports:
// types, functions, methods, groups of constants and variables, the methods of
// an interface, and the fields of a Config, where the comment holds the unit,
// the default and the meaning of zero.
func TestExportedIsDocumented(t *testing.T) {
	for _, name := range files(t, isGo) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		if f := parse(t, name); f != nil && f.Name.Name != "main" {
			for _, missing := range undocumented(f) {
				t.Errorf("%s: %s has no doc comment", name, missing)
			}
		}
	}
}

// parse reads a Go file with its comments, or returns nil when it does not
// parse: the compiler says so better.
func parse(t *testing.T, name string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), name, read(t, name), parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	return f
}

// undocumented lists the exported names of a file that lack a comment.
func undocumented(f *ast.File) []string {
	var missing []string
	note := func(documented bool, format string, args ...any) {
		if !documented {
			missing = append(missing, fmt.Sprintf(format, args...))
		}
	}
	for _, decl := range f.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if !d.Name.IsExported() {
				continue
			}
			if d.Recv == nil {
				note(d.Doc != nil, "func %s", d.Name)
			} else if recv := receiver(d.Recv.List[0].Type); ast.IsExported(recv) {
				note(d.Doc != nil, "method %s.%s", recv, d.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.ValueSpec:
					if i := slices.IndexFunc(s.Names, (*ast.Ident).IsExported); i >= 0 {
						note(d.Doc != nil || s.Doc != nil || s.Comment != nil, "%s %s", d.Tok, s.Names[i])
					}
				case *ast.TypeSpec:
					if !s.Name.IsExported() {
						continue
					}
					note(s.Doc != nil || d.Doc != nil && !d.Lparen.IsValid(), "type %s", s.Name)
					for _, m := range members(s) {
						for _, n := range m.Names {
							note(!n.IsExported() || m.Doc != nil || m.Comment != nil, "%s.%s", s.Name, n)
						}
					}
				}
			}
		}
	}
	return missing
}

// members returns the parts of a type that need a comment each.
func members(s *ast.TypeSpec) []*ast.Field {
	switch typ := s.Type.(type) {
	case *ast.InterfaceType:
		return typ.Methods.List
	case *ast.StructType:
		if strings.HasSuffix(s.Name.Name, "Config") {
			return typ.Fields.List
		}
	}
	return nil
}

// receiver returns the name of a method's type, without pointer and parameters.
func receiver(x ast.Expr) string {
	for {
		switch t := x.(type) {
		case *ast.Ident:
			return t.Name
		case *ast.StarExpr:
			x = t.X
		case *ast.ParenExpr:
			x = t.X
		case *ast.IndexExpr:
			x = t.X
		case *ast.IndexListExpr:
			x = t.X
		default:
			return ""
		}
	}
}

func TestUndocumented(t *testing.T) {
	const src = `package p

// A is documented.
type A struct{ Free int }

func (A) M()          {}
func (*B[T]) M()      {}
func (hidden) M()     {}
func F()              {}

type (
	B[T any] struct{}
	// LinkConfig is documented.
	LinkConfig struct {
		// RTT in milliseconds.
		RTT  int
		Loss float64 // 0..1
		Dup  float64
		in   int
	}
	hidden struct{}
)

// Group comments do for their members.
const (
	One = 1
	Two = 2
)

var Lone, other int
var Told int // beside it

// Wire is documented.
type Wire interface {
	// Send is documented.
	Send()
	Poll()
	error
}
`
	f, err := parser.ParseFile(token.NewFileSet(), "p.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"method A.M", "method B.M", "func F", "type B", "LinkConfig.Dup", "var Lone", "Wire.Poll"}
	if got := undocumented(f); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
