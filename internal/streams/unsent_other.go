//go:build !darwin && !linux

package streams

// LimitUnsent has no socket option to set on this system; the send buffer alone bounds what grows old.
func LimitUnsent(int, int) {}
