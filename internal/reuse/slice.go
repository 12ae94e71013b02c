package reuse

// Slice returns a slice of n elements with undefined values. It uses the memory of s, or allocates one and a half
// times n elements if s is too small.
func Slice[T any](s []T, n int) []T {
	if cap(s) < n {
		s = make([]T, n, n+n/2)
	}
	return s[:n]
}

// Longer returns s with n elements. It keeps the elements up to the capacity of s, with the memory that they own.
func Longer[T any](s []T, n int) []T {
	if n <= cap(s) {
		return s[:n]
	}
	return append(s[:cap(s)], make([]T, n-cap(s))...)
}

// Insert inserts v before element i. slices.Insert accepts several values and generates five times as much code per
// type.
func Insert[T any](s []T, i int, v T) []T {
	s = append(s, v)
	copy(s[i+1:], s[i:])
	s[i] = v
	return s
}
