package schema

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
)

// maxText is the largest number of bytes that a text can have.
const maxText = 255

// maxFieldWords is the largest number of words that a field can have: the length
// and the bytes of a text.
const maxFieldWords = 1 + (maxText+3)/4

// textLength returns the length in bytes of the text at p, whatever its memory
// holds.
func (f *Field) textLength(p unsafe.Pointer) int {
	return min(f.storedLength(p), f.Len)
}

// wideText reports whether the text's length is a uint16, not a uint8.
func (f *Field) wideText() bool { return f.rawSize-f.Len == 2 }

func (f *Field) storedLength(p unsafe.Pointer) int {
	p = unsafe.Add(p, f.Offset)
	if f.wideText() {
		return int(*(*uint16)(p))
	}
	return int(*(*uint8)(p))
}

func (f *Field) setTextLength(p unsafe.Pointer, n int) {
	p = unsafe.Add(p, f.Offset)
	if f.wideText() {
		*(*uint16)(p) = uint16(n)
	} else {
		*(*uint8)(p) = uint8(n)
	}
}

// textBytes returns the whole array of the text at p.
func (f *Field) textBytes(p unsafe.Pointer) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(p, f.body)), f.Len)
}

// text returns the bytes that are part of the text at p.
func (f *Field) text(p unsafe.Pointer) []byte {
	return f.textBytes(p)[:f.textLength(p)]
}

// repairText makes b valid UTF-8 by writing a question mark over each byte that is
// part of no rune; U+FFFD would need more room than there is.
func repairText(b []byte) {
	for at := 0; at < len(b); {
		r, n := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && n == 1 {
			b[at] = '?'
		}
		at += n
	}
}

func (f *Field) quantizeText(dst []int32, w, stride int, src unsafe.Pointer, size uintptr, n int) (clamped int) {
	var fixed [maxText]byte
	for i := range n {
		p := unsafe.Add(src, uintptr(i)*size)
		text := f.text(p)
		valid := utf8.Valid(text)
		if !valid || f.storedLength(p) > f.Len {
			clamped++
		}
		if !valid {
			text = fixed[:copy(fixed[:], text)]
			repairText(text)
		}
		words := dst[w:][:f.Words]
		words[0] = int32(len(text))
		words = words[1:]
		clear(words)
		for ; len(text) >= 4; text = text[4:] {
			words[0] = int32(binary.LittleEndian.Uint32(text))
			words = words[1:]
		}
		for k, c := range text {
			words[0] |= int32(c) << (8 * k)
		}
		w += stride
	}
	return clamped
}

func (f *Field) dequantizeText(dst unsafe.Pointer, src []int32, w, stride int, size uintptr, n int) {
	for i := range n {
		p := unsafe.Add(dst, uintptr(i)*size)
		words := src[w:][:f.Words]
		length := int(min(max(words[0], 0), int32(f.Len)))
		f.setTextLength(p, length)
		b := f.textBytes(p)
		for k := range b {
			b[k] = byte(words[1+k/4] >> (8 * (k % 4)))
		}
		clear(b[length:])
		if !utf8.Valid(b[:length]) {
			repairText(b[:length])
		}
		w += stride
	}
}

func (f *Field) hashText(h uint64, p unsafe.Pointer) uint64 {
	b := f.text(p)
	h = scramble(h ^ uint64(len(b)))
	for ; len(b) >= 8; b = b[8:] {
		h = scramble(h ^ binary.LittleEndian.Uint64(b))
	}
	if len(b) > 0 {
		var last [8]byte
		copy(last[:], b)
		h = scramble(h ^ binary.LittleEndian.Uint64(last[:]))
	}
	return h
}

// copyText makes the text at dst that at src, and zero behind it.
func (f *Field) copyText(dst, src unsafe.Pointer) {
	n := f.textLength(src)
	f.setTextLength(dst, n)
	b := f.textBytes(dst)
	copy(b, f.textBytes(src)[:n])
	clear(b[n:])
}

// appendText appends the text at p as length and whole array.
func (f *Field) appendText(dst []byte, p unsafe.Pointer) []byte {
	text := f.text(p)
	dst = append(dst, byte(len(text)))
	if f.wideText() {
		dst = append(dst, 0) // lengths stay below 256
	}
	at := len(dst)
	dst = append(dst, text...)
	repairText(dst[at:])
	for range f.Len - len(text) {
		dst = append(dst, 0)
	}
	return dst
}

// checkText says what is wrong with the bytes of a text.
func (f *Field) checkText(b []byte) (says string, cause error) {
	n := int(b[0])
	if f.wideText() {
		n = int(binary.LittleEndian.Uint16(b))
	}
	body := b[f.rawSize-f.Len:]
	switch {
	case n > f.Len:
		return fmt.Sprintf("a text of %d bytes in %d", n, f.Len), ErrRange
	case !utf8.Valid(body[:n]):
		return "text that is not UTF-8", codec.ErrMalformed
	case !isZero(body[n:]):
		return "bytes behind the end of the text", codec.ErrMalformed
	}
	return "", nil
}

// readText writes the text of checked bytes.
func (f *Field) readText(p unsafe.Pointer, b []byte) {
	f.setTextLength(p, int(b[0]))
	copy(f.textBytes(p), b[f.rawSize-f.Len:])
}

func (f *Field) formatText(p unsafe.Pointer) string { return strconv.Quote(string(f.text(p))) }

func isZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
