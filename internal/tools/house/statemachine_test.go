package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// statePage is the page whose tables are compared with packages netsys and netcode.
const statePage = "docs/state-machine.md"

// pageTables returns the rows of the page's tables by the head of their first column, white space and code marks left
// out. Tables with the same head continue each other.
func pageTables(t *testing.T) map[string][][]string {
	t.Helper()
	tables := map[string][][]string{}
	head := ""
	for line := range strings.Lines(string(read(t, statePage))) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			head = ""
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(strings.ReplaceAll(cells[i], "`", ""))
		}
		switch {
		case head == "":
			head = cells[0]
		case !strings.HasPrefix(cells[0], "--"):
			tables[head] = append(tables[head], cells)
		}
	}
	return tables
}

// source is the declarations of a package of this repository, without its tests.
type source struct {
	constants map[string]ast.Expr // by name
	typed     map[string][]string // constants of a type, in order
	errs      []string            // exported variables named Err…
	hostile   []string            // reasons for which DropReason.hostile returns true
}

func parseSource(t *testing.T, folder string) *source {
	t.Helper()
	s := &source{constants: map[string]ast.Expr{}, typed: map[string][]string{}}
	for _, name := range files(t, func(name string) bool {
		return path.Dir(name) == folder && isGo(name) && !strings.HasSuffix(name, "_test.go")
	}) {
		f, err := parser.ParseFile(token.NewFileSet(), name, read(t, name), parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			switch d := decl.(type) {
			case *ast.GenDecl:
				s.add(d)
			case *ast.FuncDecl:
				if d.Name.Name == "hostile" {
					s.hostile = append(s.hostile, cases(d)...)
				}
			}
		}
	}
	return s
}

// cases returns the names in the cases of a function's switch.
func cases(f *ast.FuncDecl) (names []string) {
	ast.Inspect(f, func(n ast.Node) bool {
		if c, ok := n.(*ast.CaseClause); ok {
			for _, e := range c.List {
				if id, ok := e.(*ast.Ident); ok {
					names = append(names, id.Name)
				}
			}
		}
		return true
	})
	return names
}

func (s *source) add(d *ast.GenDecl) {
	kind := ""
	for _, spec := range d.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		if id, ok := v.Type.(*ast.Ident); ok {
			kind = id.Name
		} else if v.Type != nil || v.Values != nil {
			kind = ""
		}
		for i, name := range v.Names {
			if d.Tok == token.CONST {
				if i < len(v.Values) {
					s.constants[name.Name] = v.Values[i]
				}
				if kind != "" {
					s.typed[kind] = append(s.typed[kind], name.Name)
				}
			} else if strings.HasPrefix(name.Name, "Err") {
				s.errs = append(s.errs, name.Name)
			}
		}
	}
}

// duration evaluates a constant such as 100 * time.Millisecond, or a plain number.
func (s *source) duration(name string) (time.Duration, error) {
	e, ok := s.constants[name]
	if !ok {
		return 0, fmt.Errorf("there is no constant %s", name)
	}
	return s.evaluate(e)
}

func (s *source) evaluate(e ast.Expr) (time.Duration, error) {
	switch e := e.(type) {
	case *ast.BasicLit:
		n, err := strconv.ParseInt(e.Value, 0, 64)
		return time.Duration(n), err
	case *ast.Ident:
		return s.duration(e.Name)
	case *ast.SelectorExpr:
		unit, ok := map[string]time.Duration{"Second": time.Second, "Millisecond": time.Millisecond, "Minute": time.Minute, "Hour": time.Hour}[e.Sel.Name]
		if !ok {
			return 0, fmt.Errorf("unknown unit %s", e.Sel.Name)
		}
		return unit, nil
	case *ast.BinaryExpr:
		x, err := s.evaluate(e.X)
		if err != nil {
			return 0, err
		}
		y, err := s.evaluate(e.Y)
		if err != nil {
			return 0, err
		}
		switch e.Op {
		case token.MUL:
			return x * y, nil
		case token.QUO:
			return x / y, nil
		case token.SHL:
			return x << y, nil
		}
	}
	return 0, fmt.Errorf("unknown expression %T", e)
}

func firsts(rows [][]string) (all []string) {
	for _, r := range rows {
		all = append(all, r[0])
	}
	return all
}

// docs/state-machine.md names the states, reasons, errors, timers and limits of the code.
func TestStateMachinePage(t *testing.T) {
	tables := pageTables(t)
	packages := map[string]*source{
		"netsys":  parseSource(t, "netsys"),
		"netcode": parseSource(t, "netsys/netcode"),
	}
	same := func(what string, got, want []string) {
		t.Helper()
		if slices.Equal(got, want) {
			return
		}
		t.Errorf("%s: the table %q of %s has\n%v, the code\n%v", what, what, statePage, got, want)
	}
	same("client state", firsts(tables["client state"]), packages["netcode"].typed["ClientState"])
	for name, p := range packages {
		same(name+" drops", append([]string{"DropNone"}, firsts(tables[name+" drops"])...), drop(p.typed["DropReason"], "dropReasons"))
		errs := slices.Sorted(slices.Values(p.errs))
		same(name+" error", slices.Sorted(slices.Values(firsts(tables[name+" error"]))), errs)
	}
	same("reason", firsts(tables["reason"]), packages["netsys"].typed["Reason"])
	if len(packages["netsys"].hostile) == 0 {
		t.Error("netsys has no hostile reasons")
	}
	for _, row := range tables["netsys drops"] {
		if yes := len(row) > 2 && row[2] == "yes"; yes != slices.Contains(packages["netsys"].hostile, row[0]) {
			t.Errorf("%s: whether %s is hostile differs from the code", statePage, row[0])
		}
	}
	same("session state", firsts(tables["session state"]), packages["netsys"].typed["state"])
	for what, parse := range map[string]func(string) (time.Duration, error){
		"timer": time.ParseDuration,
		"limit": func(s string) (time.Duration, error) {
			n, err := strconv.Atoi(s)
			return time.Duration(n), err
		},
	} {
		if len(tables[what]) < 10 {
			t.Errorf("%s has %d rows of a table %q", statePage, len(tables[what]), what)
		}
		for _, row := range tables[what] {
			pkg, name, _ := strings.Cut(row[0], ".")
			p := packages[pkg]
			if p == nil {
				t.Errorf("%s: the %s %s is of no known package", statePage, what, row[0])
				continue
			}
			want, err := p.duration(name)
			got, err2 := parse(strings.ReplaceAll(row[1], " ", ""))
			if err != nil || err2 != nil || got != want {
				t.Errorf("%s: %s is %d (%v), in the code %d (%v)", statePage, row[0], got, err2, want, err)
			}
		}
	}
}

// drop returns the list without a name.
func drop(list []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == name })
}
