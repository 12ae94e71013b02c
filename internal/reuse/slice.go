package reuse

// Slice is s with n elements, of any value. It allocates only where s is too small, and
// then half as much more.
func Slice[T any](s []T, n int) []T {
	if cap(s) < n {
		s = make([]T, n, n+n/2)
	}
	return s[:n]
}

// Longer is s with n elements, of which those that it had, up to its capacity, are kept
// with the memory that they own.
func Longer[T any](s []T, n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	return append(s[:cap(s)], make([]T, n-cap(s))...)
}

// Insert is s with v before element i. The one of package slices inserts many, which is five
// times the code for each type.
func Insert[T any](s []T, i int, v T) []T {
	s = append(s, v)
	copy(s[i+1:], s[i:])
	s[i] = v
	return s
}
