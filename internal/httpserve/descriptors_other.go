//go:build !unix

package httpserve

// descriptors returns how many file descriptors the process may have: here nothing bounds them.
func descriptors() int { return 2 * maxConnections }
