package main

import "testing"

// Every shape of function can hold mutants; constants and signatures are compiled alone.
func TestSchemesHoldFunctions(t *testing.T) {
	const test = "TestNetcodeA1_All"
	root := write(t, map[string]string{
		tables + "/all.txt": entry(test, "get", "len(more)", "len(more)+1") + entry(test, "two", "2", "1") +
			entry(test, "first", "return x", "var none T; return none") + entry(test, "set", "three", "three+1") +
			entry(test, "-", "const three = 3", "const three = 4") + entry(test, "set", "to *int", "to *int, _ ...int"),
		"go.mod": "module example.test/m\n\ngo 1.26\n",
		"m.go": `package m

const three = 3

type box[T any] struct{ v T }

func (b *box[T]) get(_ int, more ...T) (v T, n int) { v, n = b.v, len(more); return }

func (*box[T]) two() int { return 2 }

func first[T, U any](x T, _ U) T { return x }

func set(to *int) { *to = three }
`,
		"m_test.go": `package m

import "testing"

func TestNetcodeA1_All(t *testing.T) {
	b := box[string]{"x"}
	v, n := b.get(1, "a", "b")
	var three int
	set(&three)
	if v != "x" || n != 2 || b.two() != 2 || first(7, "y") != 7 || three != 3 {
		t.Fail()
	}
}
`,
	})
	mutants, _, err := collect(root)
	if err != nil {
		t.Fatal(err)
	}
	schemes, err := newSchemes(t.Context(), root, t.TempDir(), mutants)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(schemes["."].holds); n != 4 {
		t.Errorf("%d mutants are held, not 4", n)
	}
	failing, err := unchanged(t.Context(), schemes, mutants)
	if err != nil || len(failing) != 0 {
		t.Errorf("without a mutant: %v, %v", failing, err)
	}
	want := []verdict{killed, killed, killed, killed, killed, survived}
	for i, m := range mutants {
		if v, why := m.try(t.Context(), root, i+1, schemes["."]); v != want[i] {
			t.Errorf("mutant %d (%v) is %v, want %v: %s", i, m, v, want[i], why)
		}
	}
}
