package testgame

import (
	"fmt"
	"strings"
	"testing"
)

// Equal demands that something is as it should be.
func Equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// Must demands that nothing went wrong.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// AllocatesNothing demands that a part of a match allocates nothing, once memory has grown to what the match
// needs: what packets that got lost, or a coder that is rarely the smallest, take for the first time. f
// is called until it allocates nothing, a few times at most.
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

// MustPanic demands a panic whose advice contains a word.
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
