package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// drawn is a mutant of the sample. Its identity is independent of line numbers: file, function, and the shortest text
// around the operator that is unique in the function.
type drawn struct {
	change
	pkg          string // folder from the root
	fn           string // or "-" outside of functions
	kind         string
	line, column int
	source       string // its line
	id           string
}

// spots converts sites to mutants. It omits sites that are no operators or that change nothing, and keeps one of several
// mutants with the same result.
func spots(root string, all []site) ([]drawn, error) {
	byFile := make(map[string][]site)
	for _, s := range all {
		byFile[s.file] = append(byFile[s.file], s)
	}
	var found []drawn
	for file, list := range byFile {
		src, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return nil, err
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		tokens := scan(src)
		lines := bytes.SplitAfter(src, []byte("\n"))
		unary := make(map[int]bool) // offsets of &x and ^x, which are not binary operators
		ast.Inspect(f, func(n ast.Node) bool {
			if u, ok := n.(*ast.UnaryExpr); ok && (u.Op == token.AND || u.Op == token.XOR) {
				unary[fset.PositionFor(u.OpPos, false).Offset] = true
			}
			return true
		})
		slices.SortFunc(list, func(a, b site) int {
			return cmp.Or(a.line-b.line, a.column-b.column, strings.Compare(a.kind, b.kind))
		})
		seen := make(map[string]bool)
		for _, s := range list {
			at := s.column - 1
			for _, l := range lines[:s.line-1] {
				at += len(l)
			}
			i, ok := slices.BinarySearchFunc(tokens, at, func(t [2]int, at int) int { return t[0] - at })
			if !ok {
				return nil, fmt.Errorf("%s:%d:%d: gremlins sees a token where none begins", s.file, s.line, s.column)
			}
			from := string(src[tokens[i][0]:tokens[i][1]])
			to, ok := operators[s.kind][from]
			if !ok {
				return nil, fmt.Errorf("%s:%d:%d: %s of %q is not known", s.file, s.line, s.column, s.kind, from)
			}
			if from == to || unary[at] || seen[fmt.Sprint(at, to)] {
				continue
			}
			seen[fmt.Sprint(at, to)] = true
			d := drawn{
				change: change{s.file, at, from, to}, pkg: path.Dir(s.file), fn: "-", kind: s.kind,
				line: s.line, column: s.column, source: strings.TrimSpace(string(lines[s.line-1])),
			}
			body := [2]int{0, len(src)}
			for _, decl := range f.Decls {
				if fn, ok := decl.(*ast.FuncDecl); ok && fset.Position(fn.Pos()).Offset <= at && at < fset.Position(fn.End()).Offset {
					d.fn, body = funcName(fn), [2]int{fset.Position(fn.Pos()).Offset, fset.Position(fn.End()).Offset}
				}
			}
			d.id = identity(src, tokens, i, body, d)
			found = append(found, d)
		}
	}
	return found, nil
}

// scan returns where the tokens of a file begin and end.
func scan(src []byte) (all [][2]int) {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, 0)
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return all
		}
		if text == "" {
			text = tok.String()
		}
		if text != "\n" { // a semicolon that the scanner inserted
			at := file.Offset(pos)
			all = append(all, [2]int{at, at + len(text)})
		}
	}
}

func funcName(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return fn.Name.Name
	}
	t := fn.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name + "." + fn.Name.Name
		default:
			return fn.Name.Name
		}
	}
}

// identity returns the file, the function, and the shortest text of whole tokens of the line that occurs once in the
// function or file, before and after the change. If even the whole line is not unique, the identity includes its number of
// occurrence.
func identity(src []byte, tokens [][2]int, i int, body [2]int, d drawn) string {
	within := src[body[0]:body[1]]
	from, to := i, i
	alone := func() bool {
		return count(within, src[tokens[from][0]:tokens[to][1]]) == 1
	}
	sameLine := func(a, b int) bool {
		return !bytes.ContainsRune(src[tokens[a][0]:tokens[b][1]], '\n')
	}
	which := ""
	for !alone() {
		left, right := from > 0 && sameLine(from-1, i), to+1 < len(tokens) && sameLine(i, to+1)
		if !left && !right {
			before := count(src[body[0]:tokens[to][1]], src[tokens[from][0]:tokens[to][1]])
			which = fmt.Sprintf(" #%d", before)
			break
		}
		if left && (i-from <= to-i || !right) {
			from--
		} else {
			to++
		}
	}
	// Include one operand on each side, for the reader.
	if from == i && i > 0 && sameLine(i-1, i) {
		from--
	}
	if to == i && i+1 < len(tokens) && sameLine(i, i+1) {
		to++
	}
	a, b := tokens[from][0], tokens[to][1]
	return fmt.Sprintf("%s %s%s: %s → %s", d.file, d.fn, which, src[a:b], slices.Concat(src[a:d.at], []byte(d.to), src[d.at+len(d.from):b]))
}

// count returns the number of occurrences of part in text, including overlapping ones.
func count(text, part []byte) (n int) {
	for i := bytes.Index(text, part); i >= 0; i = bytes.Index(text, part) {
		n++
		text = text[i+1:]
	}
	return n
}

// draw orders mutants by a hash of the seed and their identity. A change to a package then moves few other mutants, and a
// larger sample contains the smaller ones.
func draw(all []drawn, seed uint64) {
	key := func(d drawn) [sha256.Size]byte { return sha256.Sum256(fmt.Appendf(nil, "%d %s", seed, d.id)) }
	keys := make(map[string][sha256.Size]byte)
	for _, d := range all {
		keys[d.id] = key(d)
	}
	slices.SortFunc(all, func(a, b drawn) int {
		x, y := keys[a.id], keys[b.id]
		return cmp.Or(bytes.Compare(x[:], y[:]), strings.Compare(a.id, b.id))
	})
}
