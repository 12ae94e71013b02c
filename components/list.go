package components

import (
	"fmt"
	"iter"
	"reflect"
	"unsafe"
)

// List is a list with a fixed capacity, stored as a plain value. A is an array of T; its length, 1 to 65535, is the
// capacity. The zero value is an empty list. The memory after the last element is zero, so == compares two lists correctly.
//
//	type Bag struct {
//		Slots components.List[Slot, [8]Slot]                    // Slot has tags
//		Marks components.List[uint16, [4]uint16] `net:"0..500"` // the tag applies to each element
//	}
//
// The whole array counts toward the words of the component; unused elements are zero. Elements are interpolated by index
// while the length stays the same.
type List[T, A any] struct {
	n     uint16 `net:"count"`
	_     [0]T
	items A
}

// Len returns the number of elements.
func (l *List[T, A]) Len() int { return min(int(l.n), l.Cap()) }

// Cap returns the capacity: the length of A.
func (l *List[T, A]) Cap() int {
	var t T
	return int(unsafe.Sizeof(l.items) / max(unsafe.Sizeof(t), 1))
}

// At returns a pointer to element i and panics unless 0 ≤ i < Len. The pointer is valid until an element is removed or the
// list itself moves, for example when component storage moves.
func (l *List[T, A]) At(i int) *T {
	if uint(i) >= uint(l.Len()) {
		panic(fmt.Sprintf("components: element %d of a list of %d", i, l.Len()))
	}
	return l.element(i)
}

// Get returns the value of element i and panics unless 0 ≤ i < Len.
func (l *List[T, A]) Get(i int) T { return *l.At(i) }

// Append adds v at the end. It returns false if the list is full. It panics if A is not an array of T.
func (l *List[T, A]) Append(v T) bool {
	l.check()
	n := l.Len()
	if n == l.Cap() {
		return false
	}
	*l.element(n) = v
	l.n = uint16(n + 1)
	return true
}

// Remove removes element i and moves the later elements up by one. It panics unless 0 ≤ i < Len.
func (l *List[T, A]) Remove(i int) {
	l.At(i)
	last := l.Len() - 1
	for ; i < last; i++ {
		*l.element(i) = *l.element(i + 1)
	}
	l.truncate(last)
}

// RemoveSwap removes element i and moves the last element into its place. It copies one element, but changes the order. It
// panics unless 0 ≤ i < Len.
func (l *List[T, A]) RemoveSwap(i int) {
	at := l.At(i)
	last := l.Len() - 1
	*at = *l.element(last)
	l.truncate(last)
}

// Clear removes all elements.
func (l *List[T, A]) Clear() { *l = List[T, A]{} }

// All yields each index with a pointer to the element, see [List.At]. The list must not become shorter during the
// iteration.
func (l *List[T, A]) All() iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		for i := range l.Len() {
			if !yield(i, l.At(i)) {
				return
			}
		}
	}
}

// truncate zeroes element n, the last one, and sets the length to n.
func (l *List[T, A]) truncate(n int) {
	var zero T
	*l.element(n) = zero
	l.n = uint16(n)
}

// element returns a pointer to element i of the array. It does not compare i with Len.
func (l *List[T, A]) element(i int) *T {
	var t T
	return (*T)(unsafe.Add(unsafe.Pointer(&l.items), uintptr(i)*unsafe.Sizeof(t)))
}

// check panics unless A is an array of T. The pointer arithmetic in element relies on this: Append calls check before it
// adds the first element, and package schema checks the type before it decodes a list.
func (l *List[T, A]) check() {
	t, a := reflect.TypeFor[T](), reflect.TypeFor[A]()
	if a.Kind() != reflect.Array || a.Elem() != t || a.Len() < 1 || a.Len() > 65535 || t.Size() == 0 {
		panic(fmt.Sprintf("components: List[%v, %v]: use an array of 1 to 65535 of them, like List[%v, [8]%v]", t, a, t, t))
	}
}
