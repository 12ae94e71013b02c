package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A scheme is one test binary of a package that holds many mutants, of which the
// environment chooses one when it runs: mutant schemata, after Untch, Offutt and
// Harrold, "Mutation analysis using mutant schemata" (1993). Each function that is to be
// changed becomes one that calls its original or a changed copy. What is not in
// the body of a function, a constant for example, is compiled alone.
type scheme struct {
	binary string
	dir    string // of the package
	holds  map[int]bool
}

// chooser is the environment variable with the number of the mutant, from 1.
const chooser = "TACTUS_MUTANT"

// newScheme compiles the mutants of a package's tests, by number, into a binary in dir.
func newScheme(ctx context.Context, root, dir, pkg string, mutants map[int]mutant) (*scheme, error) {
	s := &scheme{
		binary: filepath.Join(dir, strings.ReplaceAll(pkg, "/", "_")+".test"),
		dir:    filepath.Join(root, pkg),
		holds:  make(map[int]bool),
	}
	left := make(map[string][]int)
	for n, m := range mutants {
		left[m.file] = append(left[m.file], n)
	}
	unfit := make(map[int]bool)
	for {
		overlay, err := s.write(root, dir, pkg, left, mutants, unfit)
		if err != nil {
			return nil, err
		}
		cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", overlay, "-o", s.binary, "./"+pkg)
		cmd.Dir = root
		out, err := cmd.CombinedOutput()
		if err == nil {
			return s, nil
		}
		found := culprit.FindAllSubmatch(out, -1)
		if len(found) == 0 {
			return nil, fmt.Errorf("%s without mutants: %w\n%s", pkg, err, out)
		}
		for _, x := range found {
			n, _ := strconv.Atoi(string(x[1]))
			unfit[n] = true // alone, it tells what is wrong with it
		}
	}
}

// culprit finds the mutants that the compiler complains about.
var culprit = regexp.MustCompile(`mutant(\d+):\d+`)

// write writes the changed files and the overlay that puts them in place.
func (s *scheme) write(root, dir, pkg string, byFile map[string][]int, mutants map[int]mutant, unfit map[int]bool) (string, error) {
	clear(s.holds)
	replace := make(map[string]string)
	put := func(path string, text []byte) error {
		if replace[path] != "" {
			return nil // another file of the package has brought it
		}
		copied := filepath.Join(dir, fmt.Sprintf("%s_%d.go", strings.ReplaceAll(pkg, "/", "_"), len(replace)))
		replace[path] = copied
		return os.WriteFile(copied, text, 0o600)
	}
	for file, numbers := range byFile {
		path := filepath.Join(root, file)
		src, err := os.ReadFile(path)
		if err != nil {
			continue // alone, it tells
		}
		text, name, held, err := weave(src, numbers, mutants, unfit)
		if err != nil {
			return "", fmt.Errorf("%s: %w", file, err)
		}
		if len(held) == 0 {
			continue
		}
		for _, n := range held {
			s.holds[n] = true
		}
		choice := fmt.Sprintf("package %s\n\nimport (\n\t\"os\"\n\t\"strconv\"\n)\n\n"+
			"var activeMutant, _ = strconv.Atoi(os.Getenv(%q))\n", name, chooser)
		if err := errors.Join(put(path, text), put(filepath.Join(filepath.Dir(path), "active_mutant.go"), []byte(choice))); err != nil {
			return "", err
		}
	}
	overlay := filepath.Join(dir, strings.ReplaceAll(pkg, "/", "_")+".json")
	b, err := json.Marshal(map[string]any{"Replace": replace})
	return overlay, errors.Join(err, os.WriteFile(overlay, b, 0o600))
}

