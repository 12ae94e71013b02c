//go:build !js

package paint

import (
	"slices"
	"testing"
)

// A long message goes onto lines that the screen has room for, and none of it is lost.
func TestLinesFit(t *testing.T) {
	f := newFaces(1).Small
	wide := f.Width([]byte("nnnnnnnn"))
	for text, want := range map[string][]string{
		"":                    nil,
		"nnnn":                {"nnnn"},
		"nnnn nnn nnnn":       {"nnnn nnn", " nnnn"},
		"nnnnnnnnnnnn":        {"nnnnnnnn", "nnnn"},
		"nnn\nnnn":            {"nnn", "\nnnn"},
		"äääääääääääääää nnn": {"ääääääää", "äääääää", " nnn"},
	} {
		var got []string
		for s := text; s != ""; {
			n := f.fits(s, wide)
			got, s = append(got, s[:n]), s[n:]
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q becomes %q, not %q", text, got, want)
		}
	}
}
