package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRuleOf(t *testing.T) {
	for name, want := range map[string]string{
		"TestNetcodeA5_ReplaysExactly": "A5",
		"TestNetcodeC12":               "C12",
		"TestDecision3_Precision":      "Decision3",
		"TestNetcode":                  "",
		"TestNetcodeA5x":               "",
		"TestOther":                    "",
	} {
		if got := ruleOf(name); got != want {
			t.Errorf("ruleOf(%s) is %q, want %q", name, got, want)
		}
	}
}

// tree writes a module with a source file, a table of mutants and a test.
func tree(t *testing.T, table, test string) string {
	t.Helper()
	return write(t, map[string]string{
		"go.mod":            "module example.test/m\n\ngo 1.26\n",
		"m.go":              "package m\n\nfunc Double(x int) int { return x * 2 }\n",
		"m_test.go":         "package m\n\nimport \"testing\"\n\n" + test,
		tables + "/all.txt": table,
	})
}

func write(t *testing.T, files map[string]string) (root string) {
	t.Helper()
	root = t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// entry is a mutant of m.go in a table.
func entry(test, fn, from, to string) string {
	return "A1 ." + test + "\nm.go " + fn + "\n- " + from + "\n+ " + to + "\n\n"
}

func TestMutantsAreKilledSurviveOrBreak(t *testing.T) {
	var table strings.Builder
	for _, to := range []string{"x * 3", "x + 3", "x *"} {
		table.WriteString(entry("TestNetcodeA1_Doubles", "Double", "x * 2", to))
	}
	root := tree(t, table.String(), `func TestNetcodeA1_Doubles(t *testing.T) {
	if Double(3) != 6 {
		t.Fail()
	}
}

func TestNetcodeA2_HasNoMutant(t *testing.T) {}
`)
	mutants, rules, err := collect(root)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(rules, " "); got != "A1 A2" {
		t.Errorf("rules with tests: %s", got)
	}
	want := []verdict{killed, survived, broken}
	if len(mutants) != len(want) {
		t.Fatalf("%d mutants, want %d", len(mutants), len(want))
	}
	schemes, err := newSchemes(t.Context(), root, t.TempDir(), mutants)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range mutants {
		for _, s := range []*scheme{schemes["."], nil} {
			if v, why := m.try(t.Context(), root, i+1, s); v != want[i] {
				t.Errorf("mutant %d (%v) is %v, want %v: %s", i, m, v, want[i], why)
			}
		}
	}
	src, err := os.ReadFile(filepath.Join(root, "m.go"))
	if err != nil || !strings.Contains(string(src), "x * 2") {
		t.Errorf("the source was changed: %s, %v", src, err)
	}
}

// A test that fails anyway kills nothing, and a package that does not build stops
// the run before it prints the same for every mutant.
func TestTestsMustPassWithoutMutants(t *testing.T) {
	table := entry("TestNetcodeA1_Fails", "Double", "x * 2", "x * 3") + entry("TestNetcodeA1_Doubles", "Double", "x * 2", "x * 3")
	root := tree(t, table, `func TestNetcodeA1_Fails(t *testing.T) {
	t.Run("inner", func(t *testing.T) { t.Fail() })
}

func TestNetcodeA1_Doubles(t *testing.T) {
	if Double(3) != 6 {
		t.Fail()
	}
}
`)
	mutants, _, err := collect(root)
	if err != nil {
		t.Fatal(err)
	}
	schemes, err := newSchemes(t.Context(), root, t.TempDir(), mutants)
	if err != nil {
		t.Fatal(err)
	}
	failing, err := unchanged(t.Context(), schemes, mutants)
	if err != nil || len(failing) != 1 || !failing[[2]string{".", "TestNetcodeA1_Fails"}] {
		t.Fatalf("failing without a mutant: %v, %v", failing, err)
	}
	if counts := work(t.Context(), root, mutants, schemes, failing, 1); counts != [3]int{killed: 1, broken: 1} {
		t.Errorf("killed, survived, broken: %v", counts)
	}
	root = tree(t, entry("TestNetcodeA1", "Double", "x * 2", "x * 3"), "func TestNetcodeA1(t *testing.T) { Triple(3) }\n")
	if mutants, _, err = collect(root); err != nil {
		t.Fatal(err)
	}
	if _, err := newSchemes(t.Context(), root, t.TempDir(), mutants); err == nil || !strings.Contains(err.Error(), "Triple") {
		t.Errorf("a package that does not build: %v", err)
	}
}

func TestMalformedTablesAreRefused(t *testing.T) {
	for _, table := range []string{
		"A1\nm.go Double\n- 2\n+ 3\n",
		"A1 .TestX\nm.go\n- 2\n+ 3\n",
		"A1 .TestX\nm.go Double\n- 2\n",
		"A1 .TestX\nm.go Double\n+ 3\n- 2\n",
		entry("TestX", "Double", "x", "x"),
		entry("TestX", "Double", "x * 7", "x * 8"),
		entry("TestX", "Double", "x", "y"), // it stands twice
		entry("TestX", "Triple", "x * 2", "x"),
		"A1 .TestX\nnone.go Double\n- 2\n+ 3\n",
	} {
		if _, _, err := collect(tree(t, table, "")); err == nil || !strings.Contains(err.Error(), tables+"/all.txt:1") {
			t.Errorf("%v for:\n%s", err, table)
		}
	}
}

// A text that stands in several functions is found by the function's name.
func TestQuotesStandInTheirFunction(t *testing.T) {
	root := write(t, map[string]string{
		"m.go":              "package m\n\nfunc one() int { return 1 }\n\nfunc two() int { return 1 }\n",
		tables + "/all.txt": entry("TestX", "two", "1", "2"),
	})
	mutants, _, err := collect(root)
	if err != nil {
		t.Fatal(err)
	}
	text, err := mutants[0].apply(root)
	if want := "package m\n\nfunc one() int { return 1 }\n\nfunc two() int { return 2 }\n"; err != nil || string(text) != want {
		t.Errorf("%q, %v", text, err)
	}
}

// Every quote of our own tables stands once where it says: a function that is renamed or
// rewritten takes its mutants along.
func TestOurQuotes(t *testing.T) {
	if _, _, err := collect("../.."); err != nil {
		t.Error(err)
	}
}
