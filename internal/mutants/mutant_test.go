package main

import (
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

// tree writes a module with a source file and a test with mutants.
func tree(t *testing.T, test string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":    "module example.test/m\n\ngo 1.26\n",
		"m.go":      "package m\n\nfunc Double(x int) int { return x * 2 }\n",
		"m_test.go": "package m\n\nimport \"testing\"\n\n" + test,
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestMutantsAreKilledSurviveOrBreak(t *testing.T) {
	root := tree(t, `// Doubling three gives six.
//
//mutant:rule A1 m.go
//mutant:from x * 2
//mutant:to x * 3
//mutant:rule A1 m.go
//mutant:from x * 2
//mutant:to x + 3
//mutant:rule A1 m.go
//mutant:from x * 2
//mutant:to x *
//mutant:rule A1 m.go
//mutant:from x * 7
//mutant:to x * 8
func TestNetcodeA1_Doubles(t *testing.T) {
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
	want := []verdict{killed, survived, broken, broken}
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
	const mutated = "//mutant:rule A1 m.go\n//mutant:from x * 2\n//mutant:to x * 3\n"
	root := tree(t, mutated+`func TestNetcodeA1_Fails(t *testing.T) {
	t.Run("inner", func(t *testing.T) { t.Fail() })
}

`+mutated+`func TestNetcodeA1_Doubles(t *testing.T) {
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
	root = tree(t, mutated+"func TestNetcodeA1(t *testing.T) { Triple(3) }\n")
	if mutants, _, err = collect(root); err != nil {
		t.Fatal(err)
	}
	if _, err := newSchemes(t.Context(), root, t.TempDir(), mutants); err == nil || !strings.Contains(err.Error(), "Triple") {
		t.Errorf("a package that does not build: %v", err)
	}
}

func TestMalformedMutantsAreRefused(t *testing.T) {
	for _, test := range []string{
		"//mutant:rule A1\nfunc TestNetcodeA1(t *testing.T) {}\n",
		"//mutant:from x\nfunc TestNetcodeA1(t *testing.T) {}\n",
		"//mutant:rule A1 m.go\nfunc TestNetcodeA1(t *testing.T) {}\n",
		"//mutant:rule A1 m.go\n//mutant:from x\n//mutant:to x\nfunc TestNetcodeA1(t *testing.T) {}\n",
	} {
		if _, _, err := collect(tree(t, test)); err == nil {
			t.Errorf("accepted:\n%s", test)
		}
	}
}