// weave puts mutants into a source file, and returns those that fit.
func weave(src []byte, numbers []int, mutants map[int]mutant, unfit map[int]bool) (text []byte, pkg string, held []int, err error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if err != nil {
		return nil, "", nil, err
	}
	offset := func(p token.Pos) int { return fset.Position(p).Offset }
	changes := make(map[*ast.FuncDecl][]int)
	for _, n := range slices.Sorted(slices.Values(numbers)) {
		m := mutants[n]
		at := m.offset
		if unfit[n] {
			continue
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if ok && fn.Body != nil && fn.Name.Name != "init" && fn.Name.Name != "main" &&
				at > offset(fn.Body.Lbrace) && at+len(m.from) <= offset(fn.Body.Rbrace) {
				changes[fn] = append(changes[fn], n)
				held = append(held, n)
			}
		}
	}
	last := 0
	var tail []byte
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || changes[fn] == nil {
			continue
		}
		from, to := offset(fn.Pos()), offset(fn.End())
		name := offset(fn.Name.Pos())
		copied := func(suffix string, body []byte) []byte {
			b := append([]byte(nil), src[from:name]...)
			b = append(b, fn.Name.Name+suffix...)
			b = append(b, src[offset(fn.Name.End()):offset(fn.Body.Lbrace)]...)
			return append(b, body...)
		}
		body := src[offset(fn.Body.Lbrace):to]
		text = append(append(text, src[last:from]...), dispatcher(src, fn, offset, changes[fn])...)
		last = to
		tail = append(append(tail, "\n\n"...), copied("Original", body)...)
		for _, n := range changes[fn] {
			m := mutants[n]
			tail = append(tail, fmt.Sprintf("\n\n//line mutant%d:1\n", n)...)
			tail = append(tail, copied(fmt.Sprint("Mutant", n), slices.Concat(src[offset(fn.Body.Lbrace):m.offset], []byte(m.to), src[m.offset+len(m.from):to]))...)
		}
	}
	text = append(append(text, src[last:]...), tail...)
	return append(text, '\n'), f.Name.Name, held, nil
}

// dispatcher is a function that calls the copy of itself that is chosen.
func dispatcher(src []byte, fn *ast.FuncDecl, offset func(token.Pos) int, numbers []int) []byte {
	start := offset(fn.Pos())
	var head []byte
	last := start
	var args []string
	name := func(l *ast.FieldList, each func(name string, variadic bool)) {
		if l == nil {
			return
		}
		for _, f := range l.List {
			_, variadic := f.Type.(*ast.Ellipsis)
			if len(f.Names) == 0 {
				made := fmt.Sprint("unnamed", offset(f.Pos()))
				head = append(append(head, src[last:offset(f.Type.Pos())]...), made+" "...)
				last = offset(f.Type.Pos())
				each(made, variadic)
			}
			for _, x := range f.Names {
				made := x.Name
				if made == "_" {
					made = fmt.Sprint("unnamed", offset(x.Pos()))
					head = append(append(head, src[last:offset(x.Pos())]...), made...)
					last = offset(x.End())
				}
				each(made, variadic)
			}
		}
	}
	call := fn.Name.Name
	name(fn.Recv, func(x string, _ bool) { call = x + "." + call })
	name(fn.Type.Params, func(x string, variadic bool) {
		if variadic {
			x += "..."
		}
		args = append(args, x)
	})
	head = append(head, src[last:offset(fn.Body.Lbrace)]...)
	types := ""
	if fn.Type.TypeParams != nil {
		var names []string
		for _, f := range fn.Type.TypeParams.List {
			for _, x := range f.Names {
				names = append(names, x.Name)
			}
		}
		types = "[" + strings.Join(names, ", ") + "]"
	}
	calls := func(suffix string) string {
		c := call + suffix + types + "(" + strings.Join(args, ", ") + ")"
		if fn.Type.Results == nil {
			return c + "\nreturn"
		}
		return "return " + c
	}
	b := append(head, "{\nswitch activeMutant {\n"...)
	for _, n := range numbers {
		b = append(b, fmt.Sprintf("case %d:\n%s\n", n, calls(fmt.Sprint("Mutant", n)))...)
	}
	return append(b, "}\n"+calls("Original")+"\n}"...)
}

// run runs tests with one of the mutants, or with none for 0.
func (s *scheme) run(ctx context.Context, n int, timeout time.Duration, tests ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, s.binary, "-test.short", "-test.timeout", timeout.String(), "-test.run", "^("+strings.Join(tests, "|")+")$")
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", chooser, n))
	return cmd.CombinedOutput()
}
