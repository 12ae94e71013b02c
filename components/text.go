package components

import (
	"fmt"
	"reflect"
	"unicode/utf8"
	"unsafe"
)

// Text is text of bounded length as a plain value: A is an array of bytes, [1]byte
// to [255]byte, and its length the most bytes that the text can have. The zero
// value is the empty text. Bytes past the text's end are zero, so that two texts
// are the same when == says so.
//
//	type Player struct {
//		Name components.Text[[16]byte] // needs no tag
//	}
//
// On the wire it is valid UTF-8. It compares exactly and is never interpolated.
type Text[A any] struct {
	n     uint8 `net:"count"`
	bytes A     `net:"text"`
}

// Set makes s the text, cut at the last border between runes that leaves no more
// than [Text.Cap] bytes, and reports whether all of it fitted. Bytes of s that
// belong to no rune become question marks. It panics when A is not an array of 1 to
// 255 bytes.
func (t *Text[A]) Set(s string) (fits bool) {
	b := t.array()
	at := 0
	for fits = true; s != ""; {
		r, n := utf8.DecodeRuneInString(s)
		if at+n > len(b) {
			fits = false
			break
		}
		if r == utf8.RuneError && n == 1 {
			b[at] = '?'
		} else {
			copy(b[at:], s[:n])
		}
		at += n
		s = s[n:]
	}
	clear(b[at:])
	t.n = uint8(at)
	return fits
}

// String returns the text.
func (t Text[A]) String() string { return string(t.array()[:t.Len()]) }

// AppendTo appends the text to b, without the allocation of [Text.String].
func (t *Text[A]) AppendTo(b []byte) []byte { return append(b, t.array()[:t.Len()]...) }

// Len returns the length of the text in bytes.
func (t *Text[A]) Len() int { return min(int(t.n), t.Cap()) }

// Cap returns the most bytes that the text can have.
func (t *Text[A]) Cap() int { return int(unsafe.Sizeof(t.bytes)) }

// array returns all bytes. The check is what makes writing through it safe.
func (t *Text[A]) array() []byte {
	if a := reflect.TypeFor[A](); a.Kind() != reflect.Array || a.Elem().Kind() != reflect.Uint8 || a.Len() < 1 || a.Len() > 255 {
		panic(fmt.Sprintf("components: Text[%v]: use an array of 1 to 255 bytes, like Text[[16]byte]", a))
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&t.bytes)), unsafe.Sizeof(t.bytes))
}
