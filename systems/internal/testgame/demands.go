package testgame

import (
	"fmt"
	"strings"
	"testing"
)

// Equal fails the test if got differs from want.
func Equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// Must ends the test if err is not nil.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// AllocatesNothing fails the test unless f allocates nothing after a few calls. The first calls may allocate memory
// that lost packets or rarely used coders need for the first time.
func AllocatesNothing(t testing.TB, f func()) {
	t.Helper()
	n := 0.0
	for range 5 {
		if n = testing.AllocsPerRun(1, f); n == 0 {
			return
		}
	}
	t.Errorf("%.0f allocations, the fifth time too", n)
}

// MustPanic fails the test unless f panics with a message that contains word.
func MustPanic(t testing.TB, name, word string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := fmt.Sprint(recover()); !strings.Contains(got, word) {
			t.Errorf("%s: panic %q, not with %q", name, got, word)
		}
	}()
	f()
}
