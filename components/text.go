package components

import (
	"fmt"
	"reflect"
	"unicode/utf8"
	"unsafe"
)

// Text is a text with a fixed capacity, stored as a plain value. A is an array type from [1]byte to [255]byte; its length
// is the capacity in bytes. The zero value is the empty text. The bytes after the text are zero, so == compares two texts
// correctly.
//
//	type Player struct {
//		Name components.Text[[16]byte] // needs no tag
//	}
//
// The encoding is always valid UTF-8. Texts are compared exactly and never interpolated.
type Text[A any] struct {
	n     uint8 `net:"count"`
	bytes A     `net:"text"`
}

// Set stores s. If s is longer than [Text.Cap] bytes, Set cuts it between two runes and returns false. Invalid UTF-8 bytes
// become question marks. Set panics if A is not an array of 1 to 255 bytes.
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

// AppendTo appends the text to b. Unlike [Text.String], it does not allocate a string.
func (t *Text[A]) AppendTo(b []byte) []byte { return append(b, t.array()[:t.Len()]...) }

// Len returns the length of the text in bytes.
func (t *Text[A]) Len() int { return min(int(t.n), t.Cap()) }

// Cap returns the capacity in bytes: the length of A.
func (t *Text[A]) Cap() int { return int(unsafe.Sizeof(t.bytes)) }

// array returns all bytes of the array. It panics unless A is an array of 1 to 255 bytes, so that the unsafe slice stays
// inside the array.
func (t *Text[A]) array() []byte {
	if a := reflect.TypeFor[A](); a.Kind() != reflect.Array || a.Elem().Kind() != reflect.Uint8 || a.Len() < 1 || a.Len() > 255 {
		panic(fmt.Sprintf("components: Text[%v]: use an array of 1 to 255 bytes, like Text[[16]byte]", a))
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&t.bytes)), unsafe.Sizeof(t.bytes))
}
