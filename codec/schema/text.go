package schema

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"unicode/utf8"
	"unsafe"

	"github.com/tactusgo/tactus/codec"
)

// maxText is the largest capacity of a text in bytes.
const maxText = 255

// maxFieldWords is the largest number of words of a field: the length and the bytes of a text.
const maxFieldWords = 1 + (maxText+3)/4

// textLayout locates a text in a component.
type textLayout struct {
	head uintptr // offset of the length
	body uintptr // offset of the bytes
	most int     // capacity in bytes
	size int     // size of the length: 1 or 2 bytes
}

// words returns the number of words of a text: one for its length, and one per four bytes.
func (l *textLayout) words() int { return 1 + (l.most+3)/4 }

// textLength returns the length of the text at p in bytes, limited to the capacity.
func (l *textLayout) textLength(p unsafe.Pointer) int {
	return min(l.storedLength(p), l.most)
}

func (l *textLayout) storedLength(p unsafe.Pointer) int {
	p = unsafe.Add(p, l.head)
	if l.size == 2 {
		return int(*(*uint16)(p))
	}
	return int(*(*uint8)(p))
}

func (l *textLayout) setTextLength(p unsafe.Pointer, n int) {
	p = unsafe.Add(p, l.head)
	if l.size == 2 {
		*(*uint16)(p) = uint16(n)
	} else {
		*(*uint8)(p) = uint8(n)
	}
}

// textBytes returns the whole array of the text at p.
func (l *textLayout) textBytes(p unsafe.Pointer) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(p, l.body)), l.most)
}

// text returns the bytes that are part of the text at p.
func (l *textLayout) text(p unsafe.Pointer) []byte {
	return l.textBytes(p)[:l.textLength(p)]
}

// repairText replaces each invalid byte by a question mark, so that b is valid UTF-8. U+FFFD would need more bytes.
func repairText(b []byte) {
	for at := 0; at < len(b); {
		r, n := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && n == 1 {
			b[at] = '?'
		}
		at += n
	}
}

func (l *textLayout) quantizeText(dst []int32, w, stride int, src unsafe.Pointer, size uintptr, n int) (clamped int) {
	var fixed [maxText]byte
	for i := range n {
		p := unsafe.Add(src, uintptr(i)*size)
		text := l.text(p)
		valid := utf8.Valid(text)
		if !valid || l.storedLength(p) > l.most {
			clamped++
		}
		if !valid {
			text = fixed[:copy(fixed[:], text)]
			repairText(text)
		}
		words := dst[w:][:l.words()]
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

func (l *textLayout) dequantizeText(dst unsafe.Pointer, src []int32, w, stride int, size uintptr, n int) {
	for i := range n {
		p := unsafe.Add(dst, uintptr(i)*size)
		words := src[w:][:l.words()]
		length := int(min(max(words[0], 0), int32(l.most)))
		l.setTextLength(p, length)
		b := l.textBytes(p)
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

func (l *textLayout) hashText(h uint64, p unsafe.Pointer) uint64 {
	b := l.text(p)
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

// copyText copies the text from src to dst and zeroes the rest of the array.
func (l *textLayout) copyText(dst, src unsafe.Pointer) {
	n := l.textLength(src)
	l.setTextLength(dst, n)
	b := l.textBytes(dst)
	copy(b, l.textBytes(src)[:n])
	clear(b[n:])
}

// appendText appends the text at p as its length and the whole array.
func (l *textLayout) appendText(dst []byte, p unsafe.Pointer) []byte {
	text := l.text(p)
	dst = append(dst, byte(len(text)))
	if l.size == 2 {
		dst = append(dst, 0) // lengths stay below 256
	}
	at := len(dst)
	dst = append(dst, text...)
	repairText(dst[at:])
	for range l.most - len(text) {
		dst = append(dst, 0)
	}
	return dst
}

// checkText checks the raw bytes of a text and describes the error. cause is nil if they are valid.
func (l *textLayout) checkText(b []byte) (says string, cause error) {
	n := int(b[0])
	if l.size == 2 {
		n = int(binary.LittleEndian.Uint16(b))
	}
	body := b[l.size:]
	switch {
	case n > l.most:
		return fmt.Sprintf("a text of %d bytes in %d", n, l.most), ErrRange
	case !utf8.Valid(body[:n]):
		return "the text is not valid UTF-8", codec.ErrMalformed
	case !isZero(body[n:]):
		return "bytes after the end of the text are not zero", codec.ErrMalformed
	}
	return "", nil
}

// readText writes a text from raw bytes that checkText accepted.
func (l *textLayout) readText(p unsafe.Pointer, b []byte) {
	l.setTextLength(p, int(b[0]))
	copy(l.textBytes(p), b[l.size:])
}

func (l *textLayout) formatText(p unsafe.Pointer) string { return strconv.Quote(string(l.text(p))) }

func isZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
