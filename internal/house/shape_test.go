package house

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "lower the limits of limits.txt to what the tree is")

// usual are the limits for what limits.txt does not name. What is larger stands there with
// its size, which may only fall.
var usual = map[string]int{
	"fields":  12,   // of a struct
	"methods": 25,   // of a type
	"spread":  3,    // files with methods of a type
	"files":   22,   // of a folder
	"lines":   2500, // of a package
}

// lists are structs that are read as a list.
var lists = regexp.MustCompile(`(Config|Stats|Status|Options)$`)

// shape measures the packages that games link, tests aside: by kind and name.
func shape(t *testing.T) map[string]int {
	t.Helper()
	sizes := make(map[string]int)
	spread := make(map[string]bool)
	for _, name := range files(t, func(name string) bool {
		return isGo(name) && !strings.HasSuffix(name, "_test.go") && slices.ContainsFunc([]string{"components", "codec", "ecs", "netsys", "systems", "internal/capture"}, func(top string) bool { return inFolder(name, top) })
	}) {
		src := read(t, name)
		f, err := parser.ParseFile(token.NewFileSet(), name, src, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		folder := path.Dir(name)
		sizes["files "+folder]++
		sizes["lines "+folder] += codeLines(src)
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					continue
				}
				of := folder + "." + receiver(d.Recv.List[0].Type)
				sizes["methods "+of]++
				if in := of + " " + name; !spread[in] {
					spread[in] = true
					sizes["spread "+of]++
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if x, ok := s.(*ast.TypeSpec); ok {
						if st, ok := x.Type.(*ast.StructType); ok && !lists.MatchString(x.Name.Name) {
							sizes["fields "+folder+"."+x.Name.Name] = st.Fields.NumFields()
						}
					}
				}
			}
		}
	}
	return sizes
}

// limits reads limits.txt: kind, name, size.
func limits(t *testing.T) map[string]int {
	t.Helper()
	b, err := os.ReadFile("limits.txt")
	if err != nil {
		t.Fatal(err)
	}
	sizes := make(map[string]int)
	for line := range strings.SplitSeq(string(b), "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		at := strings.LastIndexByte(line, ' ')
		n, err := strconv.Atoi(line[at+1:])
		if at < 0 || err != nil {
			t.Fatalf("limits.txt: %q: want kind, name and size", line)
		}
		sizes[line[:at]] = n
	}
	return sizes
}

// codeLines counts the lines that are neither empty nor comments alone.
func codeLines(src []byte) (n int) {
	for line := range bytes.Lines(src) {
		if line = bytes.TrimSpace(line); len(line) > 0 && !bytes.HasPrefix(line, []byte("//")) {
			n++
		}
	}
	return n
}

// What is larger than usual gets no larger, and where it shrinks its limit follows.
func TestShape(t *testing.T) {
	sizes, known := shape(t), limits(t)
	var lines []string
	for what, n := range sizes {
		kind, _, _ := strings.Cut(what, " ")
		limit, named := known[what]
		switch {
		case n <= usual[kind]:
			if named {
				t.Errorf("%s is %d and needs no exception: go test ./internal/house -run Shape -update", what, n)
			}
			continue
		case !named:
			t.Errorf("%s is %d, at most %d: split it by what belongs together", what, n, usual[kind])
		case n > limit:
			t.Errorf("%s is %d, at most %d, which only falls: put the new part where it belongs", what, n, limit)
		case n < limit:
			if !*update {
				t.Errorf("%s is %d: lower its limit of %d, go test ./internal/house -run Shape -update", what, n, limit)
			}
		}
		if named {
			lines = append(lines, fmt.Sprintf("%s %d", what, min(n, limit)))
		}
	}
	for what := range known {
		if sizes[what] == 0 && !*update {
			t.Errorf("limits.txt names %s, which is not there: go test ./internal/house -run Shape -update", what)
		}
	}
	if *update {
		slices.Sort(lines)
		text := "# What is larger than usual, see shape_test.go: kind, name, size. Sizes only fall.\n" + strings.Join(lines, "\n") + "\n"
		if err := os.WriteFile(filepath.Join(".", "limits.txt"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
