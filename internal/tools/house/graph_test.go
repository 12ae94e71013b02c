package house

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// graph maps packages to their imports. Packages of this repository are named by their folder, others by their import path.
// The standard library is left out.
type graph map[string]*pkgNode

// pkgNode holds a package's imports, each with the file and line of one of them.
type pkgNode struct {
	imports map[string]string
	tests   map[string]string // imports of its test files, external ones too
}

// names says whether the package itself imports to.
func (n *pkgNode) names(to string) bool {
	_, inCode := n.imports[to]
	_, inTest := n.tests[to]
	return inCode || inTest
}

// ours says whether pkg is a package of this module: only strangers have a dot
// in the first element of their path.
func (graph) ours(pkg string) bool {
	first, _, _ := strings.Cut(pkg, "/")
	return !strings.Contains(first, ".")
}

// add enters an import found at a place; an empty to enters the package alone.
func (g graph) add(from, to, at string, test bool) {
	n := g[from]
	if n == nil {
		n = &pkgNode{imports: map[string]string{}, tests: map[string]string{}}
		g[from] = n
	}
	switch {
	case to == "":
	case test:
		n.tests[to] = at
	default:
		n.imports[to] = at
	}
}

// reach returns all that pkg imports, directly and through others, with the
// imports of its own tests if asked. A test of a dependency does not count.
func (g graph) reach(pkg string, tests bool) map[string]bool {
	seen := map[string]bool{}
	for to := range g.search(pkg, tests) {
		seen[to] = true
	}
	return seen
}

// chain returns a shortest way from one package to another, both included.
func (g graph) chain(from, to string, tests bool) []string {
	before := g.search(from, tests)
	way := []string{to}
	for to != from {
		to = before[to]
		way = append(way, to)
	}
	slices.Reverse(way)
	return way
}

// search walks breadth first from a package; the result maps each package found
// to the one that led there.
func (g graph) search(from string, tests bool) map[string]string {
	before := map[string]string{}
	queue := []string{from}
	for len(queue) > 0 {
		pkg := queue[0]
		queue = queue[1:]
		n := g[pkg]
		if n == nil {
			continue
		}
		next := slices.Collect(maps.Keys(n.imports))
		if pkg == from && tests {
			next = slices.AppendSeq(next, maps.Keys(n.tests))
		}
		slices.Sort(next)
		for _, to := range next {
			if _, seen := before[to]; !seen && to != from {
				before[to] = pkg
				queue = append(queue, to)
			}
		}
	}
	return before
}

// explain draws a chain, one import per line with its place.
func (g graph) explain(chain []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\t%s", chain[0])
	for i, to := range chain[1:] {
		n := g[chain[i]]
		at, ok := n.imports[to]
		if !ok {
			at = n.tests[to]
		}
		fmt.Fprintf(&b, "\n\t→ %s", to)
		if at != "" {
			fmt.Fprintf(&b, "  (%s)", at)
		}
	}
	return b.String()
}

// load reads the imports of the root module from its source, under all build tags at once, and asks the go command for the
// imports of other modules.
func load(t *testing.T) graph {
	t.Helper()
	g := graph{}
	strangers := map[string]bool{}
	others := nested(t)
	for _, name := range files(t, isGo) {
		if inAny(name, others) {
			continue
		}
		fset := token.NewFileSet()
		// A file with a syntax error still yields the imports before it.
		f, _ := parser.ParseFile(fset, name, read(t, name), parser.ImportsOnly|parser.ParseComments)
		if f == nil || ignored(read(t, name)) {
			continue
		}
		from := path.Dir(name)
		g.add(from, "", "", false)
		for _, spec := range f.Imports {
			to, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				continue
			}
			switch rel, ours := strings.CutPrefix(to, module+"/"); {
			case ours:
				to = rel
			case g.ours(to):
				continue // the standard library
			default:
				strangers[to] = true
			}
			at := fmt.Sprintf("%s:%d", name, fset.Position(spec.Pos()).Line)
			g.add(from, to, at, strings.HasSuffix(name, "_test.go"))
		}
	}
	if len(g) == 0 {
		t.Fatal("no Go source found")
	}
	if len(strangers) > 0 {
		// The platforms differ in their files, hence in their imports.
		for _, platform := range []string{"linux/amd64", "windows/amd64", "js/wasm"} {
			loadStrangers(t, g, slices.Sorted(maps.Keys(strangers)), platform)
		}
	}
	return g
}

// loadStrangers adds the imports of other modules' packages on a platform.
func loadStrangers(t *testing.T, g graph, pkgs []string, platform string) {
	t.Helper()
	goos, goarch, _ := strings.Cut(platform, "/")
	list := exec.Command("go", append([]string{"list", "-e", "-deps", "-json=ImportPath,Imports,Standard"}, pkgs...)...)
	list.Dir = root
	list.Env = append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0")
	var stderr strings.Builder
	list.Stderr = &stderr
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list for %s: %v\n%s", platform, err, stderr.String())
	}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Imports    []string
			Standard   bool
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("go list for %s: %v", platform, err)
		}
		if p.Standard {
			continue
		}
		g.add(p.ImportPath, "", "", false)
		for _, to := range p.Imports {
			if !g.ours(to) {
				g.add(p.ImportPath, to, "", false)
			}
		}
	}
}

// ignored says whether a file is a program of its own, run by go generate and
// in no build.
func ignored(src []byte) bool {
	for line := range strings.Lines(string(src)) {
		if strings.HasPrefix(line, "package ") {
			break
		}
		if constraint.IsGoBuild(line) {
			return strings.TrimSpace(line) == "//go:build ignore"
		}
	}
	return false
}
