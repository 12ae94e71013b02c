//go:build !js

package paint

import "testing"

// Players call themselves what they like: however many characters that takes, faces keep
// some, and their sheet has room for what is kept.
func TestFacesAreBounded(t *testing.T) {
	all := newFaces(2)
	for r := range rune(0x3000) {
		for _, f := range [...]*Face{all.Small, all.Normal, all.Bold, all.Big, all.Huge} {
			g := f.glyph(r)
			if g.x+g.w > sheetSize || g.y+g.h > sheetSize {
				t.Fatalf("%q is at %v, %v, beside the sheet", r, g.x, g.y)
			}
			if len(f.glyphs) > mostGlyphs {
				t.Fatalf("%d characters are kept", len(f.glyphs))
			}
		}
	}
	if g := all.Small.glyph('日'); g.w == 0 || g.advance == 0 {
		t.Error("a character that the font lacks leaves no trace")
	}
	if w := all.Small.Width([]byte("\xff\xfe")); w <= 0 {
		t.Error("what is no text has no width")
	}
}
