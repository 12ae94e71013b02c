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
