package main

import (
	"os"
	"path/filepath"
	"testing"
)

// Every shape of function can hold mutants; constants and signatures are compiled alone.
func TestSchemesHoldFunctions(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
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

//mutant:rule A1 m.go
//mutant:from v, n = b.v, len(more)
//mutant:to v, n = b.v, len(more)+1
//mutant:rule A1 m.go
//mutant:from return 2
//mutant:to return 1
//mutant:rule A1 m.go
//mutant:from return x
//mutant:to var none T; return none
//mutant:rule A1 m.go
//mutant:from *to = three
//mutant:to *to = three+1
//mutant:rule A1 m.go
//mutant:from const three = 3
//mutant:to const three = 4
//mutant:rule A1 m.go
//mutant:from set(to *int)
//mutant:to set(to *int, _ ...int)
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
	} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
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
