package reuse

// Slice is s with n elements, of any value. It allocates only where s is too small, and
// then half as much more.
func Slice[T any](s []T, n int) []T {
	if cap(s) < n {
		s = make([]T, n, n+n/2)
	}
	return s[:n]
}
