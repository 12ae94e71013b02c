package main

import (
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
	from, to string
	pkg      string // of the test, as a folder from the root
	test     string
	at       string // where the mutant is written
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

// collect reads all mutants of the tree below root, and the rules that have
// tests.
func collect(root string) (mutants []mutant, rules []string, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && path != root || d.Name() == "testdata"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		found, tested, err := parse(root, path)
		mutants = append(mutants, found...)
		rules = append(rules, tested...)
		return err
	})
	slices.Sort(rules)
	slices.SortStableFunc(mutants, func(a, b mutant) int { return strings.Compare(order(a.rule), order(b.rule)) })
	return mutants, slices.Compact(rules), err
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

// parse reads the mutants above the tests of a file.
func parse(root, path string) (mutants []mutant, rules []string, err error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, err
	}
	pkg, err := filepath.Rel(root, filepath.Dir(path))
	if err != nil {
		return nil, nil, err
	}
	for _, decl := range f.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if rule := ruleOf(fn.Name.Name); rule != "" {
			rules = append(rules, rule)
		}
		if fn.Doc == nil {
			continue
		}
		for _, c := range fn.Doc.List {
			at := fset.Position(c.Pos())
			word, text, _ := strings.Cut(strings.TrimPrefix(c.Text, "//mutant:"), " ")
			if word == c.Text || !strings.HasPrefix(c.Text, "//mutant:") {
				continue
			}
			last := len(mutants) - 1
			switch {
			case word == "rule":
				rule, file, ok := strings.Cut(text, " ")
				if !ok {
					return nil, nil, fmt.Errorf("%v: want //mutant:rule RULE FILE", at)
				}
				mutants = append(mutants, mutant{rule: rule, file: strings.TrimSpace(file), pkg: filepath.ToSlash(pkg), test: fn.Name.Name, at: at.String()})
			case word == "from" && last >= 0 && mutants[last].from == "":
				mutants[last].from = text
			case word == "to" && last >= 0 && mutants[last].to == "":
				mutants[last].to = text
			default:
				return nil, nil, fmt.Errorf("%v: want //mutant:rule, then //mutant:from, then //mutant:to", at)
			}
		}
	}
	for _, m := range mutants {
		if m.from == "" || m.from == m.to {
			return nil, nil, fmt.Errorf("%s: mutant of %s changes nothing", m.at, m.rule)
		}
	}
	return mutants, rules, nil
}

// apply returns the changed source.
func (m mutant) apply(root string) ([]byte, error) {
	src, err := os.ReadFile(filepath.Join(root, m.file))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.at, err)
	}
	if n := strings.Count(string(src), m.from); n != 1 {
		return nil, fmt.Errorf("%s: %q stands %d times in %s, want once", m.at, m.from, n, m.file)
	}
	return []byte(strings.Replace(string(src), m.from, m.to, 1)), nil
}
