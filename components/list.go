package components

import (
	"fmt"
	"iter"
	"reflect"
	"unsafe"
)

// List is a list of bounded length as a plain value: A is an array of T, and its
// length, 1 to 65535, the most elements that the list can have. The zero value is
// the empty list. Memory past the list's end is zero, so that two lists are the
// same when == says so.
//
//	type Bag struct {
//		Slots components.List[Slot, [8]Slot]                      // Slot has tags
//		Marks components.List[uint16, [4]uint16] `net:"0..500"` // of each element
//	}
//
// All of its array counts toward the words of the component, zero where nothing is.
// Elements are interpolated by index while the length stays the same.
type List[T, A any] struct {
	n     uint16 `net:"count"`
	_     [0]T
	items A
}

// Len returns the number of elements.
func (l *List[T, A]) Len() int { return min(int(l.n), l.Cap()) }

// Cap returns the most elements that the list can have.
func (l *List[T, A]) Cap() int {
	var t T
	return int(unsafe.Sizeof(l.items) / max(unsafe.Sizeof(t), 1))
}

// At returns element i, 0 ≤ i < Len, where it lies in the list; it panics outside.
// The pointer is good until elements are removed or the list moves, as components
// in storage do.
func (l *List[T, A]) At(i int) *T {
	if uint(i) >= uint(l.Len()) {
		panic(fmt.Sprintf("components: element %d of a list of %d", i, l.Len()))
	}
	return l.place(i)
}

// Get returns the value of element i, 0 ≤ i < Len; it panics outside.
func (l *List[T, A]) Get(i int) T { return *l.At(i) }

// Append adds an element at the end and reports whether there was room for it. It
// panics when A is not an array of T.
func (l *List[T, A]) Append(v T) bool {
	l.check()
	n := l.Len()
	if n == l.Cap() {
		return false
	}
	*l.place(n) = v
	l.n = uint16(n + 1)
	return true
}

// Remove takes element i, 0 ≤ i < Len, out of the list; those behind it move up.
// It panics outside.
func (l *List[T, A]) Remove(i int) {
	l.At(i)
	last := l.Len() - 1
	for ; i < last; i++ {
		*l.place(i) = *l.place(i + 1)
	}
	l.drop(last)
}

// RemoveSwap takes element i, 0 ≤ i < Len, out of the list and puts the last in its
// place: one move, but another order. It panics outside.
func (l *List[T, A]) RemoveSwap(i int) {
	at := l.At(i)
	last := l.Len() - 1
	*at = *l.place(last)
	l.drop(last)
}

// Clear takes all elements out.
func (l *List[T, A]) Clear() { *l = List[T, A]{} }

// All yields the index of each element and where it lies, as [List.At] gives it.
// The list must not become shorter meanwhile.
func (l *List[T, A]) All() iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		for i := range l.Len() {
			if !yield(i, l.At(i)) {
				return
			}
		}
	}
}

// drop makes last, the index of the last element, the length.
func (l *List[T, A]) drop(last int) {
	var zero T
	*l.place(last) = zero
	l.n = uint16(last)
}

// place is At for an index within the array.
func (l *List[T, A]) place(i int) *T {
	var t T
	return (*T)(unsafe.Add(unsafe.Pointer(&l.items), uintptr(i)*unsafe.Sizeof(t)))
}

// check is what makes place safe: no list gets its first element without it, but
// from package schema, which looks for the same.
func (l *List[T, A]) check() {
	t, a := reflect.TypeFor[T](), reflect.TypeFor[A]()
	if a.Kind() != reflect.Array || a.Elem() != t || a.Len() < 1 || a.Len() > 65535 || t.Size() == 0 {
		panic(fmt.Sprintf("components: List[%v, %v]: use an array of 1 to 65535 of them, like List[%v, [8]%v]", t, a, t, t))
	}
}
