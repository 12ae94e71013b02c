package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// mutant is one small change to a source file, and the test that must notice.
type mutant struct {
	rule     string // A5, Decision3, Session9
	file     string // to change, from the repository's root
	fn       string // the function that the text stands in; "-": outside of all
	from, to string
	offset   int    // of from in the file
	pkg      string // of the test, as a folder from the root
	test     string
	at       string // where it is written: table and line
}

func (m mutant) String() string {
	return fmt.Sprintf("%-10s %s: %s → %s (%s)", m.rule, m.file, strings.TrimSpace(m.from), strings.TrimSpace(m.to), m.test)
}

// ruleTest finds the rule in the name of a rule's test.
var ruleTest = regexp.MustCompile(`^Test(?:Netcode([A-E][0-9]+)|(Decision[0-9]+))(?:_|$|[^0-9a-zA-Z])`)

// ruleOf is the rule that a test is named for, or "".
func ruleOf(test string) string {
	m := ruleTest.FindStringSubmatch(test)
	if m == nil {
		return ""
	}
	return m[1] + m[2]
}

// collect reads the mutants of the tables of the tree below root, and the rules that
// have tests. A mutant whose quote does not stand where its table says is an error.
func collect(root string) (mutants []mutant, rules []string, err error) {
	written, err := readTables(root)
	if err != nil {
		return nil, nil, err
	}
	q := quotes{root: root, files: make(map[string]*source)}
	var wrong []error
	for _, m := range written {
		if m.offset, err = q.find(m); err != nil {
			wrong = append(wrong, err)
			continue
		}
		mutants = append(mutants, m)
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, nil, err
	}
	slices.SortStableFunc(mutants, func(a, b mutant) int { return strings.Compare(order(a.rule), order(b.rule)) })
	rules, err = testedRules(root)
	return mutants, rules, err
}

// testedRules are the rules that tests of the tree are named for.
func testedRules(root string) (rules []string, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != root || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && ruleOf(fn.Name.Name) != "" {
				rules = append(rules, ruleOf(fn.Name.Name))
			}
		}
		return nil
	})
	slices.Sort(rules)
	return slices.Compact(rules), err
}

// order sorts rules by word, then number, decisions first.
func order(rule string) string {
	word := strings.TrimRight(rule, "0123456789")
	number := rule[len(word):]
	if word == "Decision" {
		word = ""
	}
	return fmt.Sprintf("%s%04s", word, number)
}

// apply returns the changed source.
func (m mutant) apply(root string) ([]byte, error) {
	src, err := os.ReadFile(filepath.Join(root, m.file))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.at, err)
	}
	return slices.Concat(src[:m.offset], []byte(m.to), src[m.offset+len(m.from):]), nil
}
