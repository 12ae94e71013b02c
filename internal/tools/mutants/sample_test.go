package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// module writes files and returns their folder.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	files["go.mod"] = "module example.test/m\n\ngo 1.26\n"
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// at makes a site of the place of «operator» in a text, and returns the text without the marks.
func at(t *testing.T, file, text, kind string) (site, string) {
	t.Helper()
	before, _, ok := strings.Cut(text, "«")
	if !ok {
		t.Fatalf("no place in %q", text)
	}
	line := strings.Count(before, "\n")
	return site{file, line + 1, len(before) - (strings.LastIndex(before, "\n") + 1) + 1, kind},
		strings.NewReplacer("«", "", "»", "").Replace(text)
}

// A mutant is detected by tests of its package, by tests of a dependent package, by no test that reaches it, or no test
// reaches it. A mutant that does not compile is none.
func TestSampleFindsWhatTestsNotice(t *testing.T) {
	source := `package a

const Three = 1 + 2

type Number interface{ ~int | ~string }

func Sum(x, y int) int { return x + y }

func Later(x, y int) int { return x * y }

func Less(x, y int) bool {
	switch {
	case x < y:
		return true
	}
	return false
}

func Nobody(x int) int { x++; return x }

func Join[T Number](x, y T) T { return x + y }

func Name(x string) string { return x + "." }

type box[T any] struct{ v T }

func (b *box[T]) size(_ int, more ...T) (n int) { n = len(more) + 1; return }

func (*box[T]) pair() int { return 4 / 2 }

func Index[T, U Number](x T, _ U) int { return len([]T{x}) - 1 }
`
	var all []site
	for place, kind := range map[string]string{
		"1 «+» 2":              "ARITHMETIC_BASE",
		"int { return x «+» y": "ARITHMETIC_BASE",
		"x «*» y":              "ARITHMETIC_BASE",
		"x «<» y":              "CONDITIONALS_BOUNDARY",
		"x«++»":                "INCREMENT_DECREMENT",
		`x «+» "."`:            "ARITHMETIC_BASE",
		"len(more) «+» 1":      "ARITHMETIC_BASE",
		"4 «/» 2":              "ARITHMETIC_BASE",
		"len([]T{x}) «-» 1":    "ARITHMETIC_BASE",
	} {
		plain := strings.NewReplacer("«", "", "»", "").Replace(place)
		s, text := at(t, "a/a.go", strings.Replace(source, plain, place, 1), kind)
		if text != source {
			t.Fatalf("%q is not in the source", place)
		}
		all = append(all, s)
	}
	root := module(t, map[string]string{
		"a/a.go": source,
		"a/a_test.go": `package a

import "testing"

func TestSum(t *testing.T) {
	if Sum(2, 3) != 5 || Three != 3 || Name("x") != "x." {
		t.Fail()
	}
}

func TestShapes(t *testing.T) {
	b := box[string]{"x"}
	if b.size(1, "a", "b") != 3 || b.pair() != 2 || Index(7, "y") != 0 {
		t.Fail()
	}
}

func TestLess(t *testing.T) {
	if !Less(1, 2) {
		t.Fail()
	}
}

func TestLaterRuns(t *testing.T) { Later(1, 1) }

func TestAlwaysFails(t *testing.T) { Nobody(1); t.Fail() }
`,
		"b/b.go":      "package b\n\nimport \"example.test/m/a\"\n\nfunc Double(x int) int { return a.Later(x, 2) }\n",
		"b/b_test.go": "package b\n\nimport \"testing\"\n\nfunc TestDouble(t *testing.T) {\n\tif Double(4) != 8 {\n\t\tt.Fail()\n\t}\n}\n",
	})
	mutants, err := spots(root, all)
	if err != nil {
		t.Fatal(err)
	}
	draw(mutants, 1)
	packages, err := list(t.Context(), root, "./a")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	w := &weaver{root: root, dir: dir, name: "woven", marks: true}
	taken, unviable, err := viable(t.Context(), w, packages, mutants, 10, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	if len(taken) != 8 || unviable != 1 {
		t.Fatalf("%d mutants compile and %d do not, want 8 and that of a sum of strings: %v", len(taken), unviable, taken)
	}
	s := &suite{root: root, dir: dir, cache: t.TempDir(), w: w, tell: t.Logf}
	if err := s.build(t.Context(), []string{"a"}, false); err != nil {
		t.Fatal(err)
	}
	want := map[string]outcome{
		"a/a.go -: 1 + 2 → 1 - 2":        {Killed: true, By: "a TestSum", Reached: true},
		"a/a.go Sum: x + y → x - y":      {Killed: true, By: "a TestSum", Reached: true},
		"a/a.go Later: x * y → x / y":    {Killed: true, By: "b TestDouble", Reached: true},
		"a/a.go Less: x < y → x <= y":    {Reached: true},
		"a/a.go box.size: ) + 1 → ) - 1": {Killed: true, By: "a TestShapes", Reached: true},
		"a/a.go box.pair: 4 / 2 → 4 * 2": {Killed: true, By: "a TestShapes", Reached: true},
		"a/a.go Index: ) - 1 → ) + 1":    {Killed: true, By: "a TestShapes", Reached: true},
		"a/a.go Nobody: x++; → x--;":     {}, // the test that gets there is no judge
	}
	for i, d := range taken {
		o, err := s.judge(t.Context(), i+1, d, "", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if w, ok := want[d.id]; !ok || w != o {
			t.Errorf("%s: %+v, want %+v", d.id, o, w)
		}
	}
	for i, d := range taken {
		if o, err := s.judge(t.Context(), i+1, d, "b TestDouble", 0); err != nil || o.Killed || o.Reached && o.LeftOut == 0 {
			t.Errorf("without time: %s is %+v, %v", d.id, o, err)
		}
	}
}

// The same seed draws the same mutants, even if the rest of the file changes. Another seed draws others.
func TestDrawIsStable(t *testing.T) {
	source := "package a\n\nfunc F(x, y int) int {\n\tx = x + y\n\tx = x + y\n\treturn x - y\n}\n"
	var lists [3][]string
	for i, text := range []string{source, strings.Replace(source, "func F", "func G(x int) bool { return x > 1 }\n\nfunc F", 1), source} {
		root := module(t, map[string]string{"a.go": text})
		var all []site
		for line, l := range strings.Split(text, "\n") {
			for _, op := range "+-" {
				if c := strings.IndexRune(l, op); c >= 0 {
					all = append(all, site{"a.go", line + 1, c + 1, "ARITHMETIC_BASE"})
				}
			}
		}
		all = append(all, all...) // two kinds come to the same
		mutants, err := spots(root, all)
		if err != nil {
			t.Fatal(err)
		}
		if len(mutants) != 3 {
			t.Fatalf("%d mutants, want 3", len(mutants))
		}
		draw(mutants, uint64(1+i/2*6))
		for _, m := range mutants {
			lists[i] = append(lists[i], m.id)
		}
	}
	if !slices.Equal(lists[0], lists[1]) {
		t.Errorf("a function more: %q, before %q", lists[1], lists[0])
	}
	if slices.Equal(lists[0], lists[2]) {
		t.Errorf("another seed draws the same: %q", lists[0])
	}
	slices.Sort(lists[0])
	if want := []string{"a.go F #1: x = x + y → x = x - y", "a.go F #2: x = x + y → x = x - y", "a.go F: x - y → x + y"}; !slices.Equal(lists[0], want) {
		t.Errorf("identities %q, want %q", lists[0], want)
	}
}

func TestEquivalentsHaveReasons(t *testing.T) {
	root := module(t, map[string]string{
		"good": "# why\na.go F: x < y → x <= y\n\tboth are\n\tthe same\n",
		"bad":  "a.go F: x < y → x <= y\nb.go F: x < y → x <= y\n\tbecause\n",
		"last": "a.go F: x < y → x <= y\n",
	})
	got, err := equivalents(filepath.Join(root, "good"))
	if err != nil || len(got) != 1 || got["a.go F: x < y → x <= y"] != "both are the same " {
		t.Errorf("%q, %v", got, err)
	}
	for _, name := range []string{"bad", "last", "none"} {
		if got, err := equivalents(filepath.Join(root, name)); err == nil {
			t.Errorf("%s is taken: %q", name, got)
		}
	}
	// Those of the repository are in the form that a report prints.
	if _, err := equivalents("equivalent.txt"); err != nil {
		t.Error(err)
	}
}

// The operators know all names of mutants that gremlins prints for our packages.
func TestGremlinsIsUnderstood(t *testing.T) {
	if testing.Short() {
		t.Skip("builds gremlins")
	}
	root, err := checkoutRoot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	packages, err := list(t.Context(), root, sampled...)
	if err != nil {
		t.Fatal(err)
	}
	all, err := sites(t.Context(), root, t.TempDir(), packages)
	if err != nil {
		t.Fatal(err)
	}
	mutants, err := spots(root, all)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for _, m := range mutants {
		if seen[m.id] {
			t.Errorf("two mutants are one: %s", m.id)
		}
		seen[m.id] = true
	}
	if len(mutants) < 5000 {
		t.Errorf("%d mutants", len(mutants))
	}
}
