package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// tables is the folder of the tables, from the repository's root.
const tables = "internal/mutants/rules"

// readTables reads the mutants of all tables.
func readTables(root string) (mutants []mutant, err error) {
	files, err := filepath.Glob(filepath.Join(root, tables, "*.txt"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		found, err := readTable(path.Join(tables, filepath.Base(file)), string(b))
		if err != nil {
			return nil, err
		}
		mutants = append(mutants, found...)
	}
	return mutants, nil
}

// readTable reads a table: four lines a mutant, an empty one between two.
func readTable(name, text string) (mutants []mutant, err error) {
	line := 1
	for entry := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n\n") {
		lines := strings.Split(entry, "\n")
		m := mutant{at: fmt.Sprintf("%s:%d", name, line)}
		line += len(lines) + 1
		bad := func() error {
			return fmt.Errorf("%s: want RULE PACKAGE.TEST, FILE FUNCTION, - text, + text:\n%s", m.at, entry)
		}
		if len(lines) != 4 || !strings.HasPrefix(lines[2], "- ") || lines[3] != "+" && !strings.HasPrefix(lines[3], "+ ") {
			return nil, bad()
		}
		rule, test, ok := strings.Cut(lines[0], " ")
		dot := strings.LastIndexByte(test, '.')
		file, fn, ok2 := strings.Cut(lines[1], " ")
		if !ok || !ok2 || dot < 0 {
			return nil, bad()
		}
		if dot == 0 {
			test, dot = "."+test, 1 // the root
		}
		m.rule, m.pkg, m.test, m.file, m.fn = rule, test[:dot], test[dot+1:], file, fn
		m.from, m.to = lines[2][2:], strings.TrimPrefix(lines[3][1:], " ")
		if strings.TrimSpace(m.from) == "" || m.from == m.to {
			return nil, fmt.Errorf("%s: the mutant of %s changes nothing", m.at, m.rule)
		}
		mutants = append(mutants, m)
	}
	return mutants, nil
}

// quotes are the sources that mutants quote, each read once.
type quotes struct {
	root  string
	files map[string]*source
}

// source is a file's text with the place of each function in it.
type source struct {
	text  string
	funcs map[string][][2]int // from its first byte to behind its last, by name; "-": all of the file
}

func (q *quotes) source(file string) (*source, error) {
	if s := q.files[file]; s != nil {
		return s, nil
	}
	b, err := os.ReadFile(filepath.Join(q.root, file))
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, b, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	s := &source{text: string(b), funcs: map[string][][2]int{"-": {{0, len(b)}}}}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			span := [2]int{fset.Position(fn.Pos()).Offset, fset.Position(fn.End()).Offset}
			s.funcs[fn.Name.Name] = append(s.funcs[fn.Name.Name], span)
		}
	}
	q.files[file] = s
	return s, nil
}

// find returns the place of a mutant's quote in its file: it must stand once in the
// functions of that name.
func (q *quotes) find(m mutant) (offset int, err error) {
	s, err := q.source(m.file)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", m.at, err)
	}
	found := 0
	for _, span := range s.funcs[m.fn] {
		text := s.text[span[0]:span[1]]
		if n := strings.Count(text, m.from); n > 0 {
			found, offset = found+n, span[0]+strings.Index(text, m.from)
		}
	}
	if found != 1 {
		return 0, fmt.Errorf("%s: %q stands %d times in %s of %s, want once", m.at, m.from, found, m.fn, m.file)
	}
	return offset, nil
}
