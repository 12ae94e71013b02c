package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// change is a mutant as text: a replacement at one place of a file.
type change struct {
	file     string // from the repository's root
	at       int    // offset of from
	from, to string
}

// weaver writes source files that contain several changes, and an overlay with these files. An environment variable selects
// the active change.
type weaver struct {
	root, dir, name string       // root of the module, output folder, name of the overlay
	marks           bool         // also record which changes a test reaches
	overlay         string       // written by write
	holds           map[int]bool // the changes in the files
}

// Environment of a test: the number of the mutant from 1, or 0 for none, or marking, and
// then the file that gets the number of each mutant whose place is reached, a line each.
const (
	chooser = "TACTUS_MUTANT"
	marked  = "TACTUS_MUTANT_MARKS"
	marking = -1
)

// write writes the changed files and the overlay.
func (w *weaver) write(changes map[int]change) error {
	w.holds = make(map[int]bool)
	replace := make(map[string]string)
	put := func(path, text string) error {
		if replace[path] != "" {
			return nil // another file of the package has added it
		}
		copied := filepath.Join(w.dir, fmt.Sprintf("%s_%d.go", w.name, len(replace)))
		replace[path] = copied
		return os.WriteFile(copied, []byte(text), 0o600)
	}
	byFile := make(map[string][]int)
	for n, c := range changes {
		byFile[c.file] = append(byFile[c.file], n)
	}
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		path := filepath.Join(w.root, file)
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		slices.Sort(byFile[file])
		text, name, held, err := weave(src, byFile[file], changes, w.marks)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if len(held) == 0 {
			continue
		}
		for _, n := range held {
			w.holds[n] = true
		}
		choice := strings.Replace(choiceFile, "PACKAGE", name, 1)
		if err := errors.Join(put(path, string(text)), put(filepath.Join(filepath.Dir(path), "active_mutant.go"), choice)); err != nil {
			return err
		}
	}
	w.overlay = filepath.Join(w.dir, w.name+".json")
	b, err := json.Marshal(map[string]any{"Replace": replace})
	return errors.Join(err, os.WriteFile(w.overlay, b, 0o600))
}

// choiceFile is an additional file in each package with mutants.
var choiceFile = fmt.Sprintf(`package PACKAGE

import (
	"os"
	"strconv"
	"sync"
)

var (
	activeMutant, _ = strconv.Atoi(os.Getenv(%q))
	markedMutants   sync.Map
)

func markMutant(n int) {
	if _, told := markedMutants.LoadOrStore(n, true); told {
		return
	}
	f, err := os.OpenFile(os.Getenv(%q), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	f.WriteString(strconv.Itoa(n) + "\n")
	f.Close()
}
`, chooser, marked)

// compile makes a package's test binary, or returns the changes that the compiler does
// not take.
func (w *weaver) compile(ctx context.Context, binary, pkg string) (unfit []int, err error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", w.overlay, "-o", binary, "./"+pkg)
	cmd.Dir = w.root
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil, nil
	}
	for _, x := range culprit.FindAllSubmatch(out, -1) {
		n, _ := strconv.Atoi(string(x[1]))
		unfit = append(unfit, n)
	}
	if len(unfit) == 0 {
		return nil, fmt.Errorf("%s without mutants: %w\n%s", pkg, err, out)
	}
	slices.Sort(unfit)
	return slices.Compact(unfit), nil
}

// culprit matches the mutants in errors of the compiler.
var culprit = regexp.MustCompile(`mutant(\d+):\d+`)

// weave inserts changes into a source file. It returns the numbers of those that fit.
func weave(src []byte, numbers []int, changes map[int]change, marks bool) (text []byte, pkg string, held []int, err error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if err != nil {
		return nil, "", nil, err
	}
	offset := func(p token.Pos) int { return fset.PositionFor(p, false).Offset }
	inside := make(map[*ast.FuncDecl][]int)
	for _, n := range numbers {
		c := changes[n]
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if ok && fn.Body != nil && fn.Name.Name != "init" && fn.Name.Name != "main" &&
				c.at > offset(fn.Body.Lbrace) && c.at+len(c.from) <= offset(fn.Body.Rbrace) {
				inside[fn] = append(inside[fn], n)
				held = append(held, n)
			}
		}
	}
	last := 0
	var tail []byte
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || inside[fn] == nil {
			continue
		}
		from, to, body := offset(fn.Pos()), offset(fn.End()), offset(fn.Body.Lbrace)
		name := offset(fn.Name.Pos())
		copied := func(suffix string, body []byte) {
			tail = append(tail, src[from:name]...)
			tail = append(tail, fn.Name.Name+suffix...)
			tail = append(tail, src[offset(fn.Name.End()):offset(fn.Body.Lbrace)]...)
			tail = append(append(tail, body...), "\n\n"...)
		}
		text = append(append(text, src[last:from]...), dispatcher(src, fn, offset, inside[fn], marks)...)
		last = to
		tail = append(tail, "\n\n"...)
		copied("Original", src[body:to])
		if marks {
			at := make(map[int]string) // offsets of statements
			for _, n := range inside[fn] {
				at[offset(statement(fn, func(s ast.Stmt) bool {
					return offset(s.Pos()) <= changes[n].at && changes[n].at < offset(s.End())
				}).Pos())] += fmt.Sprintf("markMutant(%d); ", n)
			}
			var b []byte
			done := body
			for _, x := range slices.Sorted(maps.Keys(at)) {
				b = append(append(b, src[done:x]...), at[x]...)
				done = x
			}
			copied("Marked", append(b, src[done:to]...))
		}
		for _, n := range inside[fn] {
			c := changes[n]
			tail = append(tail, fmt.Sprintf("//line mutant%d:1\n", n)...)
			copied(fmt.Sprint("Mutant", n), slices.Concat(src[body:c.at], []byte(c.to), src[c.at+len(c.from):to]))
		}
	}
	text = append(append(text, src[last:]...), tail...)
	return append(text, '\n'), f.Name.Name, held, nil
}

// statement returns the innermost statement of a list that contains the place. Other statements can be inserted before it.
func statement(fn *ast.FuncDecl, holds func(ast.Stmt) bool) ast.Stmt {
	var found ast.Stmt
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		var list []ast.Stmt
		switch n := n.(type) {
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		case *ast.CommClause:
			list = n.Body
		}
		if i := slices.IndexFunc(list, holds); i >= 0 {
			// The clauses of a switch allow no statements between them.
			switch list[i].(type) {
			case *ast.CaseClause, *ast.CommClause:
			default:
				found = list[i]
			}
		}
		return true
	})
	return found
}

// dispatcher returns a function that calls the selected copy of itself.
func dispatcher(src []byte, fn *ast.FuncDecl, offset func(token.Pos) int, numbers []int, marks bool) []byte {
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
	if marks {
		b = append(b, fmt.Sprintf("case %d:\n%s\n", marking, calls("Marked"))...)
	}
	for _, n := range numbers {
		b = append(b, fmt.Sprintf("case %d:\n%s\n", n, calls(fmt.Sprint("Mutant", n)))...)
	}
	return append(b, "}\n"+calls("Original")+"\n}"...)
}
